// The rows of one pass. Runs of text are merged into one row.

import { clean, clip, escapeQuoted, MAX_TEXT, thousands } from "../dom/text.js";
import { markFor, REF_PLACEHOLDER } from "./lines.js";

export const PRESS = 1;
export const IN_VIEW = 2;
export const TEXT = 4;
export const STRUCTURE = 8;
export const UNSEEN = 16;
export const FOLD = 32;
export const FRAME = 64;
export const ITEM = 128;
export const FOCUSED = 256;

/** @type {Row[]} */
export let rows = [];
/** @type {TextRun | null} */
export let textRun = null;
/** @type {number[]} */
export let frames = [];

export const startRows = () => {
  rows = [];
  textRun = null;
  frames = [];
};

/** @param {Row[]} kept */
export const replaceRows = (kept) => {
  rows = kept;
};

/** @param {Row} row */
export const pushRow = (row) => {
  flushText();
  rows.push(row);
  return row;
};

// A run is text without interruption; it becomes one row.
/** @param {string} text @param {VisibilityContext} context @param {string} reason @param {Node} [node] @returns {TextRun} */
export const addText = (text, context, reason, node) => {
  const mark = reason || context.inert;
  if (textRun && (textRun.mark !== mark || textRun.depth !== context.depth)) flushText();
  if (!textRun) textRun = { text: "", mark, depth: context.depth, inView: false, glue: "", node, nodes: null };
  else if (node && textRun.node !== node) {
    textRun.nodes ??= [textRun.node];
    textRun.nodes.push(node);
  }
  if (textRun.glue) {
    if (textRun.text && !/\s$/.test(textRun.text) && !/^\s/.test(text)) textRun.text += textRun.glue;
    textRun.glue = "";
  }
  if (textRun.text.length < MAX_TEXT * 2) textRun.text += text;
  else textRun.dropped = (textRun.dropped || 0) + text.length;
  return textRun;
};

/** @param {string} glue */
export const separateText = (glue) => {
  if (textRun && textRun.text) textRun.glue = glue;
};

// Bars, dots and brackets between links are only visual separators.
const SEPARATOR = /^[|·•()[\],\s]+$/;

/** @param {string} text */
const trimText = (text) => (text.includes("\n") ? trimLines(text) : text.trim());

/** @param {string} text */
const trimLines = (text) =>
  text.replace(/[ \t]*\n[ \t]*/g, (whole) => (whole.includes("\t") ? whole : "\n")).replace(/^[\s]+|[\s]+$/g, "");

export const flushText = () => {
  if (!textRun) return;
  const { text, mark, depth, inView, dropped, preformatted, node, nodes } = textRun;
  textRun = null;
  const kept = preformatted ? text.replace(/^\n+|\s+$/g, "") : trimText(text);
  if (!kept.trim() || (kept.length <= 3 && !mark && SEPARATOR.test(kept))) return;
  const shown = clip(clean(kept.length > MAX_TEXT * 2 ? clip(kept, MAX_TEXT * 2) : kept), MAX_TEXT);
  if (!shown.trim()) return;
  const missing = shown.length < MAX_TEXT ? 0 : (dropped || 0) + kept.length - shown.length;
  const flags = TEXT | (inView ? IN_VIEW : 0) | (mark ? UNSEEN : 0);
  rows.push({
    depth,
    flags,
    ref: 0,
    text: shown,
    missing,
    mark,
    line: "",
    node,
    nodes: nodes && nodes.filter((each) => each !== undefined),
  });
};

/** @param {Row} row */
const textLine = (row) =>
  '"' +
  escapeQuoted(row.text || "") +
  '"' +
  (row.missing ? `(+${thousands(row.missing)} chars)` : "") +
  markFor(row.mark || "");

// The line of a row, with its text after a colon where it contains only text.
/** @param {Row} row */
export const finishLine = (row) => {
  const end = (row.marks || "") + (row.ref ? REF_PLACEHOLDER : "");
  if (row.flags & TEXT) return textLine(row) + end;
  let line = row.line + end;
  if (row.inlineText) line += (line && ": ") + row.inlineText;
  return line;
};

const MAX_INLINE_SIBLINGS = 40;

// Moves the first text below a row into the row's own line.
/** @param {number} index */
export const inlineFirstText = (index) => {
  const row = rows[index];
  const first = rows[index + 1];
  if (!first || !(first.flags & TEXT) || first.depth !== row.depth + 1 || rows.length - index > MAX_INLINE_SIBLINGS)
    return;
  // A mark is told once, for the row and its text.
  const isMarked = first.mark && row.marks?.includes(markFor(first.mark));
  row.inlineText = textLine(isMarked ? { ...first, mark: "" } : first);
  row.flags |= first.flags & IN_VIEW;
  rows.splice(index + 1, 1);
};

/** @param {number} index */
export const dropRowKeepChildren = (index) => {
  const depth = rows[index].depth;
  rows.splice(index, 1);
  for (let i = index; i < rows.length; i++) rows[i].depth = Math.max(depth, rows[i].depth - 1);
};
