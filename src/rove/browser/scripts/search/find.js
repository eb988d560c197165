import { documentOrigin, isRendered } from "../dom/elements.js";
import { closestOf, isElement, queryAll, rectOf, textContentOf, textDataOf } from "../dom/natives.js";
import { refNumber } from "../dom/refs.js";
import { clip, messageOf, quote, squash } from "../dom/text.js";
import { parentElementOf } from "../dom/tree.js";
import { SYNONYMS } from "../roles/role_names.js";
import { roleOf } from "../roles/roles.js";
import { FRAME, finishLine, IN_VIEW, ITEM, rows, TEXT, UNSEEN } from "../snapshot/rows.js";
import { beginPass, walkPage } from "../snapshot/snapshot.js";
import { markCovered } from "../visibility/overlays.js";
import { viewOf } from "../visibility/viewport.js";
import { fullLineOf } from "./targets.js";

/** @param {Query} spec @returns {(row: Row) => boolean} */
const matcherFor = (spec) => {
  if (spec.regex) {
    const pattern = new RegExp(spec.regex, "iu");
    return (row) => pattern.test(row.plain || "");
  }
  if (spec.text) {
    const text = squash(spec.text).toLowerCase();
    return (row) => (row.plain || "").toLowerCase().includes(text);
  }
  const role = (spec.role || "").toLowerCase();
  return (row) => row.role === (SYNONYMS[role] || role) || row.line.startsWith(role + " ") || row.line === role;
};

const FIND_CAPS = { maxNodes: 80000, maxChildren: 100000 };

// Walks without limits on lists, so that what a snapshot folds is found too.
/** @param {Query} spec */
export const findRows = (spec) => {
  let matches;
  try {
    matches = matcherFor(spec);
  } catch (error) {
    return { error: "bad regular expression: " + clip(messageOf(error), 200), total: 0, matches: [] };
  }
  beginPass(FIND_CAPS);
  if (document.getElementsByTagName("*").length > FIND_CAPS.maxNodes) return findInText(spec, limitOf(spec));
  walkPage();
  markCovered();
  /** @type {number[]} */
  const found = [];
  let total = 0;
  const limit = limitOf(spec);
  rows.forEach((row, index) => {
    row.plain = row.flags & TEXT ? row.whole || row.text : searchableText(row);
    if (!matches(row)) return;
    total += 1;
    if (found.length < limit) found.push(index);
  });
  const hasText = spec.text || spec.regex ? textMatcher(spec) : null;
  const framed = rows.filter((row) => row.flags & FRAME);
  return {
    total,
    origin: documentOrigin(),
    matches: found.map((index) => matchAt(index, hasText)),
    frames: Object.fromEntries(framed.map((row) => ["e" + row.ref, !(row.flags & UNSEEN)])),
  };
};

// A word within a text may have a click handler of its own, so the ref is that of the smallest element with the text.
/** @param {Element} element @param {(text: string) => boolean} hasText */
const innermostMatch = (element, hasText) => {
  for (let inner = /** @type {Element | null} */ (element); inner; ) {
    element = inner;
    const matching = Array.from(element.children).filter((child) => hasText(squash(textContentOf(child))));
    inner = matching.length === 1 && isRendered(matching[0]) ? matching[0] : null;
  }
  return element;
};

const QUOTED_OR_VALUE = /"((?:[^"\\]|\\.)*)"| value=([^\s"(]\S*)/g;

// Name, text and values, which are the quoted parts of a line, without the words for role and states.
/** @param {Row} row */
const searchableText = (row) => {
  let text = (row.naming && row.naming.name) || "";
  for (const [, quoted, value] of (row.line + (row.inlineText || "")).matchAll(QUOTED_OR_VALUE))
    text += "\n" + (quoted === undefined ? value : quoted.replace(/\\(.)/g, (_, c) => (c === "n" ? "\n" : c)));
  return text;
};

/** @param {Query} spec */
const limitOf = (spec) => spec.limit || 10;

const PRESSABLE_SELECTOR = "a[href],button,input,select,textarea,summary,label,[role],[onclick],[tabindex]";

/** @param {Query} spec @returns {(text: string) => boolean} */
const textMatcher = (spec) => {
  if (spec.regex) {
    const pattern = new RegExp(spec.regex, "iu");
    return (text) => pattern.test(text);
  }
  const wanted = squash(spec.text || "").toLowerCase();
  return (text) => text.toLowerCase().includes(wanted);
};

// A document too large to walk is searched text node by text node, and by the role of each element.
/** @param {Query} spec @param {number} limit */
const findInText = (spec, limit) => {
  /** @type {Element[]} */
  const found = [];
  let total = 0;
  /** @param {Element} element */
  const note = (element) => {
    if (!isRendered(element)) return;
    total += 1;
    if (found.length < limit) found.push(closestOf(element, PRESSABLE_SELECTOR) || element);
  };
  if (!spec.text && !spec.regex) {
    for (const element of queryAll(document, "*"))
      if (roleOf(element) === (spec.role || "").toLowerCase()) note(element);
  } else {
    const matches = textMatcher(spec);
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = matches(textDataOf(node)) ? parentElementOf(node) : null;
      if (element) note(element);
    }
  }
  return { total, origin: documentOrigin(), matches: [...new Set(found)].map(foundElement) };
};

/** @param {Element} element */
const foundElement = (element) => {
  const around = parentElementOf(element);
  const container = around && closestOf(around, "tr,li,[role=row],[role=listitem],p,section");
  const context = container
    ? [{ line: quote(squash(clip(textContentOf(container), 400)), 200), ref: null, before: true }]
    : [];
  const line = fullLineOf(element);
  const plain = textContentOf(element);
  return { line, plain, ref: "e" + refNumber(element), context, inView: viewOf(rectOf(element)) !== 2 };
};

/** @param {number} index */
const ancestorRows = (index) => {
  const above = [];
  let depth = rows[index].depth;
  for (let i = index - 1; i >= 0 && depth > 0 && above.length < 3; i--) {
    if (rows[i].depth < depth) {
      depth = rows[i].depth;
      above.unshift(i);
    }
  }
  return above;
};

// The rows next to a match in the same item: its children, else the rows before and after it.
/** @param {number} index */
const neighbourRows = (index) => {
  const { depth, flags } = rows[index];
  const inside = [];
  for (let i = index + 1; i < rows.length && rows[i].depth > depth && inside.length < 3; i++) inside.push(i);
  if (inside.length || flags & ITEM) return inside;
  return [index - 1, index + 1].filter((i) => rows[i] && rows[i].depth === depth && !(rows[i].flags & ITEM));
};

/** @param {Row} row @param {((text: string) => boolean) | null} hasText */
const elementAt = (row, hasText) => {
  const element = row.element || (row.node && (isElement(row.node) ? row.node : parentElementOf(row.node)));
  return element && hasText && row.flags & TEXT ? innermostMatch(element, hasText) : element;
};

/** @param {number} index @param {((text: string) => boolean) | null} hasText */
const matchAt = (index, hasText) => {
  const row = rows[index];
  const element = elementAt(row, hasText);
  const unique = [...new Set([...ancestorRows(index), ...neighbourRows(index)])].sort((a, b) => a - b);
  return {
    line: finishLine({ ...row, ref: 0 }),
    plain: row.plain || "",
    ref: element ? "e" + refNumber(element) : null,
    context: unique.map((i) => ({
      line: finishLine({ ...rows[i], ref: 0 }),
      ref: rows[i].ref ? "e" + rows[i].ref : null,
      before: i < index,
    })),
    inView: Boolean(row.flags & IN_VIEW),
  };
};
