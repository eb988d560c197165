// The elements of this frame that an audit has named, by a number of their own: only those that are told get a ref.

import { isConnected } from "../dom/natives.js";

// The script of every snapshot, which has the refs.
const refScript = /** @type {any} */ (globalThis.rove);
/** @type {Element[]} */
let audited = [];
/** @type {Map<Element, number>} */
let indexes = new Map();

/** @param {Element} element */
export const indexOf = (element) => {
  let index = indexes.get(element);
  if (index === undefined) {
    index = audited.push(element) - 1;
    indexes.set(element, index);
  }
  return index;
};

/** @param {string} ref @returns {Element | null} */
export const elementBehind = (ref) => refScript.element(ref);

/** @param {Element | null} element @returns {string} */
export const frameRef = (element) => (element ? refScript.ref(element) : "");

// Returns the ref of each element and its line, as a snapshot has it; null for one that has left the page.
/** @param {number[]} wanted */
export const toldElements = (wanted) =>
  wanted.map((index) => {
    const element = audited[index];
    if (!element || !isConnected(element)) return null;
    const { ref, line } = refScript.describe(element);
    return { ref, line };
  });

export const dropAudited = () => {
  audited = [];
  indexes = new Map();
};
