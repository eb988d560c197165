// A spreadsheet with formulas.
import jspreadsheet from "jspreadsheet-ce";
import "jspreadsheet-ce/dist/jspreadsheet.css";
import "jsuites/dist/jsuites.css";

document.querySelector("#app").innerHTML = `<h1>Budget</h1><button id="set">Enter the rent</button> <button id="row">Add a row</button><div id="sheet"></div><p id="state"></p>`;

const [sheet] = jspreadsheet(document.querySelector("#sheet"), {
  worksheets: [{
    data: [["Rent", "0"], ["Food", "310"], ["Books", "45"], ["In all", "=SUM(B1:B3)"]],
    columns: [{ title: "What", width: 160 }, { title: "Euros", width: 120 }],
    minDimensions: [2, 4],
  }],
  onchange: () => (document.querySelector("#state").textContent = "Changed"),
});
document.querySelector("#set").onclick = () => sheet.setValue("B1", "640");
document.querySelector("#row").onclick = () => sheet.insertRow(["Bicycle", "90"], 3);
