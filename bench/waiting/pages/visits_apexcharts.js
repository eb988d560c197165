// Visits of a site: charts of SVG, whose labels are texts, and which grow as they are drawn.
import ApexCharts from "apexcharts";

document.querySelector("#app").innerHTML = `
  <h1>Visits</h1>
  <button id="year">This year</button> <button id="week">This week</button>
  <p id="total">Reading…</p>
  <div id="bars" style="width: 640px"></div><div id="share" style="width: 320px"></div>`;

let bars, share;
async function show(range) {
  const visits = (await (await fetch("/visits.json?delay=300")).json())[range];
  if (bars) {
    bars.updateOptions({ series: [{ name: "Visits", data: visits.values }], xaxis: { categories: visits.names } });
    share.updateSeries(visits.share);
  } else {
    bars = new ApexCharts(document.querySelector("#bars"), {
      chart: { type: "bar", height: 260 }, series: [{ name: "Visits", data: visits.values }], xaxis: { categories: visits.names },
    });
    share = new ApexCharts(document.querySelector("#share"), {
      chart: { type: "donut" }, series: visits.share, labels: ["Search", "Direct", "Links"],
    });
    bars.render();
    share.render();
  }
  document.querySelector("#total").textContent = visits.total;
}
document.querySelector("#year").onclick = () => show("year");
document.querySelector("#week").onclick = () => show("week");
show("week");
