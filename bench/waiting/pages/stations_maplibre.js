// A map drawn by WebGL, from a style of our own: a background and points; a flight ends in a popup.
import { Map as MapLibre, NavigationControl, Popup, setWorkerUrl } from "maplibre-gl";
import "maplibre-gl/dist/maplibre-gl.css";

document.querySelector("#app").innerHTML = `
  <h1>Stations</h1><button id="fly">Fly to Porto</button><p id="state">Drawing the map</p>
  <div id="map" style="width: 600px; height: 360px"></div>`;

setWorkerUrl(`${location.origin}/maplibre-gl-worker.mjs`);
const map = new MapLibre({
  container: "map",
  center: [5.4, 43.3],
  zoom: 5,
  style: {
    version: 8,
    sources: { places: { type: "geojson", data: `${location.origin}/places.json?delay=200` } },
    layers: [
      { id: "land", type: "background", paint: { "background-color": "#eef" } },
      { id: "places", type: "circle", source: "places", paint: { "circle-radius": 6 } },
    ],
  },
});
map.addControl(new NavigationControl());
map.on("load", () => (document.querySelector("#state").textContent = "The map is drawn"));
document.querySelector("#fly").onclick = () => {
  map.once("moveend", () => new Popup().setLngLat([-8.6, 41.1]).setText("Campanhã: 8 platforms").addTo(map));
  map.flyTo({ center: [-8.6, 41.1], zoom: 8, duration: 1200 });
};
