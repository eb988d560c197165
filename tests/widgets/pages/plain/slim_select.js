import "slim-select/styles";
import SlimSelect from "slim-select";

document.getElementById("app").innerHTML = `
<h1>Plan a walk</h1>
<label for="start">Start</label>
<select id="start"><option>Harbour</option><option>Market</option><option>Old mill</option></select>
<label for="stops">Stops</label>
<select id="stops" multiple><option>Bridge</option><option>Chapel</option><option>Lighthouse</option></select>
<button type="button">Walk</button>`;
new SlimSelect({ select: "#start" });
new SlimSelect({ select: "#stops", settings: { closeOnSelect: false } });
