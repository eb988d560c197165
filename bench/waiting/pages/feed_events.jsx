// News that a server sends one after the other.
import { useState } from "react";
import { createRoot } from "react-dom/client";

function Feed() {
  const [items, setItems] = useState([]);
  const [isOpen, setOpen] = useState(false);
  const listen = () => {
    setOpen(true);
    const source = new EventSource("/events?delay=500");
    source.onmessage = (event) => setItems((before) => [event.data, ...before]);
    source.onerror = () => (source.close(), setOpen(false));
  };
  return (
    <main>
      <h1>Feed</h1>
      <button onClick={listen}>Follow</button>
      <p>{isOpen ? "Following" : "Not following"}</p>
      <ul>{items.map((item) => <li key={item}>{item}</li>)}</ul>
    </main>
  );
}

createRoot(document.querySelector("#app")).render(<Feed />);
