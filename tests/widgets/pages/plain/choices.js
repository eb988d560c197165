import "choices.js/public/assets/styles/choices.css";
import Choices from "choices.js";

document.getElementById("app").innerHTML = `
<h1>Pizza</h1>
<label for="size">Size</label>
<select id="size"><option>Small</option><option>Regular</option><option>Family</option></select>
<label for="toppings">Toppings</label>
<select id="toppings" multiple><option>Basil</option><option>Olives</option><option>Mushrooms</option></select>
<p>All of them are baked in a wood oven.</p>`;
new Choices("#size", { allowHTML: false, itemSelectText: "", shouldSort: false });
new Choices("#toppings", { allowHTML: false, itemSelectText: "", removeItemButton: true });
