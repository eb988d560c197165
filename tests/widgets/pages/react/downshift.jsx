import { useCombobox, useSelect } from "downshift";
import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";

const CITIES = ["Accra", "Algiers", "Amman", "Athens", "Bogota"];

const City = () => {
  const [words, setWords] = useState("");
  const [found, setFound] = useState([]);
  // Searches when the typing has paused.
  useEffect(() => {
    const timer = setTimeout(() => setFound(words ? CITIES.filter((each) => each.startsWith(words)) : []), 300);
    return () => clearTimeout(timer);
  }, [words]);
  const box = useCombobox({ items: found, onInputValueChange: ({ inputValue }) => setWords(inputValue) });
  return (
    <div>
      <label {...box.getLabelProps()}>City</label>
      <input {...box.getInputProps()} />
      <ul {...box.getMenuProps()}>
        {box.isOpen &&
          found.map((item, index) => (
            <li key={item} {...box.getItemProps({ item, index })}>
              {item}
            </li>
          ))}
      </ul>
      <p id="chosen">{box.selectedItem ? `Flying to ${box.selectedItem}` : "No flight yet"}</p>
    </div>
  );
};

const Seat = () => {
  const items = ["Window", "Middle", "Aisle"];
  const list = useSelect({ items });
  return (
    <div>
      <label {...list.getLabelProps()}>Seat</label>
      <div {...list.getToggleButtonProps()} id="seat">
        {list.selectedItem ?? "Any seat"}
      </div>
      <ul {...list.getMenuProps()}>
        {list.isOpen &&
          items.map((item, index) => (
            <li key={item} {...list.getItemProps({ item, index })}>
              {item}
            </li>
          ))}
      </ul>
    </div>
  );
};

createRoot(document.getElementById("app")).render(
  <main>
    <h1>Flights</h1>
    <City />
    <Seat />
  </main>,
);
