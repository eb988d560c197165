// A map of pictures that come slowly, with places, a flight to one of them, and a window that opens there.
import L from "leaflet";
import "leaflet/dist/leaflet.css";

document.querySelector("#app").innerHTML = `
  <h1>Harbours</h1><button id="fly">Show Porto</button>
  <p id="where"></p><div id="map" style="width: 700px; height: 420px"></div>`;

const map = L.map("map").setView([43.3, 5.4], 6);
L.tileLayer("/tile.png?z={z}&x={x}&y={y}&delay=700", { attribution: "Tiles of the harbour office" }).addTo(map);
L.control.scale().addTo(map);
const where = () => {
  const { lat, lng } = map.getCenter();
  document.querySelector("#where").textContent = `Zoom ${map.getZoom()}, ${lat.toFixed(1)} north, ${lng.toFixed(1)} east`;
};
map.on("zoomend moveend", where);
where();
const markers = new Map();
fetch("/places.json?delay=200").then((answer) => answer.json()).then((places) => {
  L.geoJSON(places, {
    onEachFeature: (place, layer) => {
      layer.bindPopup(`${place.properties.name}: ${place.properties.berths} berths`);
      markers.set(place.properties.name, layer);
    },
    pointToLayer: (_place, at) => L.circleMarker(at),
  }).addTo(map);
});
document.querySelector("#fly").onclick = () => {
  map.once("moveend", () => markers.get("Porto").openPopup());
  map.flyTo([41.1, -8.6], 8, { duration: 1 });
};
