// Refs: a number belongs to one element for as long as the element lives. It is given to another only if that is the
// same thing, drawn again.

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

// When refs were given: a number, and the time at which it was the next. Kept for the last moments only.
/** @type {[number: number, time: number][]} */
let refMoments = [];
const REF_MOMENT_MS = 20;
const MAX_REF_MOMENTS = 50;

/** @param {number} number */
const noteMoment = (number) => {
  const now = performance.now();
  const last = refMoments.at(-1);
  if (last && now - last[1] < REF_MOMENT_MS) return;
  refMoments.push([number, now]);
  if (refMoments.length > MAX_REF_MOMENTS) refMoments = refMoments.slice(-MAX_REF_MOMENTS / 2);
};

// Milliseconds since rove first saw an element, which may have been on the page before; infinite if that is long ago.
/** @param {Element} element */
export const msSinceFirstSeen = (element) => {
  const number = refNumber(element);
  const moment = refMoments.findLast(([first]) => first <= number);
  return moment ? performance.now() - moment[1] : Infinity;
};

/** @param {Element} element */
export const refNumber = (element) => {
  let number = refNumbers.get(element);
  if (number === undefined) {
    number = nextRefNumber++;
    refNumbers.set(element, number);
    refElements.set(number, new WeakRef(element));
    noteMoment(number);
    if (refElements.size > sweepAt) sweepRefs();
  }
  return number;
};

// Numbers from this one on were given in the pass that is under way: no answer has told them yet.
let firstFreshNumber = 1;

export const startFreshRefs = () => {
  firstFreshNumber = nextRefNumber;
};

export const hasFreshRefs = () => nextRefNumber !== firstFreshNumber;

/** @param {number} number */
export const isFreshRef = (number) => number >= firstFreshNumber;

// Gives the number of an element that has left the document to the element that was drawn in its place. Should the old
// one come back, it gets a number of its own. Returns the number that the new element had, and the one that it has.
/** @param {Element} gone @param {Element} drawn @returns {[number, number] | null} */
export const handOverRef = (gone, drawn) => {
  const number = refNumbers.get(gone);
  const given = refNumbers.get(drawn);
  if (number === undefined || isConnected(gone) || (given !== undefined && !isFreshRef(given))) return null;
  refNumbers.delete(gone);
  refElements.delete(given);
  refNumbers.set(drawn, number);
  refElements.set(number, new WeakRef(drawn));
  return given === undefined ? null : [given, number];
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
