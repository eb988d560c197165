// A score that is counted up, bars that grow one after the other, and a shape that goes to and fro.
import { animate, stagger } from "animejs";

document.querySelector("#app").innerHTML = `
  <h1>Score</h1><p>Points: <b id="points">0</b></p>
  <ul>${["Ann", "Ben", "Cem"].map((name) => `<li class="bar" style="background: #cde; width: 260px">${name}</li>`).join("")}</ul>
  <button id="next">Next round</button><p id="state"></p><i id="shape" style="display: block; width: 30px; height: 30px; background: #c60"></i>`;

animate("#shape", { x: 300, duration: 900, loop: true, alternate: true });
animate(".bar", { opacity: [0, 1], x: [-60, 0], duration: 500, delay: stagger(120) });
const count = (from, to) => {
  const points = { now: from };
  return animate(points, { now: to, duration: 900, onUpdate: () => (document.querySelector("#points").textContent = Math.round(points.now)) });
};
count(0, 420);
document.querySelector("#next").onclick = () =>
  count(420, 610).then(() => (document.querySelector("#state").textContent = "Round 2 goes to Ben"));
