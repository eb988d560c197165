// A map of OpenLayers, drawn on a canvas: tiles, a layer of GeoJSON, a scale, and a box over a place after a flight.
import GeoJSON from "ol/format/GeoJSON.js";
import ScaleLine from "ol/control/ScaleLine.js";
import TileLayer from "ol/layer/Tile.js";
import VectorLayer from "ol/layer/Vector.js";
import OlMap from "ol/Map.js";
import "ol/ol.css";
import Overlay from "ol/Overlay.js";
import { fromLonLat } from "ol/proj.js";
import VectorSource from "ol/source/Vector.js";
import XYZ from "ol/source/XYZ.js";
import View from "ol/View.js";

document.querySelector("#app").innerHTML = `
  <h1>Road works</h1><button id="fly">Next road works</button>
  <div id="map" style="width: 700px; height: 420px"></div><div id="box" style="background: #fff; padding: 4px"></div>`;

const view = new View({ center: fromLonLat([5.4, 43.3]), zoom: 6 });
const map = new OlMap({
  target: "map",
  view,
  layers: [
    new TileLayer({ source: new XYZ({ url: "/tile.png?z={z}&x={x}&y={y}&delay=500", attributions: "Tiles of the road office" }) }),
    new VectorLayer({ source: new VectorSource({ url: "/places.json?delay=200", format: new GeoJSON({ featureProjection: "EPSG:3857" }) }) }),
  ],
});
map.addControl(new ScaleLine());
const box = new Overlay({ element: document.querySelector("#box") });
map.addOverlay(box);
document.querySelector("#fly").onclick = () => {
  const there = fromLonLat([-8.6, 41.1]);
  view.animate({ center: there, zoom: 9, duration: 900 }, () => {
    document.querySelector("#box").textContent = "Bridge closed until Friday";
    box.setPosition(there);
  });
};
