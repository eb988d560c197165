import "vanillajs-datepicker/css/datepicker.css";
import { Datepicker, DateRangePicker } from "vanillajs-datepicker";

document.getElementById("app").innerHTML = `
<h1>Vaccination</h1>
<label>Day <input id="day" value="2031-05-10"></label>
<p id="span"><label>From <input id="from" value="2031-05-10"></label> <label>to <input id="to" value="2031-05-12"></label></p>`;
new Datepicker(document.getElementById("day"), {
  format: "yyyy-mm-dd",
  autohide: true,
  minDate: "2031-05-01",
  maxDate: "2031-08-31",
});
new DateRangePicker(document.getElementById("span"), { format: "yyyy-mm-dd", autohide: true });
