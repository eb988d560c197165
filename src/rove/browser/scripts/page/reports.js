// Reports to the driver: by its bindings or, where it has none, by the console of this world, which the page cannot see.

// Tells the worlds of two frames apart.
const reportingWorld = Math.random().toString(36).slice(2);

/** @type {((binding: "roveTell" | "roveCopied", message: string) => void) | null} */
let reportListener = null;

// Has reports go to a function, where the driver has no binding and the page would see the console.
/** @param {(binding: "roveTell" | "roveCopied", message: string) => void} listener */
export const reportTo = (listener) => {
  reportListener = listener;
};

/** @param {"roveTell" | "roveCopied"} binding @param {string} message */
export const tellDriver = (binding, message) => {
  if (reportListener) {
    reportListener(binding, message);
    return;
  }
  const send = globalThis[binding];
  if (send) send(message);
  else console.debug(`${NONCE} ${reportingWorld} ${binding} ${message}`);
};
