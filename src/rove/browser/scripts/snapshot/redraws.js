// Elements that a page has drawn again. An element keeps its ref across a redraw if it is beyond doubt the same thing:
// its predecessor has left the document, it stands in the same place, and everything that tells it from others (text,
// links, ids, handlers, data) is the same. In doubt it gets a new ref, as an old ref must not come to mean another thing.

import { FRAMES } from "../dom/elements.js";
import {
  attributeNames,
  childrenOf,
  firstChildOf,
  hostOf,
  isConnected,
  isElement,
  isText,
  localNameOf,
  matchesSelector,
  nativeGetAttribute,
  nextSiblingOf,
  outerHtmlOf,
  parentNodeOf,
  queryAll,
  textContentOf,
  textDataOf,
} from "../dom/natives.js";
import { handOverRef, hasFreshRefs, isFreshRef } from "../dom/refs.js";
import { squash } from "../dom/text.js";
import { shadowOf, shadowsWereMet } from "../dom/tree.js";

/** @typedef {{ gone: Set<Element>, drawn: Set<Element> }} Redraw Children of one element: those that left, those drawn. */

// What the last pass saw: its rows, and the parents of all elements with refs, which leave the document without them.
/** @type {Row[]} */
let rowsThen = [];
/** @type {Map<Element, Element>} */
let parentsThen = new Map();
let addressThen = "";

/** @param {Element} element @returns {Element | null} */
const parentOrHost = (element) => {
  const parent = parentNodeOf(element);
  if (!parent) return null;
  if (isElement(parent)) return parent;
  return parent instanceof ShadowRoot ? hostOf(parent) : null;
};

/** @param {Row[]} rows */
const rememberRows = (rows) => {
  rowsThen = rows;
  addressThen = location.href;
  parentsThen = new Map();
  for (const row of rows) {
    let element = row.ref ? row.element : undefined;
    while (element && !parentsThen.has(element)) {
      const parent = parentOrHost(element);
      if (!parent) break;
      parentsThen.set(element, parent);
      element = parent;
    }
  }
};

// Called with the rows of a whole page before they are sent.
/** @param {Row[]} rows */
export const keepRefsOfRedrawn = (rows) => {
  if (hasFreshRefs() && location.href === addressThen) {
    const redraws = findRedraws(rows);
    if (redraws.size) keepRefs(rows, redraws);
  }
  rememberRows(rows);
};

/** @param {Row[]} rows @param {Map<Element, Redraw>} redraws */
const keepRefs = (rows, redraws) => {
  goneRows = rowsByElement(rowsThen);
  drawnRows = rowsByElement(rows);
  keptNumbers = new Map();
  const certain = isRestUnchanged(rows, redraws);
  for (const { gone, drawn } of redraws.values()) if (drawn.size) matchElements([...gone], [...drawn], certain);
  for (const row of rows) row.ref = keptNumbers.get(row.ref) || row.ref;
  goneRows = drawnRows = new Map();
};

// The kept number in place of each new one, which the rows have.
/** @type {Map<number, number>} */
let keptNumbers = new Map();
/** @type {Map<Element, Row>} */
let goneRows = new Map();
/** @type {Map<Element, Row>} */
let drawnRows = new Map();

/** @param {Row[]} rows @returns {Map<Element, Row>} */
const rowsByElement = (rows) => {
  const found = new Map();
  for (const row of rows) if (row.element) found.set(row.element, row);
  return found;
};

// By the element that stayed: its children that left with refs, and its children that came with refs.
/** @param {Row[]} rows */
const findRedraws = (rows) => {
  /** @type {Map<Element, Redraw>} */
  const redraws = new Map();
  const visited = new Set();
  for (const row of rowsThen) {
    let element = row.ref && row.element && !isConnected(row.element) ? row.element : undefined;
    while (element && !visited.has(element)) {
      visited.add(element);
      const parent = parentsThen.get(element);
      if (parent && isConnected(parent)) redrawIn(redraws, parent).gone.add(element);
      element = parent && !isConnected(parent) ? parent : undefined;
    }
  }
  if (redraws.size)
    for (const row of rows) if (row.ref && row.element && isFreshRef(row.ref)) noteDrawn(redraws, row.element, visited);
  return redraws;
};

/** @param {Map<Element, Redraw>} redraws @param {Element} parent */
const redrawIn = (redraws, parent) => {
  const known = redraws.get(parent);
  if (known) return known;
  const redraw = { gone: new Set(), drawn: new Set() };
  redraws.set(parent, redraw);
  return redraw;
};

/** @param {Map<Element, Redraw>} redraws @param {Element} drawn @param {Set<Element>} visited */
const noteDrawn = (redraws, drawn, visited) => {
  for (let element = /** @type {Element | null} */ (drawn); element && !visited.has(element); ) {
    visited.add(element);
    const parent = parentOrHost(element);
    const redraw = parent && redraws.get(parent);
    if (redraw && !parentsThen.has(element)) {
      redraw.drawn.add(element);
      return;
    }
    element = parent;
  }
};

