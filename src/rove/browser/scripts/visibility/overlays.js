// Opaque boxes painted over text: collected during the walk, compared with the rows afterwards.

import { SVG } from "../dom/elements.js";
import {
  comesBefore,
  containsNode,
  firstChildOf,
  isElement,
  localNameOf,
  namespaceOf,
  queryAll,
  rectOf,
} from "../dom/natives.js";
import { flattenedParent, parentElementOf, pathOf } from "../dom/tree.js";
import { markFor } from "../snapshot/lines.js";
import { BEHIND, FOLD, rows, TEXT, UNSEEN } from "../snapshot/rows.js";
import { compositeOver, contrast, fillColour, LOW_CONTRAST } from "./colours.js";
import { contextInside } from "./contexts.js";
import { RANGE } from "./text_visibility.js";
import { viewHeight, viewWidth } from "./viewport.js";

/** @type {Overlay[]} */
let overlays = [];

export const resetOverlays = () => {
  overlays = [];
};

const MAX_OVERLAYS = 400;
const MAX_COVER_CHECKS = 6000;
const OPAQUE_TAGS = new Set(["img", "canvas", "video", "iframe"]);

// A plain copy, as each read of a DOMRect is a call into the browser.
/** @param {Edges} rect @returns {Box} */
const plainRect = ({ left, top, right, bottom }) => ({
  left,
  top,
  right,
  bottom,
  width: right - left,
  height: bottom - top,
});

