// What the driver is told without asking: reports, and the modes of a page.

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

// Modes that a page can enter and a person leaves with the Escape key: fullscreen and pointer lock.

export const leaveModes = async () => {
  const had = document.fullscreenElement !== null || document.pointerLockElement !== null;
  if (document.pointerLockElement) document.exitPointerLock();
  if (document.fullscreenElement) await document.exitFullscreen();
  return had;
};

export const releasePointer = () => {
  if (!document.pointerLockElement) return Promise.resolve(false);
  const released = new Promise((resolve) => {
    document.addEventListener("pointerlockchange", () => resolve(true), { once: true });
  });
  document.exitPointerLock();
  return released;
};

const reportPointerLock = () => tellDriver("roveTell", document.pointerLockElement ? "pointer held" : "pointer free");

const reportPrinting = () => tellDriver("roveTell", "print");

export const listenForModes = () => {
  document.addEventListener("pointerlockchange", reportPointerLock, { capture: true });
  // A headless browser prints nothing; the driver is told that the page wanted to.
  addEventListener("beforeprint", reportPrinting, { capture: true });
};
