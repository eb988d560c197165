// Rows whose text is painted over by something else, or lies on a box of its own colour: checked once all boxes are known.

import { firstChildOf, isElement, isText, matchesSelector, rectOf, textDataOf } from "../dom/natives.js";
import { flattenedParent, shadowsWereMet, shownNodesIn } from "../dom/tree.js";
import { captionOf, figureCaptionOf, labelsOf } from "../roles/labels.js";
import {
  isNearAnySurface,
  isNearSurface,
  isOnBackground,
  linesOf,
  paintedPoints,
  plainRect,
  resetBackdrops,
  resetPaintOrder,
} from "../visibility/backdrops.js";
import { resetPalettes, resetPictures } from "../visibility/backgrounds.js";
import { contextInside } from "../visibility/contexts.js";
import { addBoxesInFlow, hasSurfaces, resetSurfaces } from "../visibility/surfaces.js";
import { coverReason, paintReason, RANGE } from "../visibility/text_visibility.js";
import { resetScrollRanges } from "../visibility/viewport.js";
import { markFor } from "./lines.js";
import { BEHIND, FOLD, rows, TEXT, textLine, UNSEEN } from "./rows.js";

const MAX_ROWS = 6000;
const MAX_PAINT_LOOKS = 2000;
const MAX_TEXTS_OF_NAME = 12;
const MAX_NODES_OF_NAME = 100;
let looks = 0;

export const resetPaint = () => {
  resetPaintOrder();
  resetBackdrops();
  resetPalettes();
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
export const textNodesIn = (element) => {
  if (shadowsWereMet) return shownTextsIn(element);
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  /** @type {Node[]} */
  const found = [];
  for (let node = walker.nextNode(); node && found.length < MAX_TEXTS_OF_NAME; node = walker.nextNode())
    if (/** @type {Text} */ (node).data.trim()) found.push(node);
  return found;
};

/** @param {Element} element */
const shownTextsIn = (element) =>
  shownNodesIn(element, MAX_NODES_OF_NAME)
    .filter((node) => isText(node) && textDataOf(node).trim())
    .slice(0, MAX_TEXTS_OF_NAME);

// The elements whose text is the name of a row.
/** @param {Row} row @param {Element} element */
const namersOf = (row, element) => {
  const source = row.naming && row.naming.source;
  if (source === "label") return labelsOf(element);
  const caption = source === "caption" ? captionOf(element) || figureCaptionOf(element) : null;
  return caption ? [caption] : source === "content" ? [element] : [];
};

// The rows inside a row are judged by themselves, and often painted in another layer than the element around them.
/** @param {Row} row @param {boolean} hasRowsInside @returns {Node[]} */
const nodesOf = (row, hasRowsInside) => {
  if (row.nodes) return row.nodes;
  const node = /** @type {Node} */ (row.node || row.element);
  if (row.flags & TEXT || !isElement(node)) return [node];
  const texts = namersOf(row, node).flatMap(textNodesIn);
  return texts.length || hasRowsInside ? texts : [node];
};

// Its looks are drawn by other elements, which often lie over it.
/** @param {Node} node */
const isStyledToggle = (node) => isElement(node) && matchesSelector(node, "input[type=checkbox], input[type=radio]");

/** @param {Node} node */
const contextOf = (node) => contextInside(isElement(node) ? node : /** @type {Element} */ (flattenedParent(node)));

// Whether the boxes around a text do not tell all that is painted there.
/** @param {Node} node @param {Row} row */
const needsLook = (node, row) => {
  const rect = boxAround(node);
  if (isNearSurface(node, rect)) return true;
  if (!row.displaced) return false;
  const { painter, sunken } = contextOf(node);
  return sunken || !isOnBackground(painter, rect);
};

/** @param {Node} node @param {Row} row */
const nodeReason = (node, row) => {
  if (isStyledToggle(node) || !needsLook(node, row) || ++looks > MAX_PAINT_LOOKS) return "";
  const lines = linesOf(node);
  if (!lines.length || lines[0].width === 0) return "";
  const isWhole = isElement(node) && !(row.flags & TEXT);
  const points = paintedPoints(node, lines, isWhole);
  if (isWhole || (isElement(node) && !firstChildOf(node))) return coverReason(points);
  const inside = contextOf(node);
  return paintReason(points, inside.facts, inside);
};

// The reason why a text cannot be seen for what is painted over it or behind it; all surfaces must be known.
/** @param {Node} node @param {VisibilityContext} context */
export const paintedOverReason = (node, { displaced, sunken }) =>
  hasSurfaces() ? nodeReason(node, /** @type {Row} */ ({ flags: TEXT, displaced: displaced || sunken })) : "";

// A row may consist of several texts, of which only some cannot be seen.
/** @param {Row} row @param {boolean} hasRowsInside */
const rowReason = (row, hasRowsInside) => {
  const reasons = nodesOf(row, hasRowsInside).map((node) => nodeReason(node, row));
  const [first = ""] = reasons.filter((reason) => reason);
  return !first || reasons.every((reason) => reason) ? first : `partly ${first.replace(/^(?:partly|perhaps) /, "")}`;
};

/** @param {Row} row @param {boolean} hasRowsInside */
const markRow = (row, hasRowsInside) => {
  if (row.flags & (UNSEEN | FOLD | BEHIND) || !(row.node || row.element)) return;
  const reason = rowReason(row, hasRowsInside);
  if (!reason) return;
  row.flags |= UNSEEN;
  if (row.flags & TEXT) row.mark = reason;
  else row.marks += markFor(reason);
};

// Text that was moved into the line of its element is judged by itself.
/** @param {Row} row @param {Row} inlined */
const markInlined = (row, inlined) => {
  markRow(inlined, false);
  if (!inlined.mark) return;
  row.inlineText = textLine(inlined);
};

/** @param {Row} row */
const isDisplacedRow = (row) => row.displaced || Boolean(row.inlined && row.inlined.displaced);

export const markCovered = () => {
  if (rows.some(isDisplacedRow)) addBoxesInFlow();
  if (!hasSurfaces()) return;
  rows.slice(0, MAX_ROWS).forEach((row, index) => {
    if (row.inlined && row.element && !isDisplacedRow(row) && !isNearAnySurface(row.element)) return;
    if (row.flags & BEHIND) return;
    const next = rows[index + 1];
    markRow(row, next !== undefined && next.depth > row.depth);
    if (row.inlined && !(row.flags & UNSEEN)) markInlined(row, row.inlined);
  });
};
