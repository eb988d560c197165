// Layers that cover the rest of the page: dialogs with a backdrop, menus that catch every press. What is behind one is
// listed after it, under one line that says so, instead of a mark on each line.

import {
  containsNode,
  isElement,
  matchesSelector,
  rectOf,
  rootElementOf,
  scrollHeightOf,
  scrollWidthOf,
} from "../dom/natives.js";
import { quote } from "../dom/text.js";
import { deepestAt, isWithin, parentElementOf, shadowsWereMet } from "../dom/tree.js";
import { NO_NAME } from "../roles/names.js";
import { RANGE } from "../visibility/text_visibility.js";
import { viewHeight, viewWidth } from "../visibility/viewport.js";
import { markFor, roleAndName } from "./lines.js";
import { BEHIND, COVER, groups, IN_VIEW, PRESS, replaceRows, rows, STRUCTURE, TEXT, UNSEEN } from "./rows.js";

/** @typedef {{ parts: Element[], isFixed: boolean }} Layer The covering element, and a dialog outside of it. */

const DIALOG_SELECTOR = "dialog, [role=dialog], [role=alertdialog], [aria-modal=true]";
const DIALOG_ROLES = new Set(["dialog", "alertdialog"]);
const LAYER_ROLES = new Set([...DIALOG_ROLES, "menu", "listbox", "tree", "grid", "alert", "status"]);
const MARGIN = 4;

const edgePoints = () => {
  const [right, bottom] = [viewWidth - MARGIN, viewHeight - MARGIN];
  return [
    [MARGIN, MARGIN],
    [right, MARGIN],
    [MARGIN, bottom],
    [right, bottom],
    [MARGIN, viewHeight / 2],
    [right, viewHeight / 2],
  ];
};

/** @param {Element} element */
const coversView = (element) => {
  const rect = rectOf(element);
  return (
    rect.left <= MARGIN && rect.top <= MARGIN && rect.right >= viewWidth - MARGIN && rect.bottom >= viewHeight - MARGIN
  );
};

// The nearest element around a point that is placed over the whole viewport; null where ordinary content is hit.
/** @param {Element} hit */
const placedAround = (hit) => {
  for (let element = /** @type {Element | null} */ (hit); element; element = parentElementOf(element)) {
    const { position } = getComputedStyle(element);
    if (position === "fixed" || position === "absolute")
      if (coversView(element)) return { element, isFixed: position === "fixed" };
      else if (position === "fixed" || matchesSelector(element, DIALOG_SELECTOR))
        return { element: null, isFixed: true };
  }
  return null;
};

// Most pages answer with ordinary content at the first point.
/** @returns {Layer | null} */
const findLayer = () => {
  let cover = null;
  for (const [x, y] of edgePoints()) {
    const hit = deepestAt(x, y);
    const placed = hit && placedAround(hit);
    if (!placed) return null;
    if (!placed.element) continue;
    if (cover && cover.element !== placed.element && !isWithin(placed.element, cover.element)) return null;
    cover ??= placed;
  }
  if (!cover || !cover.element) return null;
  return { parts: [cover.element, ...dialogsOutside(cover.element)], isFixed: cover.isFixed };
};

// A backdrop often stands beside its dialog.
/** @param {Element} cover */
const dialogsOutside = (cover) => {
  const found = new Set();
  for (const [x, y] of [
    [0.5, 0.5],
    [0.5, 0.25],
    [0.5, 0.1],
    [0.5, 0.9],
    [0.1, 0.5],
    [0.9, 0.5],
  ]) {
    const hit = deepestAt(viewWidth * x, viewHeight * y);
    if (hit && !isWithin(hit, cover)) found.add(placedBox(hit));
  }
  found.delete(null);
  return found;
};

/** @param {Element} hit */
const placedBox = (hit) => {
  let found = null;
  for (let element = /** @type {Element | null} */ (hit); element; element = parentElementOf(element)) {
    if (matchesSelector(element, DIALOG_SELECTOR)) return element;
    if (getComputedStyle(element).position === "fixed") found = element;
  }
  return found;
};

