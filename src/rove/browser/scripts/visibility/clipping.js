// The visible part of a box: overflow, clip and clip-path as rectangles.

import { isHtml } from "../dom/elements.js";
import {
  childrenOf,
  clientHeightOf,
  clientLeftOf,
  clientTopOf,
  clientWidthOf,
  offsetHeightOf,
  offsetWidthOf,
  scrollHeightOf,
  scrollLeftOf,
  scrollTopOf,
  scrollWidthOf,
} from "../dom/natives.js";

/** @param {Clip | null} clip @param {Edges} rect */
export const intersectClip = (clip, rect) => {
  const left = clip ? Math.max(clip.left, rect.left) : rect.left;
  const top = clip ? Math.max(clip.top, rect.top) : rect.top;
  const right = clip ? Math.min(clip.right, rect.right) : rect.right;
  const bottom = clip ? Math.min(clip.bottom, rect.bottom) : rect.bottom;
  // A box that is small in one direction only is collapsed, like a closed menu.
  const small = rect.right - rect.left <= 2 && rect.bottom - rect.top <= 2;
  return {
    left,
    top,
    right,
    bottom,
    small: small || Boolean(clip && clip.small),
    scrolls: Boolean(clip && clip.scrolls),
  };
};

// Whether some of the rectangle lies outside, by more than the rounding of positions.
/** @param {Edges} clip @param {Edges} rect */
export const reachesOver = (clip, rect) =>
  rect.left < clip.left - 2 || rect.right > clip.right + 2 || rect.top < clip.top - 2 || rect.bottom > clip.bottom + 2;

// Whether the rectangle of an element is its box: neither scaled nor turned.
/** @param {Element} element @param {Box} rect */
const hasLayoutSize = (element, rect) =>
  isHtml(element) &&
  Math.abs(rect.width - offsetWidthOf(/** @type {HTMLElement} */ (element))) < 1 &&
  Math.abs(rect.height - offsetHeightOf(/** @type {HTMLElement} */ (element))) < 1;

// Whether a transform leaves little of the size of an element, or much more.
/** @param {Element} element @param {Box} rect */
export const isDistorted = (element, rect) => {
  if (!isHtml(element)) return false;
  const width = offsetWidthOf(/** @type {HTMLElement} */ (element));
  const height = offsetHeightOf(/** @type {HTMLElement} */ (element));
  return rect.width < width / 4 || rect.height < height / 4 || rect.width > 1e6;
};

// Where an element shows its content: inside its borders.
/** @param {Element} element @param {Box} rect */
export const paddingBox = (element, rect) => {
  if (!hasLayoutSize(element, rect)) return rect;
  const [left, top] = [rect.left + clientLeftOf(element), rect.top + clientTopOf(element)];
  return { left, top, right: left + clientWidthOf(element), bottom: top + clientHeightOf(element) };
};

const EVERYWHERE = { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity };

// What can be scrolled into view; everything where the content may begin at another edge than the top left.
/** @param {Element} element @param {Box} rect */
const scrollableArea = (element, rect) => {
  const style = getComputedStyle(element);
  const isTurned = style.direction === "rtl" || style.writingMode !== "horizontal-tb";
  if (isTurned || /reverse/.test(style.flexDirection + style.flexWrap) || !hasLayoutSize(element, rect))
    return EVERYWHERE;
  const left = rect.left + clientLeftOf(element) - scrollLeftOf(element);
  const top = rect.top + clientTopOf(element) - scrollTopOf(element);
  return { left, top, right: left + scrollWidthOf(element), bottom: top + scrollHeightOf(element) };
};

// The clip for the content of a scroller: along an axis that it does not scroll, its own box.
/** @param {Element} element @param {StyleRecord} facts @param {Box} rect @returns {Clip} */
export const scrollerClip = (element, facts, rect) => {
  const area = scrollableArea(element, rect);
  if (!facts.hidesAcross && !facts.hidesDown) return { ...area, scrolls: true };
  const box = paddingBox(element, rect);
  return {
    left: facts.hidesAcross ? box.left : area.left,
    right: facts.hidesAcross ? box.right : area.right,
    top: facts.hidesDown ? box.top : area.top,
    bottom: facts.hidesDown ? box.bottom : area.bottom,
    scrolls: true,
  };
};

/** @param {Clip} clip @param {Edges} rect */
export const isClippedAway = (clip, rect) => {
  const width = Math.min(rect.right, clip.right) - Math.max(rect.left, clip.left);
  const height = Math.min(rect.bottom, clip.bottom) - Math.max(rect.top, clip.top);
  return width <= 2 || height <= 2;
};

