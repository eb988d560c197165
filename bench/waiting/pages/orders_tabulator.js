// A grid that asks for its pages, sorts by a click, and shows that it is loading.
import { TabulatorFull as Tabulator } from "tabulator-tables";
import "tabulator-tables/dist/css/tabulator.min.css";

document.querySelector("#app").innerHTML = `<h1>Orders</h1><div id="grid" style="width: 640px"></div>`;

new Tabulator("#grid", {
  ajaxURL: "/orders.json?delay=400",
  ajaxResponse: (_address, params, pages) => ({ last_page: pages.length, data: pages[params.page - 1] }),
  pagination: true,
  paginationMode: "remote",
  paginationSize: 8,
  layout: "fitColumns",
  columns: [{ title: "Number", field: "id" }, { title: "Guest", field: "guest" }, { title: "Sum", field: "sum" }],
});
