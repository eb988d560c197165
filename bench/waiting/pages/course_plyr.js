// A short sound of a course that plays to its end, and then shows what comes next.
import Plyr from "plyr";
import "plyr/dist/plyr.css";

document.querySelector("#app").innerHTML = `
  <h1>Lesson 3</h1><audio id="player" src="/short.wav"></audio><p id="next"></p>`;

const player = new Plyr("#player", { controls: ["play", "progress", "current-time", "duration", "mute"], loadSprite: false });
player.on("ended", () => (document.querySelector("#next").textContent = "Next: lesson 4"));
