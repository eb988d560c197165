// Scrolling of the page and of elements, and where the content of a frame lies.

import { FRAMES } from "../dom/elements.js";
import {
  clientHeightOf,
  clientWidthOf,
  isElement,
  matchesSelector,
  rectOf,
  rootElementOf,
  scrollHeightOf,
  scrollWidthOf,
} from "../dom/natives.js";
import { elementOfRef, refNumber } from "../dom/refs.js";
import { deepestAt, flattenedParent, isWithin } from "../dom/tree.js";
import { lineOf, nextFrameOrTimeout, withElement } from "./element_calls.js";
import { pointsOf } from "./presses.js";

/** @param {Element} element @param {boolean} down */
const isScroller = (element, down) => {
  const style = getComputedStyle(element);
  const overflow = down ? style.overflowY : style.overflowX;
  const room = down
    ? scrollHeightOf(element) > clientHeightOf(element)
    : scrollWidthOf(element) > clientWidthOf(element);
  return room && /auto|scroll|overlay/.test(overflow);
};

/** @returns {Element | null} */
const pageScroller = () => document.scrollingElement || rootElementOf(document);

// Null in a document without any element, as document.open() leaves it.
/** @param {Element | null} element @param {boolean} down @returns {Element | null} */
const scrollerFor = (element, down) => {
  const page = pageScroller();
  if (!page) return null;
  for (let current = element; current; current = flattenedParent(current)) {
    if (current !== page && isScroller(current, down)) return current;
  }
  if (element || page.scrollHeight > innerHeight) return page;
  // Many applications scroll an inner pane and never the page.
  const middle = deepestAt(innerWidth / 2, innerHeight / 2);
  for (let current = middle; current; current = flattenedParent(current)) if (isScroller(current, down)) return current;
  return page;
};

/** @param {Element} scroller @param {boolean} down */
const canScroll = (scroller, down) =>
  down ? scroller.scrollHeight > scroller.clientHeight : scroller.scrollWidth > scroller.clientWidth;

// The point at which to turn the mouse wheel: over an element that does not scroll itself, as a map or a canvas may
// handle the wheel; or over a page that cannot scroll. Null where scrolling by script does the same.
/** @param {Element | null} element @param {Element} scroller @param {boolean} down */
const wheelPoint = (element, scroller, down) => {
  if (scroller !== pageScroller()) return null;
  if (!element) return canScroll(scroller, down) ? null : [innerWidth / 2, innerHeight / 2];
  return pointsOf(element).find(([x, y]) => isWithin(deepestAt(x, y), element)) ?? null;
};

/** @param {string} direction @param {number | null | undefined} amount */
export const scrollPage = (direction, amount) => scrollFrom(null, direction, amount);

/** @param {Element | null} element @param {string} direction @param {number | null | undefined} amount */
export const scrollFrom = (element, direction, amount) => {
  const down = direction === "down" || direction === "up";
  const scroller = scrollerFor(element, down);
  if (!scroller) return scrollPosition(null);
  const page = down ? scroller.clientHeight : scroller.clientWidth;
  const distance = (amount ?? Math.round(page * 0.8)) * (direction === "up" || direction === "left" ? -1 : 1);
  const point = wheelPoint(element, scroller, down);
  if (point) return { wheel: { x: point[0], y: point[1], dx: down ? 0 : distance, dy: down ? distance : 0 } };
  scroller.scrollBy({ [down ? "top" : "left"]: distance, behavior: "instant" });
  return scrollPosition(scroller);
};

// The wheel scrolls one or more frames after it was turned.
export const afterWheel = async () => {
  let before = null;
  for (const deadline = performance.now() + 1000; performance.now() < deadline; ) {
    await nextFrameOrTimeout();
    await nextFrameOrTimeout();
    const now = scrollPosition(pageScroller());
    if (before && before.x === now.x && before.y === now.y) break;
    before = now;
  }
  return scrollPosition(pageScroller());
};

/** @param {Element | null} scroller */
const scrollPosition = (scroller) =>
  scroller
    ? {
        x: Math.round(scroller.scrollLeft),
        y: Math.round(scroller.scrollTop),
        below: Math.max(0, Math.round(scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop)),
      }
    : { x: 0, y: 0, below: 0 };

export const scrollTo = withElement((element) => {
  Element.prototype.scrollIntoView.call(element, { block: "center", inline: "center", behavior: "instant" });
  return scrollPosition(scrollerFor(element, true));
});

/** @param {Element} element */
const scrollsAtAll = (element) => isScroller(element, true) || isScroller(element, false);

// Where the content of a frame lies in its parent document.

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
