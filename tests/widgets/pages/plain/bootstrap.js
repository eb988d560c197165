import "bootstrap/dist/css/bootstrap.css";
import { Toast, Tooltip } from "bootstrap";

document.getElementById("app").innerHTML = `
<main class="container py-3">
  <h1>Account</h1>
  <button class="btn btn-primary" data-bs-toggle="modal" data-bs-target="#profile">Edit profile</button>
  <button class="btn btn-secondary" data-bs-toggle="offcanvas" data-bs-target="#filters">Filters</button>
  <button class="btn btn-secondary" id="save">Save draft</button>
  <button class="btn btn-outline-secondary" id="info" data-bs-toggle="tooltip" title="Saved on this machine only">Why?</button>
  <span class="dropdown">
    <button class="btn btn-secondary dropdown-toggle" data-bs-toggle="dropdown">Actions</button>
    <ul class="dropdown-menu">
      <li><button class="dropdown-item">Rename</button></li>
      <li><button class="dropdown-item" id="archive">Archive</button></li>
    </ul>
  </span>
  <div class="accordion mt-3" id="questions">
    <div class="accordion-item">
      <h2 class="accordion-header"><button class="accordion-button collapsed" data-bs-toggle="collapse" data-bs-target="#a1">How do I pay?</button></h2>
      <div id="a1" class="accordion-collapse collapse" data-bs-parent="#questions"><div class="accordion-body">By card or by invoice, within thirty days.</div></div>
    </div>
    <div class="accordion-item">
      <h2 class="accordion-header"><button class="accordion-button collapsed" data-bs-toggle="collapse" data-bs-target="#a2">How do I cancel?</button></h2>
      <div id="a2" class="accordion-collapse collapse" data-bs-parent="#questions"><div class="accordion-body">Write to us a week before the month ends.</div></div>
    </div>
  </div>
  <ul class="nav nav-tabs mt-3" role="tablist">
    <li class="nav-item"><button class="nav-link active" role="tab" data-bs-toggle="tab" data-bs-target="#t1">Details</button></li>
    <li class="nav-item"><button class="nav-link" role="tab" data-bs-toggle="tab" data-bs-target="#t2">Billing</button></li>
  </ul>
  <div class="tab-content">
    <div class="tab-pane fade show active" id="t1" role="tabpanel">Member since spring.</div>
    <div class="tab-pane fade" id="t2" role="tabpanel">Next invoice on the first.</div>
  </div>
</main>
<div class="modal fade" id="profile" tabindex="-1"><div class="modal-dialog"><div class="modal-content">
  <div class="modal-header"><h2 class="modal-title fs-5">Your profile</h2><button class="btn-close" data-bs-dismiss="modal" aria-label="Close"></button></div>
  <div class="modal-body"><label>Display name <input class="form-control"></label></div>
  <div class="modal-footer"><button class="btn btn-secondary" data-bs-dismiss="modal">Cancel</button></div>
</div></div></div>
<div class="offcanvas offcanvas-start" id="filters" tabindex="-1">
  <div class="offcanvas-header"><h2 class="offcanvas-title fs-5">Filter the list</h2><button class="btn-close" data-bs-dismiss="offcanvas" aria-label="Close filters"></button></div>
  <div class="offcanvas-body"><label><input type="checkbox"> Only unread</label></div>
</div>
<div class="toast-container position-fixed bottom-0 end-0 p-3">
  <div class="toast" id="toast" data-bs-autohide="false"><div class="toast-header"><strong class="me-auto">Draft saved</strong><button class="btn-close" data-bs-dismiss="toast" aria-label="Dismiss"></button></div><div class="toast-body">You can go on later.</div></div>
</div>`;
new Tooltip(document.getElementById("info"), { delay: { show: 300, hide: 100 } });
document.getElementById("save").addEventListener("click", () => Toast.getOrCreateInstance("#toast").show());
document.getElementById("archive").addEventListener("click", (event) => {
  event.target.dataset.done = "yes";
});
