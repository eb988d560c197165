// The size of the page and of the viewport, where rectangles lie in them, and how far scrolling moves them.

import {
  bodyOf,
  clientHeightOf,
  clientWidthOf,
  rectOf,
  rootElementOf,
  scrollHeightOf,
  scrollLeftOf,
  scrollTopOf,
  scrollWidthOf,
} from "../dom/natives.js";
import { flattenedParent } from "../dom/tree.js";
import { measureCanvas } from "./colours.js";

export let viewWidth = 0;
export let viewHeight = 0;
let pageLeft = 0;
let pageTop = 0;
export let pageWidth = 0;
export let pageHeight = 0;
// What a person can reach of a page that is wider than it lets them scroll; else null.
/** @type {Clip | null} */
export let pageClip = null;

export const measurePage = () => {
  measureCanvas();
  const root = rootElementOf(document);
  if (!root) {
    // document.open() and scripts that remove the root leave a document without any element.
    [viewWidth, viewHeight, pageLeft, pageTop] = [innerWidth, innerHeight, 0, 0];
    [pageWidth, pageHeight, pageClip] = [viewWidth, viewHeight, null];
    return;
  }
  const scroller = document.scrollingElement || root;
  viewWidth = clientWidthOf(root) || innerWidth;
  viewHeight = innerHeight;
  const style = getComputedStyle(root);
  const bodyStyle = bodyOf(document) ? getComputedStyle(bodyOf(document)) : style;
  const locked =
    /hidden|clip/.test(style.overflowY) || (style.overflowY === "visible" && /hidden|clip/.test(bodyStyle.overflowY));
  const lockedX =
    /hidden|clip/.test(style.overflowX) || (style.overflowX === "visible" && /hidden|clip/.test(bodyStyle.overflowX));
  pageLeft = -scrollX;
  pageTop = -scrollY;
  pageWidth = lockedX ? viewWidth + scrollX : Math.max(scrollWidthOf(scroller), viewWidth);
  pageHeight = locked ? viewHeight + scrollY : Math.max(scrollHeightOf(scroller), viewHeight);
  if (style.direction === "rtl") pageLeft -= pageWidth - viewWidth;
  pageClip =
    lockedX && scrollWidthOf(scroller) > viewWidth + 1
      ? { left: pageLeft, right: pageLeft + pageWidth, top: -Infinity, bottom: Infinity }
      : null;
};

/** @param {Edges} rect @param {boolean} fixed */
export const outsidePage = (rect, fixed) => {
  if (fixed) return rect.right <= 0 || rect.bottom <= 0 || rect.left >= viewWidth || rect.top >= viewHeight;
  return (
    rect.right <= pageLeft ||
    rect.bottom <= pageTop ||
    rect.left >= pageLeft + pageWidth ||
    rect.top >= pageTop + pageHeight
  );
};

// 1: inside the viewport, 2: outside, 0: partly. Descendants of a box that is inside or outside need no measuring.
/** @param {Box} rect */
export const viewOf = (rect) => {
  if (rect.bottom <= 0 || rect.top >= viewHeight || rect.right <= 0 || rect.left >= viewWidth) return 2;
  return rect.top >= 0 && rect.bottom <= viewHeight && rect.left >= 0 && rect.right <= viewWidth ? 1 : 0;
};

// How far scrolling moves a text in relation to a box: what a header hides now may be in the open after a scroll.

/** @type {Map<Element, Scroller | null>} */
let scrollers = new Map();
/** @type {Map<Element, Scroller[]>} */
let scrollersByElement = new Map();
/** @type {Scroller | null} */
let viewport = null;

export const resetScrollRanges = () => {
  scrollers = new Map();
  scrollersByElement = new Map();
  viewport = null;
};