/** @param {Element} element @param {StyleRecord} facts @param {VisibilityContext} inner */
export const noteOverlay = (element, facts, inner) => {
  if (facts.position === "sticky" || inner.reason) return;
  const opaque =
    inner.opacity > 0.9 &&
    (facts.background[3] > 0.95 ||
      OPAQUE_TAGS.has(localNameOf(element)) ||
      (facts.backgroundImage && facts.placed) ||
      isCoveringShape(element, facts) ||
      /blur\((?:[89]|\d\d)/.test(getComputedStyle(element).backdropFilter));
  if (!opaque || overlays.length >= MAX_OVERLAYS) return;
  const rect = rectOf(element);
  if (rect.width < 8 || rect.height < 8) return;
  // A fixed bar hides content only until the page is scrolled; a fixed box over the whole viewport hides everything.
  if (facts.position === "fixed" && (rect.width < viewWidth * 0.9 || rect.height < viewHeight * 0.9)) return;
  overlays.push({ element, rect: plainRect(rect), facts });
};

/** @param {Node[]} path @param {number} from */
const layerOf = (path, from) => {
  for (const node of path.slice(from)) {
    if (!isElement(node)) break;
    const style = getComputedStyle(node);
    if (style.position !== "static" || style.transform !== "none" || Number(style.opacity) < 1) {
      return style.zIndex === "auto" ? 0 : Number(style.zIndex);
    }
  }
  return -0.5;
};

// Of equal layers the later one in the tree is above; otherwise the higher layer below the nearest shared ancestor.
/** @param {Node} node @param {Overlay} overlay */
const isPaintedOver = (node, overlay) => {
  const below = pathOf(node);
  const above = pathOf(overlay.element);
  let shared = 0;
  while (shared < below.length && below[shared] === above[shared]) shared++;
  if (shared === above.length || shared === below.length) return false;
  const first = layerOf(below, shared);
  const second = layerOf(above, shared);
  return second > first || (second === first && comesBefore(node, overlay.element));
};

// A rectangle that covers all of an SVG hides what was drawn before it.
/** @param {Element} element @param {StyleRecord} facts */
const isCoveringShape = (element, facts) => {
  if (namespaceOf(element) !== SVG) return false;
  if (facts.tag === "rect") return facts.colour[3] > 0.95;
  if (facts.tag !== "svg") return false;
  const box = rectOf(element);
  return [...queryAll(element, "rect")].some((shape) => {
    const rect = rectOf(shape);
    return (
      rect.width >= box.width - 2 && rect.height >= box.height - 2 && fillColour(getComputedStyle(shape))[3] > 0.95
    );
  });
};

const MAX_LINES = 8;

// The rectangle of each line of its text, or its box.
/** @param {Node} node */
const rectsOf = (node) => {
  if (isElement(node) && !firstChildOf(node)) return [plainRect(rectOf(node))];
  RANGE.selectNodeContents(node);
  const lines = Array.from(RANGE.getClientRects(), plainRect).filter((rect) => rect.width > 0 && rect.height > 0);
  return lines.length ? lines.slice(0, MAX_LINES) : isElement(node) ? [plainRect(rectOf(node))] : [];
};

// Overlays by vertical position, as most overlays of a long page are far from each other.
const BAND_HEIGHT = 200;
const MAX_BANDS = 50;
/** @type {Map<number, Overlay[]>} */
let overlaysByBand = new Map();
/** @type {Overlay[]} */
let tallOverlays = [];

/** @param {Box} rect */
const bandsOf = (rect) => [Math.floor(rect.top / BAND_HEIGHT), Math.floor(rect.bottom / BAND_HEIGHT)];

const indexOverlays = () => {
  overlaysByBand = new Map();
  tallOverlays = [];
  for (const overlay of overlays) {
    const [first, last] = bandsOf(overlay.rect);
    if (last - first > MAX_BANDS) tallOverlays.push(overlay);
    else
      for (let band = first; band <= last; band++)
        overlaysByBand.set(band, [...(overlaysByBand.get(band) || []), overlay]);
  }
};

// In tree order, each once.
/** @param {Box[]} rects */
const overlaysNear = (rects) => {
  const near = new Set(tallOverlays);
  for (const rect of rects) {
    const [first, last] = bandsOf(rect);
    for (let band = first; band <= Math.min(last, first + MAX_BANDS); band++)
      for (const overlay of overlaysByBand.get(band) || []) if (touches(overlay, rect)) near.add(overlay);
  }
  return [...near];
};

/** @param {Overlay} overlay @param {Box} rect */
const touches = (overlay, rect) =>
  rect.left < overlay.rect.right &&
  rect.right > overlay.rect.left &&
  rect.top < overlay.rect.bottom &&
  rect.bottom > overlay.rect.top;

const SAMPLE_POSITIONS = [0.02, 0.26, 0.5, 0.74, 0.98];

// Several boxes together may cover what none of them covers alone.
/** @param {Overlay[]} above @param {Box} rect */
const isCoveredBy = (above, rect) =>
  SAMPLE_POSITIONS.every((part) => {
    const x = rect.left + rect.width * part;
    return SAMPLE_POSITIONS.every((share) => {
      const y = rect.top + rect.height * share;
      return above.some(
        ({ rect: box }) => x >= box.left - 1 && x <= box.right + 1 && y >= box.top - 1 && y <= box.bottom + 1,
      );
    });
  });

// Most of a page is far from any overlay, which one rectangle shows as well as all of them.
/** @param {Node} node */
const isNearOverlay = (node) => {
  if (tallOverlays.some((overlay) => !containsNode(node, overlay.element))) return true;
  let box = isElement(node) ? rectOf(node) : null;
  if (!box || box.width === 0) {
    RANGE.selectNodeContents(node);
    box = RANGE.getBoundingClientRect();
  }
  const rect = plainRect(box);
  const [first, last] = bandsOf(rect);
  for (let band = first; band <= Math.min(last, first + MAX_BANDS); band++) {
    const within = overlaysByBand.get(band);
    if (
      within !== undefined &&
      within.some((overlay) => touches(overlay, rect) && !containsNode(node, overlay.element))
    )
      return true;
  }
  return false;
};

/** @param {Node} node */
const isNodeCovered = (node) => {
  const rects = rectsOf(node);
  if (!rects.length || rects[0].width === 0) return false;
  const above = overlaysNear(rects).filter(
    (overlay) => !containsNode(overlay.element, node) && isPaintedOver(node, overlay),
  );
  return above.length !== 0 && rects.every((rect) => isCoveredBy(above, rect));
};

// A text row may consist of several nodes, of which only some are covered.
/** @param {Row} row */
const coveredReason = (row) => {
  const nodes = row.nodes || [/** @type {Node} */ (row.node || row.element)];
  if (!nodes.some(isNearOverlay)) return "";
  const covered = nodes.filter(isNodeCovered).length;
  return covered === nodes.length ? "covered" : covered ? "partly covered" : sameColourReason(row);
};

// Text that has the colour of a box painted behind it, of which it is not a descendant.
/** @param {Row} row */
const sameColourReason = (row) => {
  const node = row.node;
  if (!(row.flags & TEXT) || !node) return "";
  const [rect] = rectsOf(node);
  const below =
    rect &&
    overlaysNear([rect]).filter((overlay) => !containsNode(overlay.element, node) && isCoveredBy([overlay], rect));
  if (!below || !below.length) return "";
  const box = below[below.length - 1];
  if (box.facts.backgroundImage || box.facts.background[3] < 0.95 || isPaintedOver(node, box)) return "";
  const inside = contextInside(flattenedParent(node) || /** @type {Element} */ (node));
  if (inside.hasBackground && !containsNode(/** @type {Element} */ (parentElementOf(box.element)), node)) return "";
  return contrast(compositeOver(inside.facts.colour, box.facts.background), box.facts.background) < LOW_CONTRAST
    ? "same colour"
    : "";
};

export const markCovered = () => {
  if (!overlays.length) return;
  indexOverlays();
  let checks = 0;
  for (const row of rows) {
    if (row.flags & (UNSEEN | FOLD | BEHIND) || !(row.node || row.element)) continue;
    if (++checks > MAX_COVER_CHECKS) return;
    const reason = coveredReason(row);
    if (!reason) continue;
    row.flags |= UNSEEN;
    if (row.flags & TEXT) row.mark = reason;
    else row.marks += markFor(reason);
  }
};
