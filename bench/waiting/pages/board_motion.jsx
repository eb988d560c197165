// A board of cards, which move from list to list and out of sight by springs.
import { AnimatePresence, LayoutGroup, motion } from "motion/react";
import { useState } from "react";
import { createRoot } from "react-dom/client";

function Board() {
  const [lists, setLists] = useState({ "To do": ["Order tea", "Clean windows"], Done: ["Bake bread"] });
  const [news, setNews] = useState("");
  const move = () => {
    setLists({ "To do": ["Clean windows"], Done: ["Bake bread", "Order tea"] });
    setNews("Order tea was moved");
    setTimeout(() => setNews(""), 2500);
  };
  return (
    <LayoutGroup>
      <h1>Board</h1>
      <button onClick={move}>Move the first card</button> <button onClick={() => setLists({ ...lists, Done: [] })}>Clear what is done</button>
      <div style={{ display: "flex", gap: 20 }}>
        {Object.entries(lists).map(([name, cards]) => (
          <section key={name} style={{ width: 200 }}>
            <h2>{name}</h2>
            <AnimatePresence>
              {cards.map((card) => (
                <motion.article key={card} layoutId={card} exit={{ opacity: 0, x: 80 }} style={{ background: "#eee", padding: 8, margin: 4 }}>
                  {card}
                </motion.article>
              ))}
            </AnimatePresence>
          </section>
        ))}
      </div>
      <AnimatePresence>
        {news && <motion.p key="news" role="status" initial={{ opacity: 0, y: 30 }} animate={{ opacity: 1, y: 0 }} exit={{ opacity: 0 }}>{news}</motion.p>}
      </AnimatePresence>
    </LayoutGroup>
  );
}

createRoot(document.querySelector("#app")).render(<Board />);
