import { DndContext, KeyboardSensor, PointerSensor, useSensor, useSensors } from "@dnd-kit/core";
import { arrayMove, SortableContext, sortableKeyboardCoordinates, useSortable } from "@dnd-kit/sortable";
import { useState } from "react";
import { createRoot } from "react-dom/client";

const Card = ({ id }) => {
  const { attributes, listeners, setNodeRef, transform, transition } = useSortable({ id });
  const moved = transform ? `translate(${transform.x}px, ${transform.y}px)` : undefined;
  return (
    <div
      ref={setNodeRef}
      {...attributes}
      {...listeners}
      style={{ transform: moved, transition, padding: 12, border: "1px solid", width: 200 }}
    >
      {id}
    </div>
  );
};

const Board = () => {
  const [cards, setCards] = useState(["Plan trip", "Buy tickets", "Pack bags"]);
  const sensors = useSensors(
    useSensor(PointerSensor),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const end = ({ active, over }) => {
    if (over && active.id !== over.id) setCards((now) => arrayMove(now, now.indexOf(active.id), now.indexOf(over.id)));
  };
  return (
    <main>
      <h1>Board</h1>
      <DndContext sensors={sensors} onDragEnd={end}>
        <SortableContext items={cards}>
          {cards.map((each) => (
            <Card key={each} id={each} />
          ))}
        </SortableContext>
      </DndContext>
      <p id="order">{cards.join(", ")}</p>
    </main>
  );
};

createRoot(document.getElementById("app")).render(<Board />);
