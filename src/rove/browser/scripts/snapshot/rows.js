// The rows of one pass, with their text and the long lists that they belong to. Runs of text are merged into one row.

import { isTag } from "../dom/elements.js";
import { localNameOf, parentNodeOf } from "../dom/natives.js";
import { refNumber } from "../dom/refs.js";
import { clean, clip, escapeQuoted, MAX_TEXT, quote, squash, thousands } from "../dom/text.js";
import { hidesValue, optionText, valueOfControl } from "../roles/controls.js";
import { isNumberedOtherwise, ordinalOf } from "../roles/generated_content.js";
import { unseenElement, unseenValue } from "../visibility/text_visibility.js";
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

// Long lists: each remembers where the rows of its children start, so that it can be cut between children.

export const GROUP_SIZE = 12;
/** @type {Group[]} */
export let groups = [];

export const resetGroups = () => {
  groups = [];
};

/** @param {Element} element @returns {Group} */
export const startGroup = (element) => ({ element, items: [], children: [], last: null });

/** @param {Group} group @param {number} before @param {number} index */
export const noteItem = (group, before, index) => {
  if (rows.length <= before) return;
  group.items.push(rows[before]);
  group.children.push(index);
};

/** @param {Group} group */
export const endGroup = (group) => {
  group.last = rows[rows.length - 1];
  if (group.items.length >= GROUP_SIZE) groups.push(group);
};

/** @param {Element} element @param {VisibilityContext} context @param {number} from @param {number} to */
export const addFold = (element, context, from, to) => {
  if (to <= from || context.isInName) return;
  flushText();
  rows.push({
    depth: context.depth,
    flags: FOLD,
    ref: refNumber(element),
    line: `… ${thousands(to - from)} more`,
    from,
    to,
  });
};

// Text without roles: what the text of an element shows, by the same walk as a snapshot.

// Whether this pass reads text, not rows for elements.
export let isTextOnly = false;

// Whether paragraphs are set apart, and items of lists marked.
let isStructured = false;
// The element whose text is read, if not that of the page: an item by itself needs no mark.
/** @type {Element | null} */
let textRoot = null;

/** @param {boolean} isWanted @param {boolean} hasStructure */
export const prepareText = (isWanted, hasStructure) => {
  isTextOnly = isWanted;
  isStructured = isWanted && hasStructure;
  textRoot = null;
};

/** @param {Element} element */
export const setTextRoot = (element) => {
  textRoot = element;
};

// Elements after which a reader expects an empty line.
const PARAGRAPHS = new Set([
  ..."p h1 h2 h3 h4 h5 h6 blockquote pre ul ol dl table figure hr section article".split(" "),
]);

// Adds the bullet or the number of a list item, unless its style has another marker, which is added anyway.
/** @param {Element} element @param {VisibilityContext} inner */
export const addListMark = (element, inner) => {
  if (!isStructured || element === textRoot || !isTag(element, "li") || !inner.seen) return;
  const list = parentNodeOf(element);
  const isNumbered = list instanceof Element && isTag(list, "ol");
  if (!isNumbered) addText("- ", inner, "");
  else if (!isNumberedOtherwise(element)) addText(`${ordinalOf(element)}. `, inner, "");
};

// Leaves an empty line after a paragraph.
/** @param {Element} element */
export const endParagraph = (element) => {
  if (!isStructured || !PARAGRAPHS.has(localNameOf(element))) return;
  flushText();
  const last = rows[rows.length - 1];
  if (last && last.flags & TEXT && !last.mark && last.text && !last.text.endsWith("\n")) last.text += "\n";
};

// Their content is a value, a picture or what is shown only where they cannot be.
const WITHOUT_TEXT = new Set(["img", "input", "textarea", "canvas", "video", "audio", "meter", "progress"]);

/** @param {Element} element */
export const hasNoText = (element) => WITHOUT_TEXT.has(localNameOf(element));

/** @param {any} element */
const shownValue = (element) => {
  if (hidesValue(element)) return `(${element.value.length} hidden characters)`;
  return isTag(element, "select") ? Array.from(element.selectedOptions, optionText).join(", ") : String(element.value);
};

// Adds the value of a field as its text. Returns whether the element is a field.
/** @param {Element} element @param {VisibilityContext} inner */
export const addFieldText = (element, inner) => {
  if (valueOfControl(element) === null) return false;
  addText(shownValue(element), inner, unseenElement(element, inner) || unseenValue(element, inner));
  return true;
};