/** @param {Layer} layer @param {Node} node */
const isInLayer = (layer, node) =>
  layer.parts.some((part) => (shadowsWereMet ? isWithin(node, part) : containsNode(part, node)));

/** @param {Row} row */
const nodeOfRow = (row) => row.element || row.node || (row.nodes && row.nodes[0]) || null;

/** @param {Node} node */
const boxOfNode = (node) => {
  if (isElement(node)) return rectOf(node);
  RANGE.selectNodeContents(node);
  return RANGE.getBoundingClientRect();
};

// Whether a press in the middle of a row would go to the layer.
/** @param {Layer} layer @param {Node} node */
const isBlocked = (layer, node) => {
  const box = boxOfNode(node);
  const [left, right] = [Math.max(box.left, 0), Math.min(box.right, viewWidth)];
  const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, viewHeight)];
  if (right <= left || bottom <= top) return layer.isFixed || isUnder(layer, box);
  const hit = deepestAt((left + right) / 2, (top + bottom) / 2);
  return hit !== null && isInLayer(layer, hit);
};

/** @param {Layer} layer @param {Box} box */
const isUnder = (layer, box) => {
  const over = rectOf(layer.parts[0]);
  return box.top >= over.top && box.bottom <= over.bottom && box.left >= over.left && box.right <= over.right;
};

const MAX_TESTED = 300;

// For each row: 0 if it is in the layer, 1 if it is in front of it or beside it, 2 if it is behind.
/** @param {Layer} layer */
const placesOf = (layer) => {
  const places = new Uint8Array(rows.length);
  let tested = 0;
  rows.forEach((row, index) => {
    const node = nodeOfRow(row);
    if (!node) places[index] = index ? places[index - 1] : 2;
    else if (isInLayer(layer, node)) places[index] = 0;
    else if (!isLeafRow(index) || row.flags & UNSEEN || (row.flags & IN_VIEW && ++tested > MAX_TESTED))
      places[index] = 2;
    else places[index] = isBlocked(layer, node) ? 2 : 1;
  });
  keepContainersInFront(places);
  return places;
};

/** @param {number} index */
const isLeafRow = (index) => index === rows.length - 1 || rows[index + 1].depth <= rows[index].depth;

/** @param {Row} row */
const isTold = (row) => (row.flags & (PRESS | TEXT)) !== 0;

// Whether a row would be seen if nothing were over it. Pages mark what is behind their dialogs as hidden or inert.
/** @param {Row} row */
const isInSight = (row) =>
  isTold(row) &&
  (row.flags & IN_VIEW) !== 0 &&
  !row.reason &&
  (!(row.flags & TEXT) || !row.mark || INERT_MARK.test(markFor(row.mark)));

// A container is in front if anything in it is.
/** @param {Uint8Array} places */
const keepContainersInFront = (places) => {
  /** @type {number[]} */
  const above = [];
  rows.forEach((row, index) => {
    while (above.length && rows[above[above.length - 1]].depth >= row.depth) above.pop();
    if (places[index] === 1) for (const each of above) if (places[each] === 2) places[each] = 1;
    above.push(index);
  });
};

// The layer covers the rest if most of what is in view is behind it. An app whose root is a fixed box covers nothing.
/** @param {Uint8Array} places */
const isRestCovered = (places) => {
  let behind = 0;
  let front = 0;
  rows.forEach((row, index) => {
    if (!isInSight(row)) return;
    if (places[index] === 2) behind += 1;
    else if (places[index] === 1) front += 1;
  });
  return behind > front * 2;
};

const INERT_MARK = / \((?:aria-hidden|inert)\)/;

