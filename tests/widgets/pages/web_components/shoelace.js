import "@shoelace-style/shoelace/dist/themes/light.css";
import "@shoelace-style/shoelace";

document.getElementById("app").innerHTML = `
<main>
<h1>Recipes</h1>
<sl-button id="new">New recipe</sl-button>
<sl-dialog label="A new recipe"><p>What shall we cook?</p><sl-input label="Dish"></sl-input><sl-button slot="footer" id="cancel">Not today</sl-button></sl-dialog>
<sl-button id="list">Shopping list</sl-button>
<sl-drawer label="To buy"><p>Eggs, flour and butter.</p></sl-drawer>
<sl-details summary="How long does it take?">About forty minutes.</sl-details>
<sl-tab-group><sl-tab slot="nav" panel="a">Sweet</sl-tab><sl-tab slot="nav" panel="b">Savoury</sl-tab>
<sl-tab-panel name="a">Apple cake</sl-tab-panel><sl-tab-panel name="b">Onion tart</sl-tab-panel></sl-tab-group>
<sl-dropdown><sl-button slot="trigger" caret>Share</sl-button><sl-menu><sl-menu-item>By mail</sl-menu-item><sl-menu-item>As a link</sl-menu-item></sl-menu></sl-dropdown>
<sl-select label="Servings" value="2"><sl-option value="2">For two</sl-option><sl-option value="4">For four</sl-option><sl-option value="6">For six</sl-option></sl-select>
<sl-tooltip content="Needs an oven"><sl-button>Bake</sl-button></sl-tooltip>
<sl-switch>Vegetarian</sl-switch>
<sl-button id="save">Save</sl-button>
<sl-alert id="saved" variant="success" closable>Your recipe was saved.</sl-alert>
</main>`;
const at = (id, run) => document.getElementById(id).addEventListener("click", run);
const one = (selector) => document.querySelector(selector);
at("new", () => one("sl-dialog").show());
at("cancel", () => one("sl-dialog").hide());
at("list", () => one("sl-drawer").show());
at("save", () => one("sl-alert").toast());
