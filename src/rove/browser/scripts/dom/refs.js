// Refs: a number belongs to one element for as long as the element lives, and is never given to another.

import { isConnected } from "./natives.js";

const refNumbers = new WeakMap();
const refElements = new Map();
export let nextRefNumber = 1;

// Removing dead entries now and then is far cheaper than a finalizer per element.
let sweepAt = 5000;

const sweepRefs = () => {
  for (const [number, held] of refElements) if (held.deref() === undefined) refElements.delete(number);
  sweepAt = Math.max(5000, refElements.size * 2);
};

/** @param {Element} element */
export const refNumber = (element) => {
  let number = refNumbers.get(element);
  if (number === undefined) {
    number = nextRefNumber++;
    refNumbers.set(element, number);
    refElements.set(number, new WeakRef(element));
    if (refElements.size > sweepAt) sweepRefs();
  }
  return number;
};

// Refs below this number belong to earlier documents of the same frame.
/** @param {number} number */
export const startRefs = (number) => {
  nextRefNumber = Math.max(nextRefNumber, number);
  return nextRefNumber;
};

// Calls a function for the driver, and answers with the next free number too, so that no later document gives a number
// that this one has given.
/** @param {number} first @param {(...rest: any[]) => any} work @param {any[]} rest */
export const callNumbered = (first, work, rest) => {
  startRefs(first);
  const value = work(...rest);
  return value instanceof Promise
    ? value.then((settled) => ({ value: settled, next: nextRefNumber }))
    : { value, next: nextRefNumber };
};

/** @param {string} ref */
export const elementOfRef = (ref) => {
  const match = /^(?:f\d+)?e(\d+)$/.exec(String(ref));
  const held = match && refElements.get(Number(match[1]));
  const element = held && held.deref();
  return element && isConnected(element) ? element : null;
};
