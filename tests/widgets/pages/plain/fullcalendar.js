import "fullcalendar/skeleton.css";
import "fullcalendar/themes/classic/theme.css";
import "fullcalendar/themes/classic/palette.css";
import { Calendar } from "fullcalendar";
import dayGrid from "fullcalendar/daygrid";
import interaction from "fullcalendar/interaction";
import list from "fullcalendar/list";
import classicTheme from "fullcalendar/themes/classic";

document.getElementById("app").innerHTML =
  `<h1>Diary</h1><p id="clicked">Nothing was opened</p><div id="calendar" style="width: 800px"></div>`;
const calendar = new Calendar(document.getElementById("calendar"), {
  plugins: [dayGrid, interaction, list, classicTheme],
  initialView: "dayGridMonth",
  initialDate: "2031-05-10",
  editable: true,
  headerToolbar: { left: "prev,next", center: "title", right: "dayGridMonth,listMonth" },
  events: [
    { title: "Choir practice", start: "2031-05-13" },
    { title: "Visit aunt", start: "2031-05-21" },
    { title: "Regatta", start: "2031-06-05" },
  ],
  eventClick: ({ event }) => {
    document.getElementById("clicked").textContent = `Opened ${event.title}`;
  },
});
calendar.render();
window.calendar = calendar;