// Whether all text and all headings outside of what was drawn again are still there: a calendar that shows another month
// draws the same days again.
/** @param {Row[]} rows @param {Map<Element, Redraw>} redraws */
const isRestUnchanged = (rows, redraws) => {
  const counts = new Map();
  for (const row of rows) if (isWording(row)) counts.set(wordingOf(row), (counts.get(wordingOf(row)) || 0) + 1);
  const gone = new Set();
  for (const redraw of redraws.values()) for (const element of redraw.gone) gone.add(element);
  for (const row of rowsThen) {
    if (!isWording(row)) continue;
    const count = counts.get(wordingOf(row)) || 0;
    counts.set(wordingOf(row), count - 1);
    if (count <= 0 && !isInside(row, gone)) return false;
  }
  return true;
};

/** @param {Row} row */
const isWording = (row) => row.text !== undefined || row.role === "heading" || row.inlineText !== undefined;

/** @param {Row} row */
const wordingOf = (row) => (row.text !== undefined ? row.text : row.line + " " + (row.inlineText || ""));

/** @param {Row} row @param {Set<Element>} gone */
const isInside = (row, gone) => {
  for (let node = row.node || row.element; node; node = parentNodeOf(node))
    if (gone.has(/** @type {any} */ (node))) return true;
  return false;
};

// `certain`: whether nothing around these elements has changed, so that the same little text in the same place is enough.
/** @param {Element[]} gone @param {Element[]} drawn @param {boolean} certain */
const matchElements = (gone, drawn, certain) => {
  if (gone.length === 1 && drawn.length === 1) return matchChanged(gone[0], drawn[0], certain);
  const pairs = equalPairs(gone, drawn);
  const gaps = gapsBetween(gone, drawn, pairs);
  const alike = areAllAlike(gaps.flatMap((gap) => gap.gone).concat(pairs.map(([index]) => gone[index])));
  const sameAround = certain && (alike || gaps.every((gap) => !gap.gone.length));
  const isDistinct = !sameAround && alike && gone.length >= MIN_ITEMS ? distinctAmong(gone) : () => false;
  for (const [from, to] of pairs)
    keepWithin(gone[from], drawn[to], sameAround || isDistinct(gone[from]) ? "*" : "a[href]");
  for (const gap of gaps) {
    if (gap.gone.length !== gap.drawn.length) continue;
    const alone = gap.gone.length === 1;
    gap.gone.forEach((element, index) => {
      matchChanged(element, gap.drawn[index], sameAround && alone);
    });
  }
};

const MIN_ITEMS = 4;

// Whether elements are of one kind, like the items of a list. Among others, one may be the heading of the rest.
/** @param {Element[]} elements */
const areAllAlike = (elements) => new Set(elements.map(kindOf)).size <= 1;

/** @param {Element} element */
const kindOf = (element) =>
  [element, ...childrenOf(element)].map(localNameOf).join() +
  (nativeGetAttribute.call(element, "class") || "").split(" ")[0];

const DISTINCT_LETTERS = 12;

// Tells whether an element has words enough that hardly any of its siblings has.
/** @param {Element[]} siblings @returns {(element: Element) => boolean} */
const distinctAmong = (siblings) => {
  const counts = new Map();
  for (const sibling of siblings) for (const word of wordsIn(sibling)) counts.set(word, (counts.get(word) || 0) + 1);
  const rare = Math.max(1, siblings.length / 10);
  return (element) => {
    let letters = 0;
    for (const word of wordsIn(element)) if (counts.get(word) <= rare) letters += word.length;
    return letters >= DISTINCT_LETTERS;
  };
};

/** @param {Element} element @returns {Set<string>} */
const wordsIn = (element) => {
  const words = new Set();
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode())
    for (const word of textDataOf(node).split(/\s+/)) words.add(word);
  return words;
};

// What changes without an element becoming another thing.
const STATE_NAMES =
  "class|style|tabindex|hidden|checked|selected|disabled|open|readonly|inert|data-state|" +
  "aria-(?:pressed|checked|selected|expanded|current|disabled|hidden|busy|invalid|sort|activedescendant|setsize|posinset|rowindex)";
const STATE_ATTRIBUTES = new RegExp(` (?:${STATE_NAMES})="[^"]*"`, "g");
const STATE_NAME = new RegExp(`^(?:${STATE_NAMES})$`);

// Two elements with the same key differ in nothing but their state. The text counts twice, as it may look like markup.
/** @param {Element} element */
const redrawKey = (element) => outerHtmlOf(element).replace(STATE_ATTRIBUTES, "") + "\u0000" + textContentOf(element);

