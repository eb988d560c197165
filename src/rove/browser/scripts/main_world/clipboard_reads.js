// Pages do not read the clipboard, where the browser would ask a person at its window for each reading and wait.

import { nativeApply } from "./natives.js";

const deniedReading = () => Promise.reject(new DOMException("Read permission denied.", "NotAllowedError"));

export const refuseClipboardReads = () => {
  /** @type {any} */
  const clipboard = globalThis.Clipboard?.prototype;
  for (const name of ["read", "readText"]) {
    if (clipboard?.[name]) clipboard[name] = new Proxy(clipboard[name], { apply: deniedReading });
  }
  Document.prototype.execCommand = new Proxy(Document.prototype.execCommand, {
    apply: (target, self, given) => !/^paste$/i.test(given[0]) && nativeApply(target, self, given),
  });
};
