import "toastify-js/src/toastify.css";
import Toastify from "toastify-js";

document.getElementById("app").innerHTML = `
<h1>Playlist</h1><button id="add">Add song</button><button id="skip">Skip song</button><p>Now playing: Blue in Green</p>`;
document.getElementById("add").addEventListener("click", () => {
  Toastify({ text: "Song was added", duration: -1, close: true, gravity: "bottom" }).showToast();
});
document.getElementById("skip").addEventListener("click", () => {
  Toastify({ text: "Song was skipped", duration: 2500, position: "left" }).showToast();
});
