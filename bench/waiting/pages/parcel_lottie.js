// A drawing that moves by itself, and one that is played once and ends in a text.
import lottie from "lottie-web";

const square = (frames, to) => ({
  v: "5.7.0", fr: 30, ip: 0, op: frames, w: 120, h: 120, nm: "Square", ddd: 0, assets: [],
  layers: [{
    ddd: 0, ind: 1, ty: 4, nm: "Square", sr: 1, ip: 0, op: frames, st: 0, bm: 0,
    ks: {
      o: { a: 0, k: 100 }, p: { a: 0, k: [60, 60, 0] }, a: { a: 0, k: [0, 0, 0] }, s: { a: 0, k: [100, 100, 100] },
      r: { a: 1, k: [{ t: 0, s: [0], i: { x: [0.8], y: [0.8] }, o: { x: [0.2], y: [0.2] } }, { t: frames, s: [to] }] },
    },
    shapes: [{ ty: "gr", it: [
      { ty: "rc", d: 1, s: { a: 0, k: [60, 60] }, p: { a: 0, k: [0, 0] }, r: { a: 0, k: 4 } },
      { ty: "fl", c: { a: 0, k: [0.1, 0.5, 0.8, 1] }, o: { a: 0, k: 100 }, r: 1 },
      { ty: "tr", p: { a: 0, k: [0, 0] }, a: { a: 0, k: [0, 0] }, s: { a: 0, k: [100, 100] }, r: { a: 0, k: 0 }, o: { a: 0, k: 100 } },
    ] }],
  }],
});

document.querySelector("#app").innerHTML = `
  <h1>Parcel</h1><div id="waiting" style="width: 120px"></div><button id="send">Send it</button>
  <div id="sent" style="width: 120px"></div><p id="state">Packed</p>`;
lottie.loadAnimation({ container: document.querySelector("#waiting"), renderer: "svg", loop: true, autoplay: true, animationData: square(60, 360) });
const sent = lottie.loadAnimation({ container: document.querySelector("#sent"), renderer: "svg", loop: false, autoplay: false, animationData: square(30, 90) });
sent.addEventListener("complete", () => (document.querySelector("#state").textContent = "Sent to Porto"));
document.querySelector("#send").onclick = () => sent.goToAndPlay(0);
