// What a page may have taken hold of, and a person gets back with the Escape key: the screen, the pointer.

const leaveModes = async () => {
  const had = document.fullscreenElement !== null || document.pointerLockElement !== null;
  if (document.pointerLockElement) document.exitPointerLock();
  if (document.fullscreenElement) await document.exitFullscreen();
  return had;
};

const releasePointer = () => {
  if (!document.pointerLockElement) return Promise.resolve(false);
  const released = new Promise((resolve) => {
    document.addEventListener("pointerlockchange", () => resolve(true), { once: true });
  });
  document.exitPointerLock();
  return released;
};

const tellOfPointer = () => globalThis.roveTell?.(document.pointerLockElement ? "pointer held" : "pointer free");
document.addEventListener("pointerlockchange", tellOfPointer, { capture: true });

// In a browser without a window nothing is printed; whoever drives it is told that the page asked.
addEventListener("beforeprint", () => globalThis.roveTell?.("print"), { capture: true });

Object.assign(globalThis.rove, { leaveModes, releasePointer });
