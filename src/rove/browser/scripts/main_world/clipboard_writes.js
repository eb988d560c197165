// Takes text that a page copies by itself after a press to the session's clipboard (page/clipboard.js), as the browser's
// own clipboard is shared by all sessions. To the page the function looks like the browser's own.

import { CLIPBOARD_WRITE } from "./event_names.js";
import { callNative, NativeCustomEvent, NativePromise, nativeApply, nativeDispatch } from "./natives.js";

const nativeResolve = Promise.resolve;

export const takeClipboardWrites = () => {
  const native = globalThis.Clipboard?.prototype.writeText;
  if (!native) return;
  Clipboard.prototype.writeText = new Proxy(native, {
    apply(target, self, given) {
      if (self !== navigator.clipboard || !given.length) return callNative(target, self, given);
      const write = new NativeCustomEvent(CLIPBOARD_WRITE, { detail: `${given[0]}`, cancelable: true });
      // Where the isolated world does not take the text, the browser refuses in its own words.
      const isTaken = !nativeApply(nativeDispatch, document, [write]);
      return isTaken ? nativeApply(nativeResolve, NativePromise, []) : callNative(target, self, given);
    },
  });
};
