// Remembers which targets the page's scripts make listen for presses, where no tool of the browser tells it.

import { LISTENER_FOUND, LISTENER_QUESTION, LISTENING_QUESTION } from "./event_names.js";
import { callNative, nativeApply, nativeListen } from "./natives.js";
import { findPressedElements, PRESS_EVENTS } from "./pressed_elements.js";

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

export const recordListeners = () => {
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
