import "swiper/swiper-bundle.css";
import Swiper from "swiper/bundle";

document.getElementById("app").innerHTML = `
<h1>Rooms</h1>
<div class="swiper" style="width: 500px"><div class="swiper-wrapper">
  <div class="swiper-slide"><h2>Garden room</h2><p>Opens to the lawn.</p></div>
  <div class="swiper-slide"><h2>Tower room</h2><p>Forty steps up.</p></div>
  <div class="swiper-slide"><h2>Boat house</h2><p>Sleeps four.</p></div>
</div>
<button class="swiper-button-prev"></button><button class="swiper-button-next"></button><div class="swiper-pagination"></div></div>`;
window.swiper = new Swiper(".swiper", {
  navigation: { nextEl: ".swiper-button-next", prevEl: ".swiper-button-prev" },
  pagination: { el: ".swiper-pagination", clickable: true },
  speed: 400,
});
