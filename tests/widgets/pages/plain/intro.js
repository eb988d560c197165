import "intro.js/introjs.css";
import introJs from "intro.js";

document.getElementById("app").innerHTML = `
<h1>Editor</h1><div id="tools">Pen and ruler</div><div id="layers">Two layers</div><button id="start">First steps</button>`;
document.getElementById("start").addEventListener("click", () => {
  introJs()
    .setOptions({
      steps: [
        { element: "#tools", intro: "Draw with these." },
        { element: "#layers", intro: "Stack drawings here." },
      ],
    })
    .start();
});
