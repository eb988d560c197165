// Rows that only repeat what other rows tell are left out, and labels that repeat the text around them are shortened.

import { attr } from "../dom/elements.js";
import { containsNode } from "../dom/natives.js";
import { quote, squash } from "../dom/text.js";
import { parentElementOf } from "../dom/tree.js";
import { isListener } from "./press_targets.js";
import { CELL_ROLES, ITEM_ROLES } from "./row_roles.js";
import { groups, ITEM, PRESS, replaceRows, rows, STRUCTURE, TEXT, UNSEEN } from "./rows.js";

export const foldRepetition = () => {
  leaveOutRepeatedLinks();
  const tree = treeOfRows();
  shortenLabels(tree);
  for (let index = rows.length - 1; index > 0; index--) leaveOutWrapper(index, tree);
  removeLeftOutRows(tree);
};

/** @param {string} text */
const wordsOf = (text) => ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")} `.replace(/ +/g, " ");

/** @param {string} part @param {string} whole */
const hasAllWords = (part, whole) => {
  const words = wordsOf(whole);
  return wordsOf(part)
    .trim()
    .split(" ")
    .every((word) => words.includes(` ${word} `));
};

const LINKS_APART = 10;
const LEVELS_APART = 5;

// The picture of a card often leads where its title does: of two such links the one with the text is enough.
const leaveOutRepeatedLinks = () => {
  /** @type {Map<string, number>} */
  const last = new Map();
  rows.forEach((row, index) => {
    const href = row.role === "link" && row.element ? attr(row.element, "href") : null;
    if (!href || href.startsWith("#")) return;
    const before = last.get(href);
    last.set(href, index);
    if (before === undefined || index - before > LINKS_APART || !areNeighbours(rows[before], row)) return;
    if (repeats(before, index)) rows[before].isLeftOut = true;
    else if (repeats(index, before)) {
      row.isLeftOut = true;
      last.set(href, before);
    }
  });
};

// Whether a link without text of its own, such as a picture, tells nothing that the other does not tell.
/** @param {number} index @param {number} other */
const repeats = (index, other) => {
  const row = rows[index];
  const shown = rows[other];
  if (row.inlineText || row.reason || hasRowsBelow(index) || shown.flags & UNSEEN) return false;
  if (!shown.naming?.name || shown.naming.source !== "content" || (row.hasSeenText && !row.inert)) return false;
  return hasAllWords(row.naming?.name || "", shown.naming.name);
};

/** @param {number} index */
const hasRowsBelow = (index) => index + 1 < rows.length && rows[index + 1].depth > rows[index].depth;

/** @param {Row} row @param {Row} other */
const areNeighbours = (row, other) => {
  let around = /** @type {Element | null} */ (row.element ?? null);
  for (let level = 0; around && level < LEVELS_APART; level++) {
    around = parentElementOf(around);
    if (around && containsNode(around, /** @type {Element} */ (other.element))) return true;
  }
  return false;
};

/** @returns {RowTree} */
const treeOfRows = () => {
  const parents = new Int32Array(rows.length);
  const counts = new Int32Array(rows.length);
  /** @type {number[]} */
  const above = [];
  rows.forEach((row, index) => {
    while (above.length && rows[above[above.length - 1]].depth >= row.depth) above.pop();
    parents[index] = above.length ? above[above.length - 1] : -1;
    if (parents[index] >= 0 && !row.isLeftOut) counts[parents[index]] += 1;
    above.push(index);
  });
  return { parents, counts };
};

/** @param {number} index */
const firstRowBelow = (index) => {
  let below = index + 1;
  while (below < rows.length && rows[below].isLeftOut) below += 1;
  return below;
};

// Leaves out a row that tells nothing but that it contains others.
/** @param {number} index @param {RowTree} tree */
const leaveOutWrapper = (index, tree) => {
  const row = rows[index];
  if (row.flags & TEXT || row.marks) return;
  if (row.inlineText) return leaveOutItemWord(row, index, tree);
  if (!tree.counts[index]) return;
  const below = rows[firstRowBelow(index)];
  const isOnly = tree.counts[index] === 1;
  if (row.role === "heading") {
    if (isOnly && isSameControl(row, below)) mergeHeading(row, below);
    else return;
  } else if (row.line === "listitem" && !row.ref) {
    if (!isOnly || below.flags & TEXT) return;
    below.flags |= row.flags & ITEM;
  } else if (row.line === "list" && !row.ref) {
    const parent = tree.parents[index];
    if (parent < 0 || tree.counts[parent] !== 1 || rows[parent].role === "list") return;
  } else if (!isOnly || !isEmptyCell(row) || !isSameControl(row, below)) return;
  row.isLeftOut = true;
  if (tree.parents[index] >= 0) tree.counts[tree.parents[index]] += tree.counts[index] - 1;
};

