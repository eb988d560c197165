// A list of ten thousand rows of which those in sight are there.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { createRoot } from "react-dom/client";

function Guests() {
  const parent = useRef(null);
  const rows = useVirtualizer({ count: 10000, getScrollElement: () => parent.current, estimateSize: () => 28, overscan: 3 });
  return (
    <main>
      <h1>Guests</h1>
      <button onClick={() => rows.scrollToIndex(5000, { align: "start" })}>Go to guest 5000</button>{" "}
      <button onClick={() => rows.scrollToIndex(40, { align: "start", behavior: "smooth" })}>Glide to guest 40</button>
      <div ref={parent} role="list" style={{ height: 260, overflow: "auto", width: 400 }}>
        <div style={{ height: rows.getTotalSize(), position: "relative" }}>
          {rows.getVirtualItems().map((row) => (
            <div key={row.key} role="listitem" style={{ position: "absolute", top: 0, height: 28, transform: `translateY(${row.start}px)` }}>
              Guest number {row.index}
            </div>
          ))}
        </div>
      </div>
    </main>
  );
}

createRoot(document.querySelector("#app")).render(<Guests />);