// `back`: how far content can move right and down; `on`: how far it can move left and up.
/** @param {Edges} box @param {number[]} position @param {number[]} most @returns {Scroller} */
const newScroller = (box, position, most) => ({
  box,
  back: position,
  on: [Math.max(0, most[0] - position[0]), Math.max(0, most[1] - position[1])],
});

const viewportScroller = () => {
  viewport ??= newScroller(
    { left: 0, top: 0, right: viewWidth, bottom: viewHeight },
    [Math.abs(scrollX), scrollY],
    [pageWidth - viewWidth, pageHeight - viewHeight],
  );
  return viewport;
};

/** @param {Element} element @param {CSSStyleDeclaration} style @returns {Scroller | null} */
const scrollerAt = (element, style) => {
  const [across, down] = [/auto|scroll/.test(style.overflowX), /auto|scroll/.test(style.overflowY)];
  if (!across && !down) return null;
  const rect = rectOf(element);
  const most = [
    across ? scrollWidthOf(element) - clientWidthOf(element) : 0,
    down ? scrollHeightOf(element) - clientHeightOf(element) : 0,
  ];
  return newScroller(rect, [Math.abs(scrollLeftOf(element)), Math.max(0, scrollTopOf(element))], most);
};

/** @param {Element} element */
export const scrollerOf = (element) => {
  let scroller = scrollers.get(element);
  if (scroller === undefined) {
    scroller = scrollerAt(element, getComputedStyle(element));
    scrollers.set(element, scroller);
  }
  return scroller;
};

/** @param {Element} element */
const isViewportPart = (element) => element === rootElementOf(document) || element === bodyOf(document);

// The scroll containers that move an element, from the inside out. A fixed box is moved by none, a sticky one not by the
// nearest.
/** @param {Element} element @returns {Scroller[]} */
export const scrollersOf = (element) => {
  if (isViewportPart(element)) return [viewportScroller()];
  let found = scrollersByElement.get(element);
  if (found) return found;
  const parent = flattenedParent(element);
  const { position } = getComputedStyle(element);
  if (position === "fixed") found = [];
  else {
    const around = parent ? scrollersInside(parent) : [viewportScroller()];
    found = position === "sticky" ? around.slice(1) : around;
  }
  scrollersByElement.set(element, found);
  return found;
};

// Those that move the content of an element.
/** @param {Element} element */
export const scrollersInside = (element) => {
  const around = scrollersOf(element);
  const own = isViewportPart(element) ? null : scrollerOf(element);
  return own ? [own, ...around] : around;
};

/** @param {number} from @param {number} low @param {number} high @param {number} back @param {number} on */
const shiftToMiddle = (from, low, high, back, on) => Math.max(-on, Math.min(back, (low + high) / 2 - from));

// Whether it lies outside what a scroll container shows of its content.
/** @param {Scroller} scroller @param {Box} rect */
const isScrolledOut = ({ box }, rect) =>
  rect.bottom <= box.top + 1 || rect.top >= box.bottom - 1 || rect.right <= box.left + 1 || rect.left >= box.right - 1;

// Where scrolling brings a rectangle in relation to a box: nowhere else if both move together. `isOut`: the rectangle
// cannot be seen where it is now.
/** @param {Scroller[]} moving @param {Scroller[]} boxScrollers @param {Box} rect */
export const scrollShift = (moving, boxScrollers, rect) => {
  const shift = { x: 0, y: 0, isOut: false };
  for (const scroller of moving) {
    if (boxScrollers.includes(scroller)) break;
    const { box, back, on } = scroller;
    const middle = [(rect.left + rect.right) / 2 + shift.x, (rect.top + rect.bottom) / 2 + shift.y];
    if (isScrolledOut(scroller, rect)) shift.isOut = true;
    if (back[0] || on[0]) shift.x += shiftToMiddle(middle[0], box.left, box.right, back[0], on[0]);
    if (back[1] || on[1]) shift.y += shiftToMiddle(middle[1], box.top, box.bottom, back[1], on[1]);
  }
  return shift;
};
