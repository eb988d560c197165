// Scrolling of the page and of elements.

import { clientHeightOf, clientWidthOf, rootElementOf, scrollHeightOf, scrollWidthOf } from "../dom/natives.js";
import { deepestAt, flattenedParent, isWithin } from "../dom/tree.js";
import { withElement } from "./element_calls.js";
import { pointsOf } from "./hit_testing.js";
import { nextFrameOrTimeout } from "./waiting.js";

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
export const pageScroller = () => document.scrollingElement || rootElementOf(document);

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
export const scrollsAtAll = (element) => isScroller(element, true) || isScroller(element, false);
