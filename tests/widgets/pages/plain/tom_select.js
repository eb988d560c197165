import "tom-select/dist/css/tom-select.css";
import TomSelect from "tom-select";

document.getElementById("app").innerHTML = `
<h1>Assign the task</h1>
<label for="person">Person</label>
<select id="person"><option value="">Nobody yet</option><option>Ada Byron</option><option>Alan Turing</option><option>Grace Hopper</option></select>
<label for="labels">Labels</label>
<input id="labels" value="urgent">
<label for="project">Project</label>
<input id="project">`;
new TomSelect("#person", { maxOptions: 10 });
new TomSelect("#labels", { create: true, plugins: ["remove_button"] });
// Asks a server after the typing has paused, as a search box does.
new TomSelect("#project", {
  valueField: "name",
  labelField: "name",
  searchField: "name",
  loadThrottle: 300,
  load: (words, found) => {
    fetch(`/projects?like=${encodeURIComponent(words)}`)
      .then((response) => response.json())
      .then(found);
  },
});