// Pairs of equal elements that have no double on either side, in an order that both sides share.
/** @param {Element[]} gone @param {Element[]} drawn @returns {[number, number][]} */
const equalPairs = (gone, drawn) => {
  const before = singlesByKey(gone);
  const after = singlesByKey(drawn);
  /** @type {[number, number][]} */
  const pairs = [];
  for (const [key, index] of before) {
    const place = after.get(key);
    if (index >= 0 && place !== undefined && place >= 0) pairs.push([index, place]);
  }
  return longestRise(pairs);
};

// The index of each key; -1 where several elements have it.
/** @param {Element[]} elements @returns {Map<string, number>} */
const singlesByKey = (elements) => {
  const found = new Map();
  elements.forEach((element, index) => {
    const key = redrawKey(element);
    found.set(key, found.has(key) ? -1 : index);
  });
  return found;
};

/** @param {[number, number][]} pairs @returns {[number, number][]} */
const longestRise = (pairs) => {
  /** @type {number[]} */
  const tops = [];
  /** @type {number[]} */
  const previous = [];
  pairs.forEach(([, place], index) => {
    let low = 0;
    let high = tops.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tops[middle]][1] < place) low = middle + 1;
      else high = middle;
    }
    previous.push(low ? tops[low - 1] : -1);
    tops[low] = index;
  });
  /** @type {[number, number][]} */
  const chain = [];
  for (let index = tops.length ? tops[tops.length - 1] : -1; index >= 0; index = previous[index])
    chain.push(pairs[index]);
  return chain.reverse();
};

/** @param {Element[]} gone @param {Element[]} drawn @param {[number, number][]} pairs */
const gapsBetween = (gone, drawn, pairs) => {
  const gaps = [];
  let from = 0;
  let to = 0;
  for (const [index, place] of [...pairs, [gone.length, drawn.length]]) {
    if (index > from || place > to) gaps.push({ gone: gone.slice(from, index), drawn: drawn.slice(to, place) });
    from = index + 1;
    to = place + 1;
  }
  return gaps;
};

// Two elements in the same place that may differ inside.
/** @param {Element} gone @param {Element} drawn @param {boolean} certain */
const matchChanged = (gone, drawn, certain) => {
  if (!hasSameAttributes(gone, drawn)) return;
  if (certain) keepRef(gone, drawn);
  const sameText = ownTextOf(gone) === ownTextOf(drawn);
  if (!hasShadowInside(gone)) matchElements([...childrenOf(gone)], [...childrenOf(drawn)], certain && sameText);
};

/** @param {Element} one @param {Element} other */
const hasSameAttributes = (one, other) => {
  if (localNameOf(one) !== localNameOf(other)) return false;
  const names = new Set([...attributeNames(one), ...attributeNames(other)]);
  for (const name of names)
    if (!STATE_NAME.test(name) && nativeGetAttribute.call(one, name) !== nativeGetAttribute.call(other, name))
      return false;
  return true;
};

/** @param {Element} element */
const ownTextOf = (element) => {
  let text = "";
  for (let child = firstChildOf(element); child; child = nextSiblingOf(child))
    if (isText(child)) text += textDataOf(child);
  return squash(text);
};

// What is inside a shadow root is not in the markup that elements are compared by.
/** @param {Element} element */
const hasShadowInside = (element) =>
  shadowsWereMet &&
  (shadowOf(element) !== null || [...queryAll(element, "*")].some((inner) => shadowOf(inner) !== null));

// Two elements whose markup is the same: each part that the selector matches is the same thing as before. A link to the
// same address is the same thing whatever has changed around it.
/** @param {Element} gone @param {Element} drawn @param {string} selector */
const keepWithin = (gone, drawn, selector) => {
  if (hasShadowInside(gone) || hasShadowInside(drawn)) return;
  if (matchesSelector(gone, selector) && (selector === "*" || leadsElsewhere(gone))) keepRef(gone, drawn);
  const parts = queryAll(gone, selector);
  const drawnParts = queryAll(drawn, selector);
  if (parts.length !== drawnParts.length) return;
  for (let index = 0; index < parts.length; index++)
    if (selector === "*" || leadsElsewhere(parts[index])) keepRef(parts[index], drawnParts[index]);
};

/** @param {Element} link */
const leadsElsewhere = (link) => !/^\s*(?:#|javascript:|$)/i.test(nativeGetAttribute.call(link, "href") || "");

/** @param {Element} gone @param {Element} drawn */
const keepRef = (gone, drawn) => {
  const was = goneRows.get(gone);
  const is = drawnRows.get(drawn);
  if (!was !== !is || matchesSelector(gone, FRAMES)) return;
  if (was && is && (was.role !== is.role || was.naming?.name !== is.naming?.name)) return;
  if (valueIn(gone) !== valueIn(drawn)) return;
  const kept = handOverRef(gone, drawn);
  if (kept) keptNumbers.set(...kept);
};

/** @param {any} element */
const valueIn = (element) => (typeof element.value === "string" ? element.value : "");
