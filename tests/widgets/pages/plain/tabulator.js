import "tabulator-tables/dist/css/tabulator.css";
import { TabulatorFull as Tabulator } from "tabulator-tables";

document.getElementById("app").innerHTML = `<h1>Stock</h1><div id="grid"></div><p id="edited">Nothing was edited</p>`;
const data = [
  { id: 1, name: "Lamp", colour: "red", count: 12, done: true },
  { id: 2, name: "Chair", colour: "blue", count: 4, done: false },
  { id: 3, name: "Desk", colour: "green", count: 7, done: false },
];
const grid = new Tabulator("#grid", {
  data,
  layout: "fitColumns",
  selectableRows: true,
  columns: [
    { title: "Product", field: "name", headerFilter: "input" },
    { title: "Colour", field: "colour", editor: "input" },
    { title: "Count", field: "count", sorter: "number" },
    {
      title: "Counted",
      field: "done",
      formatter: "tickCross",
      cellClick: (_, cell) => cell.setValue(!cell.getValue()),
    },
  ],
});
grid.on("cellEdited", (cell) => {
  document.getElementById("edited").textContent = `${cell.getField()} is now ${cell.getValue()}`;
});
window.grid = grid;
