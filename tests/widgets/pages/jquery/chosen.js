import "chosen-js/chosen.css";
import "./jquery.js";
import "chosen-js";

const $ = window.jQuery;
$("#app").html(`
<h1>Adopt a pet</h1>
<label for="pet">Pet</label> <select id="pet" style="width: 240px"><option>Cat</option><option>Dog</option><option>Goldfish</option></select>
<label for="habits">Habits</label> <select id="habits" multiple style="width: 300px"><option selected>Calm</option><option>Noisy</option><option>Playful</option></select>
<p>They all need a home.</p>`);
$("#pet, #habits").chosen();
