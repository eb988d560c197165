// An editor of settings that are checked a while after they are changed.
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { linter, lintGutter, openLintPanel } from "@codemirror/lint";
import { basicSetup, EditorView } from "codemirror";

document.querySelector("#app").innerHTML = `
  <h1>Settings</h1><button id="add">Add a setting</button> <button id="break">Paste a broken line</button>
  <div id="editor"></div><p id="state">Saved</p>`;

let saving;
const editor = new EditorView({
  parent: document.querySelector("#editor"),
  doc: '{\n  "name": "kitchen",\n  "tables": 12,\n  "open": true\n}',
  extensions: [
    basicSetup,
    json(),
    linter(jsonParseLinter()),
    lintGutter(),
    EditorView.contentAttributes.of({ "aria-label": "Settings" }),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      document.querySelector("#state").textContent = "Not saved";
      clearTimeout(saving);
      saving = setTimeout(async () => {
        await fetch("/save?delay=200", { method: "POST", body: editor.state.doc.toString() });
        document.querySelector("#state").textContent = "Saved";
      }, 500);
    }),
  ],
});
const insert = (text) => {
  editor.dispatch({ changes: { from: editor.state.doc.line(2).to, insert: text } });
  editor.focus();
};
document.querySelector("#add").onclick = () => insert('\n  "garden": false,');
document.querySelector("#break").onclick = () => {
  openLintPanel(editor);
  insert('\n  "garden" false,');
};
