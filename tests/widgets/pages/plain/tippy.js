import "tippy.js/dist/tippy.css";
import "tippy.js/animations/scale.css";
import tippy from "tippy.js";

document.getElementById("app").innerHTML = `
<h1>Toolbar</h1>
<button id="cut">Cut</button><button id="share">Share</button><button id="more">More</button>
<p>Select some text first.</p>`;
tippy("#cut", { content: "Removes what is selected", delay: [200, 100] });
tippy("#share", {
  content: "<button>Copy address</button> <button>Send by mail</button>",
  allowHTML: true,
  interactive: true,
  trigger: "click",
  animation: "scale",
});
tippy("#more", {
  content: "<b>Print</b><br><button>Print page</button>",
  allowHTML: true,
  interactive: true,
  delay: [500, 300],
  duration: [300, 300],
});
