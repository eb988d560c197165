// The load of servers: a line and a gauge on canvases, and figures that are counted up.
import { CountUp } from "countup.js";
import * as echarts from "echarts";

document.querySelector("#app").innerHTML = `
  <h1>Servers</h1>
  <button id="refresh">Refresh</button> <button id="live">Live</button>
  <dl><dt>Requests today</dt><dd id="requests"></dd><dt>Errors today</dt><dd id="errors"></dd></dl>
  <p id="state">Figures of noon</p>
  <div id="line" style="width: 600px; height: 240px"></div>
  <div id="gauge" style="width: 300px; height: 240px"></div>`;

const line = echarts.init(document.querySelector("#line"));
const gauge = echarts.init(document.querySelector("#gauge"));
const draw = (figures) => {
  line.setOption({ xAxis: { data: figures.hours.map((_, hour) => hour) }, yAxis: {}, series: [{ type: "line", data: figures.hours }] });
  gauge.setOption({ series: [{ type: "gauge", detail: { valueAnimation: true }, data: [{ value: figures.load }] }] });
};
const read = async () => (await fetch("/load.json?delay=250")).json();
read().then((all) => {
  draw(all.noon);
  new CountUp("requests", all.noon.requests).start();
  new CountUp("errors", all.noon.errors).start();
});
document.querySelector("#refresh").onclick = async () => {
  const { evening } = await read();
  draw(evening);
  new CountUp("requests", evening.requests, { startVal: 18240 }).start(() => {
    document.querySelector("#state").textContent = "Figures of the evening";
  });
};
let open = 12;
document.querySelector("#live").onclick = () => {
  const look = () => {
    document.querySelector("#state").textContent = `Open connections: ${++open}`;
    gauge.setOption({ series: [{ data: [{ value: 30 + (open % 40) }] }] });
  };
  look();
  setInterval(look, 1000);
};
