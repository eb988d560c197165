// The numbers of list items.

import { attr, hasAttr } from "../dom/attributes.js";
import { isTag } from "../dom/elements.js";
import { firstElementOf, nextElementOf, parentNodeOf } from "../dom/natives.js";

// Per list, the numbers of its items: they follow from each other.
/** @type {WeakMap<Node, Map<Element, number>>} */
let ordinals = new WeakMap();

export const resetOrdinals = () => {
  ordinals = new WeakMap();
};

/** @param {Element} list */
const itemsOf = (list) => {
  const items = [];
  for (let item = firstElementOf(list); item; item = nextElementOf(item))
    if (isTag(item, "li") && getComputedStyle(item).display !== "none") items.push(item);
  return items;
};

/** @param {Element} element @param {string} name @param {number} otherwise */
const wholeNumber = (element, name, otherwise) => {
  const value = parseInt(attr(element, name) || "", 10);
  return Number.isNaN(value) ? otherwise : value;
};

/** @param {Element} list */
const numberItems = (list) => {
  const items = itemsOf(list);
  const step = hasAttr(list, "reversed") ? -1 : 1;
  const numbers = new Map();
  let next = wholeNumber(list, "start", step < 0 ? items.length : 1);
  for (const item of items) {
    const number = wholeNumber(item, "value", next);
    numbers.set(item, number);
    next = number + step;
  }
  return numbers;
};

/** @param {Element} item @returns {number} */
export const ordinalOf = (item) => {
  const list = parentNodeOf(item);
  if (!(list instanceof Element)) return 1;
  let numbers = ordinals.get(list);
  if (!numbers) {
    numbers = numberItems(list);
    ordinals.set(list, numbers);
  }
  return numbers.get(item) ?? 1;
};

// Whether the items are not simply numbered from one on.
/** @param {Element} item */
export const isNumberedOtherwise = (item) => {
  const list = parentNodeOf(item);
  if (!(list instanceof Element)) return false;
  if (hasAttr(list, "start") || hasAttr(list, "reversed") || hasAttr(item, "value")) return true;
  return Element.prototype.querySelector.call(list, ":scope > li[value]") !== null;
};
