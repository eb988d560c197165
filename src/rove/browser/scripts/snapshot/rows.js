// The rows of one pass. Runs of text are merged into one row.

import { clean, clip, escapeQuoted, MAX_TEXT, quote, squash, thousands } from "../dom/text.js";
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
export const BEHIND = 512;
export const COVER = 1024;

/** @type {Row[]} */
export let rows = [];
/** @type {TextRun | null} */
export let textRun = null;
/** @type {number[]} */
export let frames = [];

// The most characters of one row of text.
export let longestText = MAX_TEXT;

/** @param {number} longest */
export const startRows = (longest = MAX_TEXT) => {
  longestText = longest;
  rows = [];
  textRun = null;
  frames = [];
  lineStart = 0;
};

// The number of rows when the current line of inline content began.
let lineStart = 0;

/** @param {Row[]} kept */
export const replaceRows = (kept) => {
  rows = kept;
};

/** @param {Row} row */
export const pushRow = (row) => {
  flushText(Boolean(row.flags & PRESS));
  rows.push(row);
  return row;
};

// A run is text without interruption; it becomes one row.
/** @param {string} text @param {VisibilityContext} context @param {string} reason @param {Node} [node] @returns {TextRun} */
export const addText = (text, context, reason, node) => {
  const mark = reason || context.inert;
  const { depth, struck } = context;
  if (textRun && (textRun.mark !== mark || textRun.depth !== depth || textRun.struck !== struck)) flushText();
  if (!textRun) textRun = { text: "", mark, depth, inView: false, glue: "", node, nodes: null, struck };
  else if (node && textRun.node !== node) {
    textRun.nodes ??= [textRun.node];
    textRun.nodes.push(node);
  }
  if (context.displaced || context.sunken) textRun.displaced = true;
  if (textRun.glue) {
    if (textRun.text && !/\s$/.test(textRun.text) && !/^\s/.test(text)) textRun.text += textRun.glue;
    textRun.glue = "";
  }
  if (textRun.text.length < longestText * 2) textRun.text += text;
  else textRun.dropped = (textRun.dropped || 0) + text.length;
  if (textRun.whole !== undefined) textRun.whole += text;
  return textRun;
};

// Text that is cut off after text that is shown belongs to the same row; else it gets a row of its own.
/** @param {string} text @param {VisibilityContext} context @param {Node} node @returns {TextRun} */
export const addCutOffText = (text, context, node) => {
  const run = textRun;
  if (!run || run.mark !== context.inert || run.depth !== context.depth || !run.text.trim())
    return addText(text, context, "clipped", node);
  run.whole = (run.whole ?? run.text) + text;
  if (run.cut && run.cutAt === run.text.length) run.cut[run.cut.length - 1] += text;
  else {
    run.cut = [...(run.cut || []), text];
    run.text = run.text.trimEnd() + "…";
    run.cutAt = run.text.length;
  }
  return run;
};

/** @param {string} glue */
export const separateText = (glue) => {
  if (textRun && textRun.text) textRun.glue = glue;
};

// Bars, dots, commas and brackets beside a link in the same line only separate it from others. By itself such a text
// says something: an empty list, a delimiter.
const SEPARATOR = /^(?:[|·•,]\s*[([]?|[([]|[)\]]\s*[|·•,([]?)$/;

/** @param {string} text @param {boolean} isBeforeControl */
const isSeparator = (text, isBeforeControl) =>
  SEPARATOR.test(text) && (isBeforeControl || (rows.length > lineStart && (rows[rows.length - 1].flags & PRESS) !== 0));

// Ends a line of inline content.
export const breakText = () => {
  flushText();
  lineStart = rows.length;
};

/** @param {string} text */
const trimText = (text) => (text.includes("\n") ? trimLines(text) : text.trim());

/** @param {string} text */
const trimLines = (text) =>
  text.replace(/[ \t]*\n[ \t]*/g, (whole) => (whole.includes("\t") ? whole : "\n")).replace(/^[\s]+|[\s]+$/g, "");

export const flushText = (isBeforeControl = false) => {
  if (!textRun) return;
  const { text, mark, depth, inView, dropped, displaced, preformatted, node, nodes, struck, cut, whole } = textRun;
  textRun = null;
  const kept = preformatted ? text.replace(/^\n+|[ \t\r\f]+$/g, "") : trimText(text);
  if (!kept.trim() || (!mark && isSeparator(kept, isBeforeControl))) return;
  const limit = mark ? MAX_TEXT : longestText;
  const shown = clip(clean(kept.length > limit * 2 ? clip(kept, limit * 2) : kept), limit);
  if (!shown.trim()) return;
  const missing = shown.length < limit ? 0 : (dropped || 0) + kept.length - shown.length;
  const flags = TEXT | (inView ? IN_VIEW : 0) | (mark ? UNSEEN : 0);
  rows.push({
    depth,
    flags,
    ref: 0,
    text: shown,
    missing,
    mark,
    struck,
    cut: cut && cut.map(squash),
    whole: whole && clean(whole),
    line: "",
    displaced,
    node,
    nodes: nodes && nodes.filter((each) => each !== undefined),
  });
};

/** @param {Row} row */
export const textLine = (row) =>
  '"' +
  escapeQuoted(row.text || "") +
  '"' +
  (row.missing ? `(+${thousands(row.missing)} chars)` : "") +
  (row.struck ? " (struck through)" : "") +
  (row.cut ? cutMark(row.cut) : "") +
  markFor(row.mark || "");

/** @param {string[]} texts */
export const cutMark = (texts) => ` (invisible: clipped ${texts.map((text) => quote(text, MAX_CUT)).join(" ")})`;

// Enough to tell what it is: the whole of it is read with the element's own snapshot or its text.
const MAX_CUT = 60;

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
  row.inlined = first;
  row.flags |= first.flags & IN_VIEW;
  rows.splice(index + 1, 1);
};

/** @param {number} index */
export const dropRowKeepChildren = (index) => {
  const depth = rows[index].depth;
  rows.splice(index, 1);
  for (let i = index; i < rows.length; i++) rows[i].depth = Math.max(depth, rows[i].depth - 1);
};
