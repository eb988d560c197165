import MicroModal from "micromodal";

// The style sheet that its documentation recommends, as far as it animates.
document.getElementById("app").innerHTML = `
<style>
.modal { display: none } .modal.is-open { display: block }
.overlay { position: fixed; inset: 0; background: rgba(0, 0, 0, 0.6); display: flex; justify-content: center; align-items: center }
.container { background: #fff; padding: 30px; max-width: 500px }
@keyframes fade-in { from { opacity: 0 } to { opacity: 1 } }
@keyframes fade-out { from { opacity: 1 } to { opacity: 0 } }
@keyframes slide-in { from { transform: translateY(15%) } to { transform: translateY(0) } }
@keyframes slide-out { from { transform: translateY(0) } to { transform: translateY(-10%) } }
.modal[aria-hidden="false"] .overlay { animation: fade-in 0.3s cubic-bezier(0, 0, 0.2, 1) }
.modal[aria-hidden="false"] .container { animation: slide-in 0.3s cubic-bezier(0, 0, 0.2, 1) }
.modal[aria-hidden="true"] .overlay { animation: fade-out 0.3s cubic-bezier(0, 0, 0.2, 1) }
.modal[aria-hidden="true"] .container { animation: slide-out 0.3s cubic-bezier(0, 0, 0.2, 1) }
</style>
<h1>Newsletter</h1>
<p>Once a month, never more.</p>
<button data-micromodal-trigger="terms">Read the terms</button>
<div class="modal" id="terms" aria-hidden="true"><div class="overlay" tabindex="-1" data-micromodal-close>
  <div class="container" role="dialog" aria-modal="true" aria-labelledby="title">
    <h2 id="title">Terms</h2><p>We keep your address to ourselves.</p>
    <button data-micromodal-close>Agree</button>
  </div></div></div>`;
MicroModal.init({ awaitCloseAnimation: true });
