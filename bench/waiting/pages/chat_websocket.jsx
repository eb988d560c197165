// A chat over a socket that stays open: it is greeted as it opens, and what is said is answered a while later.
import { useEffect, useRef, useState } from "react";
import { createRoot } from "react-dom/client";
import ReconnectingWebSocket from "reconnecting-websocket";

function Chat() {
  const socket = useRef(null);
  const [lines, setLines] = useState([]);
  const [state, setState] = useState("Connecting");
  useEffect(() => {
    socket.current = new ReconnectingWebSocket(document.body.dataset.chat);
    socket.current.onopen = () => setState("Connected");
    socket.current.onmessage = (event) => setLines((before) => [...before, event.data]);
    return () => socket.current.close();
  }, []);
  const say = (text) => {
    setLines((before) => [...before, `You: ${text}`]);
    socket.current.send(text);
  };
  return (
    <main>
      <h1>Chat</h1>
      <p>{state}</p>
      <ol>{lines.map((line, number) => <li key={number}>{line}</li>)}</ol>
      <button onClick={() => say("Is the table free?")}>Ask for a table</button>
    </main>
  );
}

createRoot(document.querySelector("#app")).render(<Chat />);
