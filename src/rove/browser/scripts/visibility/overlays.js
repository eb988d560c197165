// Rows whose text is painted over by something else, or lies on a box of its own colour: checked once all boxes are known.

import { firstChildOf, isElement, rectOf } from "../dom/natives.js";
import { flattenedParent } from "../dom/tree.js";
import { isNearSurface, linesOf, paintedPoints, plainRect } from "../paint/backdrops.js";
import { resetPaintOrder } from "../paint/paint_order.js";
import { resetPictures } from "../paint/pictures.js";
import { resetScrollRanges } from "../paint/scroll_ranges.js";
import { hasSurfaces, resetSurfaces } from "../paint/surfaces.js";
import { markFor } from "../snapshot/lines.js";
import { FOLD, rows, TEXT, textLine, UNSEEN } from "../snapshot/rows.js";
import { contextInside } from "./contexts.js";
import { coverReason, paintReason, RANGE } from "./text_visibility.js";

const MAX_ROWS = 6000;
const MAX_LOOKS = 2000;
const MAX_TEXTS_OF_NAME = 12;
let looks = 0;

export const resetPaint = () => {
  resetPaintOrder();
  resetPictures();
  resetScrollRanges();
  resetSurfaces();
  looks = 0;
};

/** @param {Node} node */
const boxAround = (node) => {
  const box = isElement(node) ? rectOf(node) : null;
  if (box && box.width !== 0) return plainRect(box);
  RANGE.selectNodeContents(node);
  return plainRect(RANGE.getBoundingClientRect());
};

// The text nodes of a name that comes from content.
/** @param {Element} element */
const textNodesIn = (element) => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  /** @type {Node[]} */
  const found = [];
  for (let node = walker.nextNode(); node && found.length < MAX_TEXTS_OF_NAME; node = walker.nextNode())
    if (/** @type {Text} */ (node).data.trim()) found.push(node);
  return found;
};

/** @param {Row} row @returns {Node[]} */
const nodesOf = (row) => {
  if (row.nodes) return row.nodes;
  const node = /** @type {Node} */ (row.node || row.element);
  if (row.flags & TEXT || !isElement(node)) return [node];
  const texts = row.naming && row.naming.source === "content" ? textNodesIn(node) : [];
  return texts.length ? texts : [node];
};

/** @param {Node} node @param {Row} row */
const nodeReason = (node, row) => {
  if (!isNearSurface(node, boxAround(node)) || ++looks > MAX_LOOKS) return "";
  const lines = linesOf(node);
  if (!lines.length || lines[0].width === 0) return "";
  const points = paintedPoints(node, lines);
  if (isElement(node) && (!(row.flags & TEXT) || !firstChildOf(node))) return coverReason(points);
  const inside = contextInside(isElement(node) ? node : /** @type {Element} */ (flattenedParent(node)));
  return paintReason(points, inside.facts, inside);
};

// A row may consist of several texts, of which only some cannot be seen.
/** @param {Row} row */
const rowReason = (row) => {
  const reasons = nodesOf(row).map((node) => nodeReason(node, row));
  const [first = ""] = reasons.filter((reason) => reason);
  return !first || reasons.every((reason) => reason) ? first : `partly ${first.replace(/^(?:partly|perhaps) /, "")}`;
};

/** @param {Row} row */
const markRow = (row) => {
  if (row.flags & (UNSEEN | FOLD) || !(row.node || row.element)) return;
  const reason = rowReason(row);
  if (!reason) return;
  row.flags |= UNSEEN;
  if (row.flags & TEXT) row.mark = reason;
  else row.marks += markFor(reason);
};

// Text that was moved into the line of its element is judged by itself.
/** @param {Row} row @param {Row} inlined */
const markInlined = (row, inlined) => {
  markRow(inlined);
  if (!inlined.mark) return;
  row.inlineText = textLine(inlined);
};

export const markCovered = () => {
  if (!hasSurfaces()) return;
  for (const row of rows.slice(0, MAX_ROWS)) {
    markRow(row);
    if (row.inlined && !(row.flags & UNSEEN)) markInlined(row, row.inlined);
  }
};
