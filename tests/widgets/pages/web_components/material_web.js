import "@material/web/all.js";

document.getElementById("app").innerHTML = `
<main>
<h1>Alarm</h1>
<md-filled-button id="new">New alarm</md-filled-button>
<md-dialog><div slot="headline">Set an alarm</div><div slot="content">It rings for a minute.</div><div slot="actions"><md-text-button id="close">Dismiss</md-text-button></div></md-dialog>
<span style="position: relative"><md-outlined-button id="sounds">Sounds</md-outlined-button>
<md-menu anchor="sounds"><md-menu-item><div slot="headline">Bell</div></md-menu-item><md-menu-item><div slot="headline">Rain</div></md-menu-item></md-menu></span>
<md-tabs><md-primary-tab id="week">Weekdays</md-primary-tab><md-primary-tab id="end">Weekend</md-primary-tab></md-tabs><p id="panel">Rings at seven.</p>
<md-outlined-select label="Snooze"><md-select-option value="5" selected><div slot="headline">Five minutes</div></md-select-option><md-select-option value="10"><div slot="headline">Ten minutes</div></md-select-option><md-select-option value="15"><div slot="headline">Fifteen minutes</div></md-select-option></md-outlined-select>
<label><md-switch aria-label="Vibrate"></md-switch> Vibrate</label>
<md-filled-text-field label="Name of the alarm"></md-filled-text-field>
</main>`;
const one = (selector) => document.querySelector(selector);
one("#new").addEventListener("click", () => one("md-dialog").show());
one("#close").addEventListener("click", () => one("md-dialog").close());
one("#sounds").addEventListener("click", () => {
  one("md-menu").open = !one("md-menu").open;
});
one("md-tabs").addEventListener("change", (event) => {
  one("#panel").textContent = event.target.activeTabIndex ? "Rings at nine." : "Rings at seven.";
});
