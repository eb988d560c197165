// A long page whose parts come into view as it is scrolled, under a headline that is typed, erased and typed again.
import AOS from "aos";
import "aos/dist/aos.css";
import Typed from "typed.js";

document.querySelector("#app").innerHTML = `
  <h1>We make <span id="what"></span></h1><button id="down">Our story</button>
  ${["1987: a garage", "1999: a factory", "2024: a museum"].map((text, number) =>
    `<section data-aos="fade-up" data-aos-duration="600" ${number ? "" : 'id="story"'} style="margin-top: 700px"><h2>${text}</h2></section>`).join("")}`;

AOS.init();
new Typed("#what", { strings: ["kettles", "teapots", "friends"], typeSpeed: 60, backSpeed: 30, backDelay: 900, loop: true });
document.querySelector("#down").onclick = () => document.querySelector("#story").scrollIntoView({ behavior: "smooth", block: "center" });
