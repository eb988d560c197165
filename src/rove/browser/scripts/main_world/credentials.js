// Refuses passkeys. They need a person's finger, and a browser without a person would wait for it for good. The page gets
// the error of a person who declines; to the page the functions look like the browser's own.

import { callNative, NativePromise, nativeApply } from "./natives.js";

const nativeReject = Promise.reject;
const NativeDOMException = DOMException;

/** @param {"create" | "get"} name */
const refusePasskeysIn = (name) => {
  const native = globalThis.CredentialsContainer?.prototype[name];
  if (!native) return;
  CredentialsContainer.prototype[name] = new Proxy(native, {
    apply(target, self, given) {
      if (!given[0]?.publicKey) return callNative(target, self, given);
      const refusal = new NativeDOMException("The operation either timed out or was not allowed.", "NotAllowedError");
      return nativeApply(nativeReject, NativePromise, [refusal]);
    },
  });
};

export const refusePasskeys = () => {
  refusePasskeysIn("create");
  refusePasskeysIn("get");
};
