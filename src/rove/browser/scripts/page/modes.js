// Modes that a page can enter and a person leaves with the Escape key: fullscreen and pointer lock.

import { tellDriver } from "./reports.js";

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
