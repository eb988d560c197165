import "notyf/notyf.min.css";
import { Notyf } from "notyf";

document.getElementById("app").innerHTML = `
<h1>Contact</h1>
<form><label>Message <input id="message" name="message"></label> <button>Send</button></form>`;
const notyf = new Notyf({ duration: 0, dismissible: true, ripple: true });
document.querySelector("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const words = new FormData(event.target).get("message");
  if (words) notyf.success(`Sent: ${words}`);
  else notyf.error("Write something first");
});
