// Finds the elements that have listeners for presses since the last look, in the page's own world. Frameworks that listen
// once for a whole part of the page keep the handlers of its elements as properties of these (React, Solid, Svelte) or as
// selectors (jQuery).

/**
 * What a look needs: the listeners of a target by kind, the elements that were found before, and the name of the event
 * that takes an element to rove's script.
 * @typedef {{ listeners: (target: any) => Record<string, unknown>, known: WeakSet<Element>, event: string }} ListenerProbe
 */

const NATIVE_PRESSED = /^(?:html|a|button|input|select|textarea|option|summary|label|iframe|script|style|br)$/;
const PRESS_EVENT_NAMES = "click|mousedown|pointerdown|mouseup|pointerup|dblclick|touchstart|contextmenu";
export const PRESS_EVENTS = PRESS_EVENT_NAMES.split("|");
const SOLID_HANDLER = new RegExp("^(?:__|[$]{2})(?:" + PRESS_EVENT_NAMES + ")$");
const REACT_HANDLER = new RegExp("^on(?:" + PRESS_EVENT_NAMES + "|doubleclick)(?:capture)?$", "i");
// An element that listens for so many kinds of events does so for a framework.
const MANY_KINDS = 30;

/** @param {any} object @param {(name: string) => boolean} isName */
const hasHandler = (object, isName) =>
  Object.keys(object).some((name) => isName(name) && typeof object[name] === "function");

// jQuery: the selectors that an element listens for. Null where it also listens for itself.
/** @param {any} data @returns {string[] | null} */
const delegatedSelectors = (data) => {
  const events = Object(data.events);
  const handlers = PRESS_EVENTS.flatMap((kind) => events[kind] || []);
  return handlers.length && handlers.every((each) => each.selector) ? handlers.map((each) => each.selector) : null;
};

// Svelte keeps handlers by kind under a symbol, Solid one in a property for each kind, React all in the properties.
/** @param {string | symbol} key @param {any} value */
const handlesPresses = (key, value) => {
  if (typeof key === "symbol") return hasHandler(value, (name) => PRESS_EVENTS.includes(name));
  if (SOLID_HANDLER.test(key)) return Object.keys(value).length > 0 || typeof value === "function";
  return /^__react(?:Props|EventHandlers)[$]/.test(key) && hasHandler(value, (name) => REACT_HANDLER.test(name));
};

/** @param {ListenerProbe} probe @param {number} maxElements @param {number} maxListeners */
export const findPressedElements = (probe, maxElements, maxListeners) => {
  let found = 0;
  /** @param {Element} element */
  const add = (element) => {
    if (found >= maxListeners || NATIVE_PRESSED.test(element.localName) || probe.known.has(element)) return;
    probe.known.add(element);
    element.dispatchEvent(new Event(probe.event, { composed: true }));
    found += 1;
  };
  /** @param {any} target */
  const readProperties = (target) => {
    let role = "";
    for (const key of Reflect.ownKeys(target)) {
      const value = Object(Object.getOwnPropertyDescriptor(target, key)?.value);
      if (handlesPresses(key, value)) return "handles";
      const selectors = String(key).startsWith("jQuery") ? delegatedSelectors(value) : null;
      if (selectors) {
        for (const selector of selectors) for (const element of target.querySelectorAll(selector)) add(element);
        role = "delegates";
      }
    }
    return role;
  };
  /** @param {any} target */
  const isPressed = (target) => {
    const kinds = probe.listeners(target);
    return PRESS_EVENTS.some((kind) => kinds[kind]) && Object.keys(kinds).length < MANY_KINDS;
  };
  let left = maxElements;
  /** @param {Document | ShadowRoot} root */
  const scan = (root) => {
    const all = root.querySelectorAll("*");
    for (let index = 0; index < all.length && left > 0; index += 1, left -= 1) {
      const element = all[index];
      const role = readProperties(element);
      const isOwn = role === "" && !NATIVE_PRESSED.test(element.localName) && isPressed(element);
      if (role === "handles" || isOwn) add(element);
      if (element.shadowRoot) scan(element.shadowRoot);
    }
  };
  const page = [window, document, document.documentElement].filter(Boolean);
  if (document.body && page.some((target) => readProperties(target) === "" && isPressed(target))) add(document.body);
  scan(document);
  return found;
};
