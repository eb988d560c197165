// The numbers of elements in aria snapshots: they begin at 1 in each document, and an element gets another number when
// its role or its name changes. An old number still means the same element.

import { isConnected } from "../dom/natives.js";

/** @type {WeakMap<Element, { role: string, name: string, number: number }>} */
const ariaNumbers = new WeakMap();
/** @type {Map<number, WeakRef<Element>>} */
const ariaElements = new Map();
let lastAriaNumber = 0;

// Removing dead entries now and then is far cheaper than a finalizer per element.
let ariaSweepAt = 5000;

const sweepAriaElements = () => {
  for (const [number, held] of ariaElements) if (held.deref() === undefined) ariaElements.delete(number);
  ariaSweepAt = Math.max(5000, ariaElements.size * 2);
};

/** @param {Element} element @param {string} role @param {string} name */
export const ariaNumberOf = (element, role, name) => {
  const known = ariaNumbers.get(element);
  if (known && known.role === role && known.name === name) return known.number;
  lastAriaNumber += 1;
  ariaNumbers.set(element, { role, name, number: lastAriaNumber });
  ariaElements.set(lastAriaNumber, new WeakRef(element));
  if (ariaElements.size > ariaSweepAt) sweepAriaElements();
  return lastAriaNumber;
};

/** @param {number} number */
export const elementOfAriaNumber = (number) => {
  const held = ariaElements.get(number);
  const element = held && held.deref();
  return element && isConnected(element) ? element : null;
};
