// Controls that style rules show only while the pointer is over an element, such as the buttons of a row in a mail list.
// They are told in the row of that element, for the first of several alike.

import { attr } from "../dom/attributes.js";
import { isRendered } from "../dom/elements.js";
import { closestOf, containsNode, queryAll, textContentOf } from "../dom/natives.js";
import { refNumber } from "../dom/refs.js";
import { quote, squash } from "../dom/text.js";
import { rows } from "../snapshot/rows.js";
import { hoverSelectors } from "./style_sheets.js";

const MAX_HOVER_SELECTORS = 30;
const MAX_REVEALED = 300;
const MAX_TOLD = 8;
const MAX_LABEL = 40;
const HOVERED_CONTROLS =
  "a[href],button,input,select,textarea,[role],[tabindex],[onclick],[jsaction],[data-tooltip],li";

export const tellHoverControls = () => {
  for (const selector of [...hoverSelectors].slice(0, MAX_HOVER_SELECTORS)) {
    const [hovered] = selector.split(":hover");
    if (hovered.trim()) tellRevealed(hovered, selector.replaceAll(":hover", ""));
  }
};

/** @param {string} hovered @param {string} selector */
const tellRevealed = (hovered, selector) => {
  /** @type {Map<Element, string[]>} */
  const told = new Map();
  for (const element of Array.from(safeQuery(selector)).slice(0, MAX_REVEALED)) {
    const owner = isRendered(element) ? null : closestOf(element, hovered);
    if (owner === null || !isRendered(owner)) continue;
    const labels = labelsIn(element);
    if (labels.length) told.set(owner, (told.get(owner) || []).concat(labels));
  }
  const [first] = told.keys();
  if (first) tellIn(first, told);
};

// A selector that a style sheet accepts may still fail without its pseudo-class.
/** @param {string} selector @returns {ArrayLike<Element>} */
const safeQuery = (selector) => {
  try {
    return queryAll(document, selector);
  } catch {
    return [];
  }
};

/** @param {Element} element */
const labelsIn = (element) => {
  const controls = Array.from(queryAll(element, HOVERED_CONTROLS)).filter(
    (each) => !each.querySelector(HOVERED_CONTROLS),
  );
  return (controls.length ? controls : [element]).map(hoverLabelOf).filter(Boolean);
};

/** @param {Element} element */
const hoverLabelOf = (element) => {
  const label = ["aria-label", "data-tooltip", "title"].map((name) => attr(element, name)).find(Boolean);
  const text = squash(label || textContentOf(element));
  return text.length <= MAX_LABEL ? text : "";
};

/** @param {Element} owner @param {Map<Element, string[]>} told */
const tellIn = (owner, told) => {
  const row = rowFor(owner);
  if (!row) return;
  row.ref ||= refNumber(owner);
  const labels = told.get(owner) || [];
  const more = labels.length > MAX_TOLD ? ` +${labels.length - MAX_TOLD}` : "";
  const others = told.size > 1 ? `; likewise in ${told.size - 1} more` : "";
  const words = labels.slice(0, MAX_TOLD).map((label) => quote(label));
  row.marks = `${row.marks || ""} (invisible until hover: ${words.join(" ")}${more}${others})`;
};

// The row of the element itself, else the first row inside it.
/** @param {Element} owner */
const rowFor = (owner) =>
  rows.find((row) => row.element === owner && !row.isLeftOut) ||
  rows.find((row) => {
    const node = row.element || row.node;
    return node !== undefined && !row.isLeftOut && containsNode(owner, node);
  });
