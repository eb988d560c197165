// The size of the page and of the viewport, and where rectangles lie in them.

import { bodyOf, clientWidthOf, rootElementOf, scrollHeightOf, scrollWidthOf } from "../dom/natives.js";
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
