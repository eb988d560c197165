// An editor of queries, whose rows are drawn for what is in sight, and whose results come from the server.
import ace from "ace-builds/src-noconflict/ace";
import "ace-builds/src-noconflict/mode-sql";
import "ace-builds/src-noconflict/theme-chrome";

document.querySelector("#app").innerHTML = `
  <h1>Queries</h1><button id="sample">Insert a sample</button> <button id="run">Run</button>
  <div id="editor" style="width: 640px; height: 200px"></div><p id="state">No result yet</p><table id="result"></table>`;

const editor = ace.edit("editor", { mode: "ace/mode/sql", theme: "ace/theme/chrome", value: "SELECT name FROM guests;\n", useWorker: false });
document.querySelector("#sample").onclick = () => {
  editor.navigateFileEnd();
  editor.insert("SELECT dish, price FROM menu\nWHERE price < 20\nORDER BY dish;\n");
};
document.querySelector("#run").onclick = async () => {
  const state = document.querySelector("#state");
  const began = performance.now();
  const all = setInterval(() => (state.textContent = `Running for ${((performance.now() - began) / 1000).toFixed(1)} s`), 100);
  const rows = await (await fetch("/menu.json?delay=900", { method: "POST", body: editor.getValue() })).json();
  clearInterval(all);
  state.textContent = `${rows.length} rows`;
  document.querySelector("#result").innerHTML = rows.map((row) => `<tr><td>${row.dish}</td><td>${row.price}</td></tr>`).join("");
};
