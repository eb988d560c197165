// The entry of what a page's main world needs besides in browsers that tell of no listeners and refuse no permission.

import { LISTENER_FOUND, LISTENER_QUESTION, LISTENING_QUESTION } from "./main_world/event_names.js";
import { callNative, nativeApply, nativeListen } from "./main_world/natives.js";
import { findPressedElements, PRESS_EVENTS } from "./main_world/pressed_elements.js";

// Remembers which targets the page's scripts make listen for presses, where no tool of the browser tells it.

const MAX_LOOKED_AT = 3000;
const MAX_REPORTED_LISTENERS = 3000;
const mapGet = WeakMap.prototype.get;
const mapSet = WeakMap.prototype.set;
/** @type {WeakMap<object, Record<string, number>>} */
const recorded = new WeakMap();

/** @param {any} target */
const listenersOf = (target) => {
  /** @type {Record<string, unknown>} */
  const kinds = { __proto__: null, ...(nativeApply(mapGet, recorded, [target]) || {}) };
  for (const kind of PRESS_EVENTS) if (typeof target[`on${kind}`] === "function") kinds[kind] = 1;
  return kinds;
};

/** @param {"addEventListener" | "removeEventListener"} name @param {number} change */
const recordCalls = (name, change) => {
  EventTarget.prototype[name] = new Proxy(EventTarget.prototype[name], {
    apply(target, self, given) {
      const result = callNative(target, self, given);
      const kind = given[0];
      if (typeof kind === "string" && given[1]) {
        const key = self ?? globalThis;
        const kinds = nativeApply(mapGet, recorded, [key]) || { __proto__: null };
        kinds[kind] = (kinds[kind] || 0) + change;
        if (kinds[kind] <= 0) delete kinds[kind];
        nativeApply(mapSet, recorded, [key, kinds]);
      }
      return result;
    },
  });
};

const recordListeners = () => {
  recordCalls("addEventListener", 1);
  recordCalls("removeEventListener", -1);
  const probe = { listeners: listenersOf, known: new WeakSet(), event: LISTENER_FOUND };
  const look = () => findPressedElements(probe, MAX_LOOKED_AT, MAX_REPORTED_LISTENERS);
  // Whether an element, or one around it, listens: the answer is that the event was cancelled.
  /** @param {Event} event */
  const answer = (event) => {
    if (event.composedPath().some((target) => PRESS_EVENTS.some((kind) => listenersOf(target)[kind])))
      event.preventDefault();
  };
  nativeApply(nativeListen, globalThis, [LISTENER_QUESTION, look, true]);
  nativeApply(nativeListen, globalThis, [LISTENING_QUESTION, answer, true]);
};

// Pages do not read the clipboard, where the browser would ask a person at its window for each reading and wait.

const deniedReading = () => Promise.reject(new DOMException("Read permission denied.", "NotAllowedError"));

const refuseClipboardReads = () => {
  /** @type {any} */
  const clipboard = globalThis.Clipboard?.prototype;
  for (const name of ["read", "readText"]) {
    if (clipboard?.[name]) clipboard[name] = new Proxy(clipboard[name], { apply: deniedReading });
  }
  Document.prototype.execCommand = new Proxy(Document.prototype.execCommand, {
    apply: (target, self, given) => !/^paste$/i.test(given[0]) && nativeApply(target, self, given),
  });
};

recordListeners();
refuseClipboardReads();
