// The rows of one pass: text runs merged, wrappers without meaning folded as each element is left.

const PRESS = 1;
const IN_VIEW = 2;
const TEXT = 4;
const STRUCTURE = 8;
const UNSEEN = 16;
const FOLD = 32;
const FRAME = 64;
const ITEM = 128;
const FOCUSED = 256;

let rows = [];
let run = null;

const startRows = () => {
  rows = [];
  run = null;
};

const pushRow = (row) => {
  flushText();
  rows.push(row);
  return row;
};

// A run is a stretch of text that nothing interrupts; it becomes one row.
const addText = (text, context, reason, node) => {
  const mark = reason || context.apart;
  if (run && (run.mark !== mark || run.depth !== context.depth)) flushText();
  if (!run) run = { text: "", mark, depth: context.depth, inView: false, glue: "", node, nodes: null };
  else if (node && run.node !== node) (run.nodes = run.nodes || [run.node]).push(node);
  if (run.glue) {
    if (run.text && !/\s$/.test(run.text) && !/^\s/.test(text)) run.text += run.glue;
    run.glue = "";
  }
  if (run.text.length < MAX_TEXT * 2) run.text += text;
  else run.dropped = (run.dropped || 0) + text.length;
};

const glueText = (glue) => {
  if (run && run.text) run.glue = glue;
};

// Bars, dots and brackets between links are drawn for the eye.
const SEPARATOR = /^[|·•()[\],\s]+$/;

const tidy = (text) => (text.includes("\n") ? tidyLines(text) : text.trim());

const tidyLines = (text) =>
  text.replace(/[ \t]*\n[ \t]*/g, (whole) => (whole.includes("\t") ? whole : "\n")).replace(/^[\s]+|[\s]+$/g, "");

const flushText = () => {
  if (!run) return;
  const { text, mark, depth, inView, dropped, preformatted, node, nodes } = run;
  run = null;
  const kept = preformatted ? text.replace(/^\n+|\s+$/g, "") : tidy(text);
  if (!kept.trim() || (kept.length <= 3 && !mark && SEPARATOR.test(kept))) return;
  const shown = clip(clean(kept.length > MAX_TEXT * 2 ? clip(kept, MAX_TEXT * 2) : kept), MAX_TEXT);
  if (!shown.trim()) return;
  const missing = shown.length < MAX_TEXT ? 0 : (dropped || 0) + kept.length - shown.length;
  const flags = TEXT | (inView ? IN_VIEW : 0) | (mark ? UNSEEN : 0);
  rows.push({ depth, flags, ref: 0, text: shown, missing, mark, line: "", node, nodes: nodes && nodes.filter(Boolean) });
};

const textLine = (row) =>
'"' + escapeQuoted(row.text) + '"' + (row.missing > 0 ? `(+${thousands(row.missing)} chars)` : "") + markFor(row.mark);

// The line of a row, with its text behind a colon where that is all it holds.
const finishLine = (row) => {
  if (row.flags & TEXT) return textLine(row);
  let line = row.line + (row.marks || "") + (row.ref ? REF : "");
  if (row.inlineText) line += ": " + row.inlineText;
  return line;
};

const MAX_INLINE_SIBLINGS = 40;

// Takes the first text below a row into the row's own line.
const inlineFirstText = (index) => {
  const row = rows[index];
  const first = rows[index + 1];
  if (!first || !(first.flags & TEXT) || first.depth !== row.depth + 1 || rows.length - index > MAX_INLINE_SIBLINGS)
    return;
  row.inlineText = textLine(first);
  row.flags |= first.flags & IN_VIEW;
  rows.splice(index + 1, 1);
};

const dropRowKeepChildren = (index) => {
  const depth = rows[index].depth;
  rows.splice(index, 1);
  for (let i = index; i < rows.length; i++) rows[i].depth = Math.max(depth, rows[i].depth - 1);
};
