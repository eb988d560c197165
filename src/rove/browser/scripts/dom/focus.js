// The focused element, also inside shadow trees.

import { FRAMES } from "./elements.js";
import { activeElementOf, matchesSelector } from "./natives.js";
import { shadowOf } from "./shadow_roots.js";

export const deepActiveElement = () => {
  let active = activeElementOf(document);
  while (active) {
    const shadow = shadowOf(active);
    const inner = shadow && shadow.activeElement;
    if (!inner) return active;
    active = inner;
  }
  return null;
};

/** @type {Element | null} */
export let activeElement = null;

export const findActiveElement = () => {
  activeElement = deepActiveElement();
};

// A page is treated as focused whichever window is, also where the browser knows only one active window. Of a frame, the
// browser alone tells whether the page has the focus in it.
const canHaveFocus = () => window === window.top || Document.prototype.hasFocus.call(document);

// The focused element, if it is in this document and not in a frame of it.
export const focusHere = () => {
  const element = canHaveFocus() ? deepActiveElement() : null;
  return element && !matchesSelector(element, FRAMES) ? element : null;
};