// The line above says that it cannot be used: the marks that it has because of the layer say nothing more.
/** @param {Row} row */
export const putBehind = (row) => {
  row.flags |= BEHIND;
  const isText = (row.flags & TEXT) !== 0;
  const reason = isText ? row.mark : row.reason;
  if (reason && !INERT_MARK.test(markFor(reason)) && !(reason === "off-screen" && isScrolledAway(row))) return;
  row.flags &= ~UNSEEN;
  if (isText) row.mark = "";
  else row.marks = (row.marks || "").replace(INERT_MARK, "").replace(markFor("off-screen"), "");
  if (row.inlineText) row.inlineText = row.inlineText.replace(/ \((?:aria-hidden|inert|invisible: off-screen)\)$/, "");
  if (row.inlined) putBehind(row.inlined);
};

// A dialog often keeps the page from scrolling, so that what is below the viewport seems out of reach.
/** @param {Row} row */
const isScrolledAway = (row) => {
  const node = nodeOfRow(row);
  if (!node) return false;
  const box = boxOfNode(node);
  const root = rootElementOf(document);
  const [left, top] = [box.left + scrollX, box.top + scrollY];
  return left >= 0 && top >= 0 && left < scrollWidthOf(root) && top < scrollHeightOf(root);
};

/** @param {Row[]} front @returns {Row} */
export const coverRow = (front) => {
  const shown = front.find((row) => DIALOG_ROLES.has(row.role || "")) || front[0];
  return {
    depth: 0,
    flags: STRUCTURE | BEHIND | COVER | IN_VIEW,
    ref: 0,
    line: "all else is covered by " + labelOf(shown),
    naming: NO_NAME,
  };
};

/** @param {Row | undefined} row */
const labelOf = (row) => {
  if (!row) return "a layer without text";
  if (row.flags & TEXT) return "a layer with " + quote(row.text || "", 60);
  const inside = row.inlineText ? " " + row.inlineText : "";
  const said =
    row.naming && row.naming.name ? roleAndName(row.role || "", row.naming.name, 60) : row.role + inside.slice(0, 80);
  return LAYER_ROLES.has(row.role || "") ? said : "a layer with " + said;
};

const FIRST_TESTED = 8;

// Whether anything is behind the layer, by a look at a few rows: the picture behind a page covers nothing.
/** @param {Layer} layer */
const hasRowsBehind = (layer) => {
  const outside = [];
  for (const row of rows) {
    const node = isInSight(row) ? nodeOfRow(row) : null;
    if (node && !isInLayer(layer, node)) outside.push(node);
    if (outside.length === FIRST_TESTED) break;
  }
  return outside.some((node) => isBlocked(layer, node));
};

export const arrangeLayers = () => {
  const layer = findLayer();
  if (!layer || !hasRowsBehind(layer)) return;
  const places = placesOf(layer);
  if (!isRestCovered(places)) return;
  const inLayer = reindented(rows.filter((_, index) => places[index] === 0));
  const inFront = reindented(rows.filter((_, index) => places[index] === 1));
  const behind = rows.filter((_, index) => places[index] === 2);
  leaveGroups(new Set(behind));
  for (const row of reindented(behind)) {
    row.depth += 1;
    putBehind(row);
  }
  replaceRows([...inLayer, ...inFront, coverRow([...inLayer, ...inFront]), ...behind]);
};

// Rows that lost rows around them move left.
/** @param {Row[]} kept */
const reindented = (kept) => {
  /** @type {number[]} */
  const above = [];
  for (const row of kept) {
    while (above.length && above[above.length - 1] >= row.depth) above.pop();
    above.push(row.depth);
    row.depth = above.length - 1;
  }
  return kept;
};

// A long list must not lose rows in its middle: rows of the layer leave lists that are behind it.
/** @param {Set<Row>} behind */
const leaveGroups = (behind) => {
  for (const group of groups) {
    const kept = group.items.map((row) => behind.has(row));
    if (!kept.includes(true) || !kept.includes(false)) continue;
    group.children = group.children.filter((_, index) => kept[index]);
    group.items = group.items.filter((_, index) => kept[index]);
    if (!behind.has(/** @type {Row} */ (group.last))) group.last = group.items[group.items.length - 1];
  }
};
