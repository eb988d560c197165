// A page that presents a product: what it says comes in one after the other, and a wheel never stops.
import gsap from "gsap";
import { TextPlugin } from "gsap/TextPlugin";

gsap.registerPlugin(TextPlugin);
document.querySelector("#app").innerHTML = `
  <h1 class="in">A kettle that listens</h1><p class="in">It boils when you come home.</p><p class="in">It is quiet at night.</p>
  <button id="order">Order</button> <button id="more">How it works</button>
  <div id="wheel" style="width: 60px; height: 60px; background: #08c"></div>
  <div id="card" style="width: 300px; background: #eee">Your kettle</div><p id="state"></p>`;

gsap.from(".in", { opacity: 0, y: 40, duration: 0.6, stagger: 0.2 });
gsap.to("#wheel", { rotation: 360, duration: 3, repeat: -1, ease: "none" });
document.querySelector("#order").onclick = () =>
  gsap.timeline({ onComplete: () => (document.querySelector("#state").textContent = "It is on its way") })
    .to("#card", { x: 240, duration: 0.5 })
    .to("#card", { rotation: 10, duration: 0.3 })
    .to("#card", { opacity: 0, duration: 0.3 });
document.querySelector("#more").onclick = () =>
  gsap.to("#state", { duration: 1, text: "A microphone hears the door, and the water is warm in a minute.", ease: "none" });
