import Sortable from "sortablejs";

document.getElementById("app").innerHTML = `
<style>li { padding: 10px; border: 1px solid #999; width: 240px; list-style: none }</style>
<h1>Chores</h1>
<ol id="chores"><li>Water plants</li><li>Wash dishes</li><li>Feed the cat</li><li>Take out trash</li></ol>
<h2>Done</h2>
<ol id="done"><li>Sweep floor</li></ol>`;
const shared = { group: "chores", animation: 200 };
Sortable.create(document.getElementById("chores"), shared);
Sortable.create(document.getElementById("done"), shared);
window.order = (id) => [...document.getElementById(id).children].map((each) => each.textContent).join();
