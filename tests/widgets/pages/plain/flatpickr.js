import "flatpickr/dist/flatpickr.css";
import flatpickr from "flatpickr";

document.getElementById("app").innerHTML = `
<h1>Book a room</h1>
<p><label>Arrival <input id="arrival"></label></p>
<p><label>Stay <input id="stay"></label></p>
<p><label>Wake-up call <input id="call"></label></p>
<p>Breakfast is from seven to ten.</p>`;
const shared = { defaultDate: "2031-05-10", dateFormat: "Y-m-d" };
flatpickr("#arrival", shared);
flatpickr("#stay", { mode: "range", defaultDate: ["2031-05-10", "2031-05-12"], dateFormat: "Y-m-d" });
flatpickr("#call", { enableTime: true, noCalendar: true, dateFormat: "H:i", time_24hr: true, defaultDate: "07:30" });
