import "quill/dist/quill.snow.css";
import Quill from "quill";

document.getElementById("app").innerHTML = `
<h1>Write a letter</h1>
<div id="editor"><p>Dear reader,</p></div>
<button id="clear">Start again</button>`;
const quill = new Quill("#editor", { theme: "snow", placeholder: "Begin here" });
window.quill = quill;
document.getElementById("clear").addEventListener("click", () => quill.setText(""));
