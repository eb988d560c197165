// Shadow roots of elements, including closed ones that the driver has handed in.

import { hostOf, isConnected, openShadowOf } from "./natives.js";

// Scripts cannot see closed shadow roots; the driver finds them over the DevTools protocol and hands them in.
const adoptedShadows = new WeakMap();
let shadowsAreAdopted = false;
// False for as long as all elements are known to be in the document's own tree.
export let shadowsWereMet = false;

// The roots that were met, as neither observers nor lists of animations look into them by themselves.
/** @type {Set<ShadowRoot>} */
const metRoots = new Set();

/** @param {Element} element */
export const shadowOf = (element) => {
  const shadow = openShadowOf(element) || (shadowsAreAdopted && adoptedShadows.get(element)) || null;
  if (shadow !== null) {
    shadowsWereMet = true;
    metRoots.add(shadow);
  }
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

// The shadow roots of the document that a walk of it has met so far.
export const knownShadowRoots = () => {
  for (const root of metRoots) if (!isConnected(hostOf(root))) metRoots.delete(root);
  return metRoots;
};
