// Rows that are drawn in clusters, and a search in all of them.
import Clusterize from "clusterize.js";
import "clusterize.js/clusterize.css";

document.querySelector("#app").innerHTML = `
  <h1>Stock</h1><button id="few">Only tea</button><p id="count"></p>
  <div id="scroll" class="clusterize-scroll" style="width: 400px; max-height: 160px"><ul id="content" class="clusterize-content"></ul></div>`;

const goods = Array.from({ length: 4000 }, (_, number) => `${["Tea", "Salt", "Rice", "Soap"][number % 4]} in box ${number}`);
const rows = goods.map((text) => `<li style="height: 22px">${text}</li>`);
const list = new Clusterize({ rows, scrollId: "scroll", contentId: "content", rows_in_block: 8 });
const count = (some) => (document.querySelector("#count").textContent = `${some} kinds of goods`);
count(rows.length);
document.querySelector("#few").onclick = () => {
  const tea = rows.filter((_, number) => number % 4 === 0);
  setTimeout(() => {
    list.update(tea);
    count(tea.length);
  }, 250);
};
