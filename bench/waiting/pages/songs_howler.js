// A list of songs, played by Web Audio; the time is drawn with each frame.
import { Howl } from "howler";

document.querySelector("#app").innerHTML = `
  <h1>Songs</h1><ol><li>Sea</li><li>Stones</li></ol><button id="play">Play the first</button> <button id="stop">Stop it</button>
  <p id="time">0:00.0</p><p id="state"></p><div id="bar" style="height: 4px; background: #08c; width: 0"></div>`;

const state = document.querySelector("#state");
const step = () => {
  const at = sound.seek();
  document.querySelector("#time").textContent = `0:${at.toFixed(1).padStart(4, "0")}`;
  document.querySelector("#bar").style.width = `${at * 80}px`;
  if (sound.playing()) requestAnimationFrame(step);
};
const sound = new Howl({
  src: ["/sound.wav?delay=300"],
  onload: () => (state.textContent = "Ready to play"),
  onplay: () => {
    state.textContent = "Playing Sea";
    requestAnimationFrame(step);
  },
  onstop: () => (state.textContent = "Silence"),
});
document.querySelector("#play").onclick = () => sound.play();
document.querySelector("#stop").onclick = () => sound.stop();
