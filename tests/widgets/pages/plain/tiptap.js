import { Editor } from "@tiptap/core";
import StarterKit from "@tiptap/starter-kit";

document.getElementById("app").innerHTML = `
<h1>Notes</h1>
<div role="toolbar"><button id="bold">Bold</button><button id="list">Bullets</button><button id="undo">Undo</button></div>
<div id="editor" style="border: 1px solid; padding: 8px"></div>
<p id="count"></p>`;
const count = (editor) => {
  document.getElementById("count").textContent = `${editor.getText().length} characters`;
};
const editor = new Editor({
  element: document.getElementById("editor"),
  extensions: [StarterKit],
  content: "<p>Milk</p>",
  onCreate: (event) => count(event.editor),
  onUpdate: (event) => count(event.editor),
  editorProps: { attributes: { "aria-label": "Note" } },
});
const at = (id, run) => document.getElementById(id).addEventListener("click", () => run(editor.chain().focus()).run());
at("bold", (chain) => chain.toggleBold());
at("list", (chain) => chain.toggleBulletList());
at("undo", (chain) => chain.undo());
window.editor = editor;
