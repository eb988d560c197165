// Rows that match a text or a role, and the elements whose names are most similar to one that was not found.

import { documentOrigin, isRendered } from "../dom/elements.js";
import { closestOf, isElement, queryAll, rectOf, textContentOf, textDataOf } from "../dom/natives.js";
import { refNumber } from "../dom/refs.js";
import { clip, messageOf, quote, squash } from "../dom/text.js";
import { everyElement, parentElementOf } from "../dom/tree.js";
import { ARIA_ROLES, SYNONYMS } from "../roles/role_names.js";
import { roleOf } from "../roles/roles.js";
import { viewOf } from "../visibility/viewport.js";
import { markCovered } from "./overlays.js";
import { PRESS_ROLES } from "./press_targets.js";
import { FRAME, finishLine, IN_VIEW, ITEM, rows, TEXT, UNSEEN } from "./rows.js";
import { beginPass, walkPage } from "./snapshot.js";
import { describeNamed, fullLineOf, isClickable, nameForSearch } from "./targets.js";

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

// The elements whose names are most similar to one that was not found.

const MAX_SIMILAR = 3;
const MAX_COMPARED = 5000;
const LEAST_SIMILARITY = 0.45;
const SAME_ROLE = 0.15;
// Taken from what cannot be pressed, such as a heading.
const NO_CONTROL = 0.1;
// Longer names are compared by their pairs of letters alone.
const MAX_SPELLED = 30;
const LEAST_CLOSENESS = 0.6;
// Of one name that contains the other.
const PART_OF_NAME = 0.7;

/** @param {string} text */
const pairsOf = (text) => {
  const pairs = new Map();
  for (let i = 0; i < text.length - 1; i++) {
    const pair = text.slice(i, i + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
};

// The least number of letters to add, drop or replace, as a part of the longer text, taken from 1.
/** @param {string} a @param {string} b */
const closeness = (a, b) => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return 1 - row[b.length] / Math.max(a.length, b.length, 1);
};

// From 0 to 1, by the pairs of letters that both have (the Dice coefficient), or where that is more, by the letters that
// differ: one wrong letter changes most pairs of a short name.
/** @param {string} a @param {string} b */
export const similarity = (a, b) => {
  if (a === b) return 1;
  const [first, second] = [pairsOf(a), pairsOf(b)];
  let shared = 0;
  for (const [pair, count] of first) shared += Math.min(count, second.get(pair) ?? 0);
  const dice = (2 * shared) / Math.max(a.length + b.length - 2, 1);
  const isPart = Math.min(a.length, b.length) > 2 && (a.includes(b) || b.includes(a));
  const isShort = Math.max(a.length, b.length) <= MAX_SPELLED;
  const spelled = isShort ? closeness(a, b) : 0;
  return Math.max(dice, isPart ? PART_OF_NAME : 0, spelled < LEAST_CLOSENESS ? 0 : spelled);
};

// What a target without quotes may mean: a role, a role and a name, or a name.
/** @param {string} words */
const readWords = (words) => {
  const [first, ...rest] = words.split(" ");
  return ARIA_ROLES.has(first) ? { role: first, name: rest.join(" ") } : { role: "", name: words };
};

/** @param {Element} element @param {string} own @param {{ role: string, name: string }} wanted */
const scoreOf = (element, own, wanted) => {
  const isSameRole = own === wanted.role;
  if (!wanted.name) return isSameRole ? 1 : 0;
  const name = nameForSearch(element, own).toLowerCase();
  const isControl = PRESS_ROLES.has(own) || own === "generic" || own === "none";
  return name ? similarity(name, wanted.name) + (isSameRole ? SAME_ROLE : isControl ? 0 : -NO_CONTROL) : 0;
};

// Whether an element without a role is no control either, such as most containers.
/** @param {Element} element @param {string} own */
const isContainerOnly = (element, own) => (own === "generic" || own === "none") && !isClickable(element, own);

/** @param {{ role?: string, name?: string, words?: string }} spec */
export const similarNames = (spec) => {
  beginPass({});
  const given = spec.words ? readWords(squash(spec.words)) : { role: spec.role ?? "", name: squash(spec.name ?? "") };
  const wanted = { role: given.role.toLowerCase(), name: given.name.toLowerCase() };
  const found = [];
  let compared = 0;
  for (const element of everyElement()) {
    const own = roleOf(element);
    if (!isRendered(element) || isContainerOnly(element, own) || ++compared > MAX_COMPARED) continue;
    const score = scoreOf(element, own, wanted);
    if (score > 0) found.push({ element, score, isSameRole: own === wanted.role });
  }
  found.sort((a, b) => b.score - a.score);
  const similar = found.filter(({ score }) => score >= LEAST_SIMILARITY);
  const nearest = similar.length ? similar : found.filter(({ isSameRole }) => isSameRole);
  const described = nearest
    .slice(0, 2 * MAX_SIMILAR)
    .map(({ element, score }) => ({ ...describeNamed(element), score }));
  return { origin: documentOrigin(), names: described.filter((match) => match.isSeen).slice(0, MAX_SIMILAR) };
};
