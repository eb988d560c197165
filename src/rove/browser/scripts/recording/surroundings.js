// What is around an element, by which it can be told from others that are called the same.

import { isRendered } from "../dom/elements.js";
import {
  closestOf,
  comesBefore,
  containsNode,
  innerTextOf,
  localNameOf,
  queryAll,
  textContentOf,
  textDataOf,
} from "../dom/natives.js";
import { clean, clip, squash } from "../dom/text.js";
import { parentElementOf } from "../dom/tree.js";
import { nameOf } from "../names/names.js";
import { roleOf } from "../roles/roles.js";

const LANDMARK_ROLES = new Set(
  "banner navigation main contentinfo complementary search form region dialog alertdialog menu toolbar tabpanel".split(
    " ",
  ),
);
const ITEM_SELECTOR = "tr,li,dd,article,fieldset,figure,[role=row],[role=listitem],[role=treeitem],[role=article]";
const HEADING_SELECTOR = "h1,h2,h3,h4,h5,h6,[role=heading]";
const SILENT_TAGS = new Set(["script", "style", "noscript", "template"]);
const LONGEST_TEXT = 160;
const LONGEST_NEAR = 60;
const MOST_HEADINGS = 300;
// Text nodes that are looked at on either side, of which most may be blank.
const MOST_NEAR = 30;

// Within one call the page cannot change.
/** @type {Element[]} */
let headings = [];

export const beginSurroundings = () => {
  headings = [...queryAll(document, HEADING_SELECTOR)].filter(isRendered).slice(0, MOST_HEADINGS);
};

/** @param {string} text @param {number} [limit] */
export const shortText = (text, limit = LONGEST_TEXT) => clip(squash(clean(text)), limit);

/** @param {Element} element */
const visibleTextOf = (element) => (element instanceof HTMLElement ? innerTextOf(element) : textContentOf(element));

/** @param {Element} element */
const landmarkOf = (element) => {
  for (let around = parentElementOf(element); around; around = parentElementOf(around)) {
    const role = roleOf(around);
    if (LANDMARK_ROLES.has(role)) return shortText(`${role} ${nameOf(around, role).name}`, LONGEST_NEAR);
  }
  return "";
};

/** @param {Element} element */
const headingOf = (element) => {
  const last = headings.findLast((heading) => comesBefore(heading, element) && !containsNode(element, heading));
  return last ? shortText(visibleTextOf(last), LONGEST_NEAR) : "";
};

// The largest element around it that has none of its equals: a row, whatever elements the page makes rows of. What has
// any of them has the one before or the one after it.
/** @param {Element} element @param {Element[]} equals */
const rowAmong = (element, equals) => {
  const at = equals.indexOf(element);
  const neighbours = [equals[at - 1], equals[at + 1]].filter(Boolean);
  if (at < 0 || !neighbours.length) return null;
  let row = element;
  for (let around = parentElementOf(row); around; around = parentElementOf(row)) {
    const outer = around;
    if (neighbours.some((equal) => containsNode(outer, equal))) break;
    row = around;
  }
  return row === element ? null : row;
};

// The text of the row or list item that it is in, without its own.
/** @param {Element} element @param {Element[]} equals */
const itemOf = (element, equals) => {
  const around = parentElementOf(element);
  const item = (around && closestOf(around, ITEM_SELECTOR)) || rowAmong(element, equals);
  if (!item) return "";
  const own = squash(visibleTextOf(element));
  return shortText(squash(visibleTextOf(item)).replace(own, " "));
};

/** @param {Node} node @param {Element} element */
const isShownText = (node, element) => {
  const parent = parentElementOf(node);
  return Boolean(parent && !containsNode(element, node) && !SILENT_TAGS.has(localNameOf(parent)) && isRendered(parent));
};

// The nearest text before or after an element.
/** @param {Element} element @param {"previousNode" | "nextNode"} step */
const nearText = (element, step) => {
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  walker.currentNode = element;
  for (let count = 0; count < MOST_NEAR; count++) {
    const node = walker[step]();
    if (!node) return "";
    if (containsNode(element, node)) count -= 1;
    else if (squash(textDataOf(node)) && isShownText(node, element)) return shortText(textDataOf(node), LONGEST_NEAR);
  }
  return "";
};

// `equals`: all that are called the same, itself included, in the order of the page.
/** @param {Element} element @param {Element[]} equals */
export const surroundingsToFindBy = (element, equals) => ({
  landmark: landmarkOf(element),
  heading: headingOf(element),
  item: itemOf(element, equals),
  before: nearText(element, "previousNode"),
  after: nearText(element, "nextNode"),
});
