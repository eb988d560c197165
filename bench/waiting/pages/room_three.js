// A room drawn by WebGL with each frame; the camera goes somewhere else, and then it is said where it is.
import * as THREE from "three";

document.querySelector("#app").innerHTML = `<h1>Room</h1><button id="window">Go to the window</button><p id="state">At the door</p><div id="room"></div>`;

const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(60, 4 / 3, 0.1, 50);
camera.position.z = 4;
const cube = new THREE.Mesh(new THREE.BoxGeometry(), new THREE.MeshNormalMaterial());
scene.add(cube);
const renderer = new THREE.WebGLRenderer();
renderer.setSize(400, 300);
document.querySelector("#room").append(renderer.domElement);
let goal = camera.position.x;
renderer.setAnimationLoop(() => {
  cube.rotation.y += 0.02;
  if (camera.position.x < goal) {
    camera.position.x = Math.min(goal, camera.position.x + 0.05);
    if (camera.position.x === goal) document.querySelector("#state").textContent = "At the window";
  }
  renderer.render(scene, camera);
});
document.querySelector("#window").onclick = () => (goal = 2);
