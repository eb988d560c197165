// Which part of a text is cut off by the box around it: an ellipsis, a line below the last one shown, text pushed aside.

import { isText, textDataOf } from "../dom/natives.js";
import { parentElementOf } from "../dom/tree.js";

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
