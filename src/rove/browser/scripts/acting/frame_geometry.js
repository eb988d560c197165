// Where the content of a frame lies in its parent document.

import { FRAMES } from "../dom/elements.js";
import { isElement, matchesSelector, rectOf } from "../dom/natives.js";
import { elementOfRef, refNumber } from "../dom/refs.js";
import { deepestAt, flattenedParent } from "../dom/tree.js";
import { lineOf, withElement } from "./element_calls.js";
import { pageScroller, scrollsAtAll } from "./scrolling.js";

// The top left corner of a frame's content, and the size of one of its pixels here: a frame may be scaled or zoomed.
/** @param {any} element */
const contentBoxOf = (element) => {
  const box = rectOf(element);
  const style = getComputedStyle(element);
  const across = box.width / element.offsetWidth || 1;
  const down = box.height / element.offsetHeight || 1;
  return {
    x: box.left + (element.clientLeft + parseFloat(style.paddingLeft)) * across,
    y: box.top + (element.clientTop + parseFloat(style.paddingTop)) * down,
    across,
    down,
  };
};

// The element at a point; for a frame, also the point in the frame's own coordinates.
/** @param {number} x @param {number} y */
export const hitAt = (x, y) => {
  const hit = deepestAt(x, y);
  if (!hit) return null;
  const inside = contentBoxOf(hit);
  return {
    ref: "e" + refNumber(hit),
    line: lineOf(hit),
    isFrame: matchesSelector(hit, FRAMES),
    x: (x - inside.x) / inside.across,
    y: (y - inside.y) / inside.down,
  };
};

// A frame may be larger than the viewport, so scrolling it into view may leave the wanted point outside.
/** @param {Element} frame @param {() => Point} point */
const scrollPointIntoView = (frame, point) => {
  const page = pageScroller();
  for (let around = flattenedParent(frame); around; around = flattenedParent(around)) {
    if (around !== page && !(isElement(around) && scrollsAtAll(around))) continue;
    const box = around === page ? new DOMRect(0, 0, innerWidth, innerHeight) : rectOf(around);
    const [x, y] = point();
    const left = x < box.left || x >= box.right ? x - (box.left + box.width / 2) : 0;
    const top = y < box.top || y >= box.bottom ? y - (box.top + box.height / 2) : 0;
    if (left || top) around.scrollBy({ left, top, behavior: "instant" });
  }
};

export const frameOrigin = withElement((element, x, y) => {
  /** @returns {Point} */
  const point = () => {
    const inside = contentBoxOf(element);
    return [inside.x + x * inside.across, inside.y + y * inside.down];
  };
  if (deepestAt(...point()) !== element) {
    Element.prototype.scrollIntoView.call(element, { block: "nearest", inline: "nearest", behavior: "instant" });
    scrollPointIntoView(element, point);
  }
  return contentBoxOf(element);
});

export const frameBoxNow = withElement((element) => contentBoxOf(element));

/** @param {string} ref @param {number} x @param {number} y */
export const hitsFrame = (ref, x, y) => {
  const hit = deepestAt(x, y);
  return hit === elementOfRef(ref) ? null : hit ? lineOf(hit) : "nothing";
};
