// A post in Markdown: a bar of tools, a preview, a row that counts and tells when it was saved.
import EasyMDE from "easymde";
import "easymde/dist/easymde.min.css";

document.querySelector("#app").innerHTML = `<h1>New post</h1><button id="insert">Insert the menu</button><textarea id="post"></textarea>`;

const editor = new EasyMDE({
  element: document.querySelector("#post"),
  autoDownloadFontAwesome: false,
  spellChecker: false,
  initialValue: "# Open again\n\nFrom Friday on we are **open** again.\n",
  autosave: { enabled: true, uniqueId: "post", delay: 1000, text: "Kept at " },
  toolbar: ["bold", "italic", "heading", "|", { name: "preview", action: EasyMDE.togglePreview, className: "preview no-disable", title: "Toggle preview", text: "Preview" }],
});
document.querySelector("#insert").onclick = () => editor.codemirror.replaceRange("\n- Soup of the day\n- Cake and cream\n", { line: 3, ch: 0 });
