// Shadow roots of elements, including closed ones that the driver has handed in.

import { openShadowOf } from "./natives.js";

// Scripts cannot see closed shadow roots; the driver finds them over the DevTools protocol and hands them in.
const adoptedShadows = new WeakMap();
let shadowsAreAdopted = false;
// False for as long as all elements are known to be in the document's own tree.
export let shadowsWereMet = false;

/** @param {Element} element */
export const shadowOf = (element) => {
  const shadow = openShadowOf(element) || (shadowsAreAdopted && adoptedShadows.get(element)) || null;
  if (shadow !== null) shadowsWereMet = true;
  return shadow;
};

/** @param {Element} host @param {ShadowRoot} root */
export const adoptShadowRoot = (host, root) => {
  adoptedShadows.set(host, root);
  shadowsAreAdopted = true;
};

export const noteShadow = () => {
  shadowsWereMet = true;
};
