import "shepherd.js/dist/css/shepherd.css";
import Shepherd from "shepherd.js";

document.getElementById("app").innerHTML = `
<h1>Mail</h1><button id="write">Write</button><button id="search">Search mail</button><p><button id="help">Show me around</button></p>`;
const next = { text: "Next", action: () => tour.next() };
const tour = new Shepherd.Tour({ useModalOverlay: true, defaultStepOptions: { cancelIcon: { enabled: true } } });
tour.addStep({
  title: "Writing",
  text: "Begin a new message here.",
  attachTo: { element: "#write", on: "bottom" },
  buttons: [next],
});
tour.addStep({
  title: "Searching",
  text: "Find old messages here.",
  attachTo: { element: "#search", on: "bottom" },
  buttons: [
    { text: "Back", action: () => tour.back() },
    { text: "Finish", action: () => tour.complete() },
  ],
});
document.getElementById("help").addEventListener("click", () => tour.start());
