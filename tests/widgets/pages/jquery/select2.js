import "select2/dist/css/select2.css";
import "./jquery.js";
import select2 from "select2";

const $ = window.jQuery;
if (typeof select2 === "function") select2(window, $);
$("#app").html(`
<h1>Order tea</h1>
<label for="tea">Tea</label> <select id="tea" style="width: 240px"><option>Assam</option><option>Darjeeling</option><option>Oolong</option></select>
<label for="extras">Extras</label> <select id="extras" multiple style="width: 300px"><option>Milk</option><option>Lemon</option><option>Honey</option></select>
<p>Served in a pot.</p>`);
$("#tea").select2();
$("#extras").select2();
