import "datatables.net-dt/css/dataTables.dataTables.css";
import DataTable from "datatables.net-dt";

const people = [
  "Airi Satou",
  "Angelica Ramos",
  "Ashton Cox",
  "Bradley Greer",
  "Brenden Wagner",
  "Brielle Williamson",
  "Bruno Nash",
  "Caesar Vance",
  "Cara Stevens",
  "Cedric Kelly",
  "Charde Marshall",
  "Colleen Hurst",
];
const rows = people.map(
  (name, index) =>
    `<tr><td>${name}</td><td>${["Tokyo", "London", "Paris"][index % 3]}</td><td>${20 + ((index * 7) % 40)}</td></tr>`,
);
document.getElementById("app").innerHTML = `
<h1>People</h1>
<table id="people"><thead><tr><th>Name</th><th>Office</th><th>Age</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
window.table = new DataTable("#people", { pageLength: 5, lengthMenu: [5, 10] });