/** @param {Element} element @param {Box} rect */
export const legacyClipRect = (element, rect) => {
  const match = /^rect\(([^)]+)\)$/.exec(getComputedStyle(element).clip);
  if (!match) return null;
  const [top, right, bottom, left] = match[1].split(/[ ,]+/).map((part) => (part === "auto" ? NaN : parseFloat(part)));
  return {
    top: rect.top + (top || 0),
    left: rect.left + (left || 0),
    right: rect.left + (Number.isNaN(right) ? rect.width : right),
    bottom: rect.top + (Number.isNaN(bottom) ? rect.height : bottom),
  };
};

/** @param {string} part @param {number} whole */
const lengthIn = (part, whole) => (part.endsWith("%") ? (parseFloat(part) / 100) * whole : parseFloat(part) || 0);

// The bounding rectangle of a clip-path in the viewport; null for shapes that are not computed.
/** @param {string} value @param {Box} rect */
export const clipPathRect = (value, rect) => {
  const match = /^(\w+)\((.*)\)(?: [\w-]+)?$/.exec(value);
  if (!match) return null;
  const [, shape, inside] = match;
  if (shape === "inset") return insetRect(inside.split(" round ")[0].trim().split(/\s+/), rect);
  if (shape === "polygon") return polygonRect(inside, rect);
  if (shape === "circle" || shape === "ellipse") return ellipseRect(inside, rect);
  if (shape === "path" || shape === "shape") return isSmallPath(inside) ? emptyRect(rect) : null;
  if (shape === "url") return isEmptyClipPath(inside) ? emptyRect(rect) : null;
  return null;
};

// A circle or ellipse with a given size; others reach a side of the box.
/** @param {string} inside @param {Box} rect */
const ellipseRect = (inside, rect) => {
  const [sizes, place = "50% 50%"] = inside.split(/(?:^|\s)at\s/);
  const [across, down = across] = sizes.trim().split(/\s+/);
  if (!/^[\d.]+(?:px|%)$/.test(across) || !/^[\d.]+(?:px|%)$/.test(down)) return null;
  const [x, y = "50%"] = place.trim().split(/\s+/);
  const middle = [rect.left + lengthIn(x, rect.width), rect.top + lengthIn(y, rect.height)];
  const [width, height] = [lengthIn(across, rect.width), lengthIn(down, rect.height)];
  return { left: middle[0] - width, right: middle[0] + width, top: middle[1] - height, bottom: middle[1] + height };
};

// Whether all its numbers are so close together that no letter fits inside.
/** @param {string} inside */
const isSmallPath = (inside) => {
  const numbers = (inside.match(/-?(?:\d+\.?\d*|\.\d+)/g) || []).map(Number);
  return Math.max(...numbers, -Infinity) - Math.min(...numbers, Infinity) < 3;
};

// Whether a clipPath element of the document is empty. False where there is none.
/** @param {string} inside */
const isEmptyClipPath = (inside) => {
  const id = /^"?#([^"]+)"?$/.exec(inside);
  const path = id && document.getElementById(id[1]);
  if (!path) return false;
  return [...childrenOf(path)].every((/** @type {any} */ shape) => {
    const box = shape.getBBox ? shape.getBBox() : { width: 0, height: 0 };
    return box.width < 2 || box.height < 2;
  });
};

/** @param {Box} rect */
const emptyRect = (rect) => ({ left: rect.left, top: rect.top, right: rect.left, bottom: rect.top });

/** @param {string[]} parts @param {Box} rect */
const insetRect = (parts, rect) => {
  const [top, right = top, bottom = top, left = right] = parts;
  return {
    top: rect.top + lengthIn(top, rect.height),
    bottom: rect.bottom - lengthIn(bottom, rect.height),
    left: rect.left + lengthIn(left, rect.width),
    right: rect.right - lengthIn(right, rect.width),
  };
};

/** @param {string} inside @param {Box} rect */
const polygonRect = (inside, rect) => {
  const points = inside
    .replace(/^(?:evenodd|nonzero), /, "")
    .split(", ")
    .map((point) => point.trim().split(/\s+/));
  const across = points.map(([x]) => rect.left + lengthIn(x, rect.width));
  const down = points.map(([, y]) => rect.top + lengthIn(y || "0", rect.height));
  const area = across.reduce((sum, x, i) => {
    const next = (i + 1) % across.length;
    return sum + x * down[next] - across[next] * down[i];
  }, 0);
  if (Math.abs(area) < 8) return emptyRect(rect);
  return { left: Math.min(...across), right: Math.max(...across), top: Math.min(...down), bottom: Math.max(...down) };
};
