// Runs among the page's own scripts, ahead of them: what a page copies by itself after a press goes to the session's
// clipboard (clipboard.js), as the browser's own is shared by all. To the page the function is the browser's.
(() => {
  const { apply } = Reflect, { resolve } = Promise, Native = Promise, Copying = CustomEvent;
  const dispatch = EventTarget.prototype.dispatchEvent;
  const native = globalThis.Clipboard?.prototype.writeText;
  if (!native) return;
  Clipboard.prototype.writeText = new Proxy(native, {
    apply(target, self, given) {
      if (self !== navigator.clipboard || !given.length) return apply(target, self, given);
      const copying = new Copying("clipboardwrite", { detail: `${given[0]}`, cancelable: true });
      // Taken by whoever may; if nobody does, the browser refuses in its own words.
      const isTaken = !apply(dispatch, document, [copying]);
      return isTaken ? apply(resolve, Native, []) : apply(target, self, given);
    },
  });
})();
