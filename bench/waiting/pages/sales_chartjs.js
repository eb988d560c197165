// A dashboard: a chart on a canvas, tiles, a table, a clock in the head.
import Chart from "chart.js/auto";
import { format } from "date-fns";

document.querySelector("#app").innerHTML = `
  <header><h1>Sales</h1><time id="clock"></time></header>
  <nav><button data-days="7">Last 7 days</button> <button data-days="30">Last 30 days</button></nav>
  <section id="tiles"></section>
  <div style="width: 600px; height: 260px"><canvas id="chart" role="img" aria-label="Revenue by day"></canvas></div>
  <table><thead><tr><th>Day</th><th>Orders</th><th>Revenue</th></tr></thead><tbody id="rows"></tbody></table>`;

const clock = document.querySelector("#clock");
const tick = () => (clock.textContent = format(new Date(), "HH:mm:ss"));
tick();
setInterval(tick, 1000);

let chart;
async function show(days) {
  const answer = await fetch(`/figures.json?days=${days}&delay=350`);
  const figures = (await answer.json())[days];
  document.querySelector("#tiles").innerHTML = `<p>Orders: ${figures.orders}</p><p>Revenue: ${figures.revenue}</p>`;
  document.querySelector("#rows").innerHTML = figures.days
    .map((day) => `<tr><td>${day.name}</td><td>${day.orders}</td><td>${day.revenue}</td></tr>`)
    .join("");
  const data = { labels: figures.days.map((day) => day.name), datasets: [{ label: "Revenue", data: figures.days.map((day) => day.revenue) }] };
  if (chart) {
    chart.data = data;
    chart.update();
  } else chart = new Chart("chart", { type: "bar", data, options: { maintainAspectRatio: false } });
}
document.querySelector("nav").onclick = (event) => event.target.dataset.days && show(event.target.dataset.days);
show("7");
