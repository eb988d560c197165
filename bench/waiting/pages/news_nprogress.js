// A site whose pages come by requests, under a bar at the top that creeps on.
import axios from "axios";
import NProgress from "nprogress";
import "nprogress/nprogress.css";

document.querySelector("#app").innerHTML = `<nav><a href="/world">World</a> <a href="/sport">Sport</a> <button id="world">Open World</button></nav><main></main>`;

axios.interceptors.request.use((config) => (NProgress.start(), config));
axios.interceptors.response.use((answer) => (NProgress.done(), answer));
async function open(name) {
  const { data } = await axios.get(`/articles.json?section=${name}&delay=700`);
  document.querySelector("main").innerHTML = data[name].map((text) => `<h2>${text}</h2>`).join("");
}
document.querySelector("#world").onclick = () => open("world");
open("home");
