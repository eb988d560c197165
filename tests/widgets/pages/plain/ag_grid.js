import { AllCommunityModule, createGrid, ModuleRegistry } from "ag-grid-community";

ModuleRegistry.registerModules([AllCommunityModule]);
document.getElementById("app").innerHTML = `<h1>Cars</h1><div id="grid" style="height: 320px; width: 760px"></div>`;
window.grid = createGrid(document.getElementById("grid"), {
  rowData: [
    { make: "Tesla", model: "Model Y", price: 64950 },
    { make: "Ford", model: "Fiesta", price: 33850 },
    { make: "Toyota", model: "Corolla", price: 29600 },
    { make: "Porsche", model: "Boxster", price: 72000 },
  ],
  columnDefs: [
    { field: "make", filter: true, floatingFilter: true },
    { field: "model", editable: true },
    { field: "price", sort: "asc" },
  ],
  rowSelection: { mode: "multiRow" },
});
