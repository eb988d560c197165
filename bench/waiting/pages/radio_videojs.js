// A player of sound with its controls and the time it tells.
import videojs from "video.js";
import "video.js/dist/video-js.css";

document.querySelector("#app").innerHTML = `
  <h1>Radio</h1><audio id="player" class="video-js" controls preload="auto" width="640"></audio><p id="state">Not started</p>`;

const player = videojs("player", { audioOnlyMode: true, controlBar: { currentTimeDisplay: true, timeDivider: true, durationDisplay: true } });
player.src({ src: "/sound.wav?seconds=8", type: "audio/wav" });
const state = document.querySelector("#state");
player.on("playing", () => (state.textContent = "Playing the news"));
player.on("pause", () => (state.textContent = "Stopped"));
