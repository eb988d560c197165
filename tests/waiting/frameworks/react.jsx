import { useEffect, useState } from "react";

export const App = () => {
  const [orders, setOrders] = useState([]);
  const [news, setNews] = useState("");
  useEffect(() => {
    fetch("/text?delay=300").then((each) => each.text()).then(setNews);
  }, []);
  return (
    <main>
      <h1>Orders</h1>
      <button onClick={() => setOrders([...orders, `Order ${orders.length + 1}`])}>Add an order</button>
      <ul>{orders.map((order) => <li key={order}>{order}</li>)}</ul>
      <p>{news}</p>
    </main>
  );
};
