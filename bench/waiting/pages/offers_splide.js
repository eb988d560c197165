// Offers that change every two seconds by a fade.
import Splide from "@splidejs/splide";
import "@splidejs/splide/css";

const offers = ["Bicycles for a day", "Boats for an hour", "Tents for a week"];
document.querySelector("#app").innerHTML = `
  <h1>Offers</h1><section class="splide" aria-label="Offers" style="width: 600px"><div class="splide__track"><ul class="splide__list">
  ${offers.map((name) => `<li class="splide__slide"><h2 style="padding: 0 80px">${name}</h2></li>`).join("")}</ul></div></section>`;

new Splide(".splide", { type: "fade", rewind: true, autoplay: true, interval: 2000, speed: 400, pauseOnHover: false, pauseOnFocus: false }).mount();
