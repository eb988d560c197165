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
  let [share, count] = [0, 0];
  for (const line of RANGE_OF_PART.getClientRects()) {
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
  const isVertical = getComputedStyle(parent).writingMode.startsWith("vertical");
  const data = textDataOf(node);
  const limit = looksLeft - MAX_LOOKS_PER_TEXT;
  /** @type {TextPart[]} */
  const parts = [];
  /** @param {number} from @param {number} to @returns {boolean} */
  const look = (from, to) => {
    if (--looksLeft < Math.max(limit, 0)) return false;
    const share = shareOf(node, from, to, clip, isVertical);
    if (share !== null && share > 0 && share < 1 && to - from > 1) {
      const middle = (from + to) >> 1;
      return look(from, middle) && look(middle, to);
    }
    addPart(parts, data.slice(from, to), share === null ? null : share >= SEEN_SHARE);
    return true;
  };
  return look(0, data.length) ? withoutSlivers(parts) : null;
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
