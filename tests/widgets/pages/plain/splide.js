import "@splidejs/splide/css";
import Splide from "@splidejs/splide";

document.getElementById("app").innerHTML = `
<h1>Tours</h1>
<section class="splide" aria-label="Tours" style="width: 500px"><div class="splide__track"><ul class="splide__list">
  <li class="splide__slide"><p>Harbour by boat</p></li>
  <li class="splide__slide"><p>Old town on foot</p></li>
  <li class="splide__slide"><p>Hills by bicycle</p></li>
</ul></div></section>`;
window.splide = new Splide(".splide", { speed: 500 }).mount();
