import "bootstrap/dist/css/bootstrap.css";
import "bootstrap-select/dist/css/bootstrap-select.css";
import "./jquery.js";
import * as bootstrap from "bootstrap";

window.bootstrap = bootstrap;
const $ = window.jQuery;
$("#app").html(`
<h1>Book a train</h1>
<label for="class">Class</label> <select id="class"><option>First</option><option>Second</option><option>Sleeper</option></select>
<label for="meals">Meals</label> <select id="meals" multiple><option>Breakfast</option><option>Lunch</option><option>Supper</option></select>
<p>Seats are kept for an hour.</p>`);
// Its script looks for the global names above.
require("bootstrap-select");
$("#class, #meals").selectpicker();