// An item that is only text is told by its text.
/** @param {Row} row @param {number} index @param {RowTree} tree */
const leaveOutItemWord = (row, index, tree) => {
  const parent = tree.parents[index];
  const isPlain = row.line === "listitem" && !row.ref && !tree.counts[index];
  if (isPlain && parent >= 0 && rows[parent].role === "list") row.line = "";
};

// A cell that can be focused, but neither listens nor has a state.
/** @param {Row} row */
const isEmptyCell = (row) =>
  CELL_ROLES.has(row.role || "") &&
  row.element !== undefined &&
  !isListener(row.element) &&
  row.line === `${row.role} ${quote(row.naming?.name || "")}`;

const CONTROLS_IN_WRAPPERS = new Set(["link", "button", "checkbox", "radio", "switch"]);

/** @param {Row} row @param {Row} below */
const isSameControl = (row, below) =>
  row.naming?.source === "content" &&
  Boolean(below.flags & PRESS) &&
  CONTROLS_IN_WRAPPERS.has(below.role || "") &&
  below.naming?.name === row.naming.name;

// A heading that is a link is told in one line.
/** @param {Row} row @param {Row} below */
const mergeHeading = (row, below) => {
  below.line = row.line.replace(` ${quote(row.naming?.name || "")}`, "") + ": " + below.line;
  below.flags |= row.flags & STRUCTURE;
  below.role = "heading";
};

const LONG_LABEL = 25;
const WORTH_CUTTING = 20;
const MAX_ITEM_ROWS = 60;
const LABEL_SOURCES = new Set(["aria-label", "title", "labelledby"]);
const BETWEEN_PARTS = /\s*[,;|·•\n]\s*|\s+[-–—]\s+|[:.]\s+/;

// In an item, such as a row of a mail list, labels often repeat the text of the whole item.
/** @param {RowTree} tree */
const shortenLabels = (tree) => {
  /** @type {Map<number, string>} */
  const seen = new Map();
  rows.forEach((row, index) => {
    const naming = row.naming;
    if (!naming || naming.name.length < LONG_LABEL || !LABEL_SOURCES.has(naming.source)) return;
    const item = itemAround(index, tree);
    if (item < 0) return;
    if (!seen.has(item)) seen.set(item, textIn(item));
    shortenLabel(row, naming.name, /** @type {string} */ (seen.get(item)));
  });
};

/** @param {number} index @param {RowTree} tree */
const itemAround = (index, tree) => {
  let item = index;
  while (item >= 0 && !ITEM_ROLES.has(rows[item].role || "")) item = tree.parents[item];
  return item;
};

// The text that is shown of an item, as words.
/** @param {number} item */
const textIn = (item) => {
  let text = "";
  for (let index = item + 1; index < rows.length && index - item <= MAX_ITEM_ROWS; index++) {
    const row = rows[index];
    if (row.depth <= rows[item].depth) break;
    text += ` ${row.text || ""} ${row.inlineText || ""} ${row.naming?.source === "content" ? row.naming.name : ""}`;
  }
  return wordsOf(text);
};

/** @param {Row} row @param {string} name @param {string} seen */
const shortenLabel = (row, name, seen) => {
  const parts = squash(name).split(BETWEEN_PARTS).filter(Boolean);
  const kept = parts.filter((part) => !seen.includes(wordsOf(part)));
  const shown = kept.length || !row.ref || ITEM_ROLES.has(row.role || "") ? kept : parts.slice(0, 1);
  const short = shown.length ? quote(`${shown.join(", ")}, …`) : "";
  const full = quote(name);
  if (full.length - short.length < WORTH_CUTTING || !row.line.includes(full)) return;
  if (short) row.line = row.line.replace(full, () => short);
  else row.line = row.line.replace(` ${full} (aria)`, "").replace(` ${full}`, "");
};

/** @param {RowTree} tree */
const removeLeftOutRows = ({ parents }) => {
  if (!rows.some((row) => row.isLeftOut)) return;
  const shifts = new Int32Array(rows.length);
  for (let index = 0; index < rows.length; index++) {
    const parent = parents[index];
    if (parent >= 0) shifts[index] = shifts[parent] + (rows[parent].isLeftOut ? 1 : 0);
    rows[index].depth -= shifts[index];
  }
  moveGroupItems();
  replaceRows(rows.filter((row) => !row.isLeftOut));
};

// A list is cut between its items, so the item of a row that is left out begins at the next row.
const moveGroupItems = () => {
  /** @type {Map<Row, Row>} */
  const next = new Map();
  rows.forEach((row, index) => {
    if (row.isLeftOut) next.set(row, rows[Math.min(firstRowBelow(index), rows.length - 1)]);
  });
  for (const group of groups) {
    group.items = group.items.map((item) => next.get(item) || item);
    if (group.last && group.last.isLeftOut) group.last = lastKeptBefore(group.last);
  }
};

/** @param {Row} row */
const lastKeptBefore = (row) => {
  let index = rows.indexOf(row);
  while (index > 0 && rows[index].isLeftOut) index -= 1;
  return rows[index];
};
