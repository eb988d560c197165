import "driver.js/dist/driver.css";
import { driver } from "driver.js";

document.getElementById("app").innerHTML = `
<h1>Dashboard</h1>
<nav id="menu"><a href="#home">Home</a> <a href="#reports">Reports</a></nav>
<p id="total">Total sales: 1,240</p>
<button id="start">Take the tour</button>`;
document.getElementById("start").addEventListener("click", () => {
  driver({
    showProgress: true,
    steps: [
      { element: "#menu", popover: { title: "The menu", description: "Go from page to page here." } },
      { element: "#total", popover: { title: "The total", description: "Updated every hour." } },
    ],
  }).drive();
});
