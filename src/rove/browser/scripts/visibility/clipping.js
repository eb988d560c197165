// What is visible of a box and of the text in it: what overflow, clip and clip-path cut off.

import { isHtml } from "../dom/elements.js";
import {
  childrenOf,
  clientHeightOf,
  clientLeftOf,
  clientTopOf,
  clientWidthOf,
  isText,
  offsetHeightOf,
  offsetWidthOf,
  scrollHeightOf,
  scrollLeftOf,
  scrollTopOf,
  scrollWidthOf,
  textDataOf,
} from "../dom/natives.js";
import { parentElementOf } from "../dom/tree.js";

// The visible part of a box: overflow, clip and clip-path as rectangles.

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

// Which part of a text is cut off by the box around it: an ellipsis, a line below the last one shown, text pushed aside.

const RANGE_OF_PART = document.createRange();
// A letter counts as seen if so much of it is.
const SEEN_SHARE = 0.4;
const MAX_LOOKS_PER_TEXT = 300;
const MAX_LOOKS = 6000;

let looksLeft = 0;

export const resetClippedText = () => {
  looksLeft = MAX_LOOKS;
};

/** @param {number} from @param {number} to @param {number} start @param {number} end */
const overlap = (from, to, start, end) => Math.min(to, end) - Math.max(from, start);

// 1: a line of text is shown, 0: it is not, a number between: so much of its length is.
/** @param {DOMRect} line @param {Clip} clip @param {boolean} isVertical */
const shownShare = (line, clip, isVertical) => {
  const across = overlap(line.left, line.right, clip.left, clip.right);
  const down = overlap(line.top, line.bottom, clip.top, clip.bottom);
  const [along, length] = isVertical ? [down, line.height] : [across, line.width];
  const [thick, thickness] = isVertical ? [across, line.width] : [down, line.height];
  if (thick < thickness * SEEN_SHARE || along <= 1) return 0;
  return along >= length - 1 ? 1 : along / length;
};

// The share of the characters between two offsets that is shown; null where they take no room, as collapsed spaces.
/** @param {Node} node @param {number} from @param {number} to @param {Clip} clip @param {boolean} isVertical */
const shareOf = (node, from, to, clip, isVertical) => {
  RANGE_OF_PART.setStart(node, from);
  RANGE_OF_PART.setEnd(node, to);
  const lines = RANGE_OF_PART.getClientRects();
  if (lines.length === 1) return lines[0].width ? shownShare(lines[0], clip, isVertical) : null;
  let [share, count] = [0, 0];
  for (const line of lines) {
    if (line.width === 0 || line.height === 0) continue;
    share += shownShare(line, clip, isVertical);
    count += 1;
  }
  return count ? share / count : null;
};

// The text of a node in parts that are shown and parts that are cut off, in order. Null where that takes too many looks.
/** @param {Node} node @param {VisibilityContext} context @returns {TextPart[] | null} */
export const clippedParts = (node, context) => {
  const clip = context.clip;
  const parent = parentElementOf(node);
  if (!clip || !parent || !isText(node)) return null;
  const { writingMode, direction } = getComputedStyle(parent);
  const isVertical = writingMode.startsWith("vertical");
  const data = textDataOf(node);
  const end = !isVertical && direction === "ltr" && !RIGHT_TO_LEFT.test(data) ? endOfLine(node, data.length, clip) : 0;
  if (end) return withoutSlivers([partOf(data.slice(0, end), true), partOf(data.slice(end), false)]);
  const limit = looksLeft - MAX_LOOKS_PER_TEXT;
  /** @type {TextPart[]} */
  const parts = [];
  /** @param {number} from @param {number} to @returns {boolean} */
  const look = (from, to) => {
    if (--looksLeft < Math.max(limit, 0)) return false;
    const share = shareOf(node, from, to, clip, isVertical);
    if (share !== null && share > 0 && share < 1 && to - from > 1) {
      // Most often the beginning is shown, so that the share tells where the rest begins.
      const middle = from + Math.min(to - from - 1, Math.max(1, Math.round((to - from) * share)));
      return look(from, middle) && look(middle, to);
    }
    addPart(parts, data.slice(from, to), share === null ? null : share >= SEEN_SHARE);
    return true;
  };
  return look(0, data.length) ? withoutSlivers(parts) : null;
};

const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFEFC]/;

/** @param {string} text @param {boolean} isSeen */
const partOf = (text, isSeen) => ({ text, isSeen });

const MAX_GUESSES = 6;

// Where text of one line is cut off at its right, as an ellipsis does, in a few looks; 0 where it is not so simple.
/** @param {Node} node @param {number} length @param {Clip} clip */
const endOfLine = (node, length, clip) => {
  RANGE_OF_PART.selectNodeContents(node);
  const lines = RANGE_OF_PART.getClientRects();
  if (lines.length > 2) return 0;
  const { left, width, top, bottom } = lines[0];
  if (left < clip.left - 1 || top < clip.top - 1 || bottom > clip.bottom + 1) return 0;
  // Before an ellipsis, Chromium adds a second rectangle: of what it leaves.
  const isShort = lines.length === 2 && lines[1].left === left && lines[1].top === top;
  if (lines.length === 2 && !isShort) return 0;
  const right = isShort ? lines[1].right : clip.right;
  const letter = width / length;
  let at = Math.round((right - left) / letter);
  for (let i = 0; i < MAX_GUESSES && at > 0 && at < length; i++) {
    looksLeft -= 1;
    RANGE_OF_PART.setEnd(node, at);
    const step = Math.round((right - RANGE_OF_PART.getBoundingClientRect().right) / letter);
    if (step === 0) return at;
    at += step;
  }
  return 0;
};

/** @param {TextPart[]} parts @param {string} text @param {boolean | null} isSeen */
const addPart = (parts, text, isSeen) => {
  const last = parts[parts.length - 1];
  if (last && (isSeen === null || last.isSeen === isSeen)) last.text += text;
  else parts.push({ text, isSeen: isSeen !== false });
};

// Spaces and marks that are cut off are nothing that a person misses.
/** @param {TextPart[]} parts */
const withoutSlivers = (parts) => {
  /** @type {TextPart[]} */
  const kept = [];
  for (const { text, isSeen } of parts) addPart(kept, text, isSeen || !/[\p{L}\p{N}]/u.test(text));
  return kept;
};
