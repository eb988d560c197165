import "nice-select2/dist/css/nice-select2.css";
import { bind } from "nice-select2";

document.getElementById("app").innerHTML = `
<h1>Rent a boat</h1>
<label for="boat">Boat</label>
<select id="boat"><option>Canoe</option><option>Dinghy</option><option>Raft</option></select>
<p>All of them float.</p>`;
bind(document.getElementById("boat"));
