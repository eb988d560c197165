import "nouislider/dist/nouislider.css";
import noUiSlider from "nouislider";

document.getElementById("app").innerHTML = `
<h1>Price</h1><div id="slider" style="margin: 40px; width: 400px"></div><p id="range"></p>`;
const slider = noUiSlider.create(document.getElementById("slider"), {
  start: [200, 600],
  connect: true,
  step: 50,
  range: { min: 0, max: 1000 },
  handleAttributes: [{ "aria-label": "Lowest" }, { "aria-label": "Highest" }],
});
slider.on("update", ([low, high]) => {
  document.getElementById("range").textContent = `From ${Math.round(low)} to ${Math.round(high)}`;
});
window.slider = slider;
