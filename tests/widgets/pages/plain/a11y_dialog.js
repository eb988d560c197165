import A11yDialog from "a11y-dialog";

document.getElementById("app").innerHTML = `
<style>
.dialog, .shade { position: fixed; inset: 0 } .dialog { z-index: 2; display: flex } .shade { background: rgba(43, 46, 56, 0.9) }
.dialog[aria-hidden="true"] { display: none }
@keyframes fade-in { from { opacity: 0 } } @keyframes slide-up { from { transform: translateY(10%) } }
.shade, .body { animation: fade-in 200ms both } .body { animation: fade-in 400ms 200ms both, slide-up 400ms 200ms both }
.body { margin: auto; background: #fff; padding: 20px; position: relative; z-index: 2 }
</style>
<h1>Subscription</h1><p>Renews in June.</p>
<button data-a11y-dialog-show="stop">End subscription</button>
<div id="stop" class="dialog" aria-hidden="true" aria-labelledby="asked">
  <div class="shade" data-a11y-dialog-hide></div>
  <div class="body" role="document"><h2 id="asked">End it now?</h2><p>The rest of the month is refunded.</p>
    <button data-a11y-dialog-hide>Keep it</button></div>
</div>`;
window.dialog = new A11yDialog(document.getElementById("stop"));
