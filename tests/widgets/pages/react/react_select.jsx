import { createRoot } from "react-dom/client";
import Select from "react-select";
import AsyncSelect from "react-select/async";
import CreatableSelect from "react-select/creatable";

const options = (...names) => names.map((name) => ({ value: name, label: name }));
const COLOURS = options("Ocean", "Purple", "Red", "Orange", "Yellow");
// Answers as a server would, after a while.
const search = (words) =>
  new Promise((resolve) =>
    setTimeout(() => resolve(options("Heron", "Hawk", "Robin").filter((each) => each.label.includes(words))), 350),
  );

createRoot(document.getElementById("app")).render(
  <main>
    <h1>Paint</h1>
    <label htmlFor="colour">Colour</label>
    <Select inputId="colour" name="colour" options={COLOURS} isClearable />
    <label htmlFor="mix">Mix</label>
    <Select inputId="mix" name="mix" options={COLOURS} isMulti closeMenuOnSelect={false} />
    <label htmlFor="bird">Bird</label>
    <AsyncSelect inputId="bird" name="bird" loadOptions={search} />
    <label htmlFor="brush">Brush</label>
    <CreatableSelect inputId="brush" name="brush" options={options("Flat", "Round")} />
  </main>,
);
