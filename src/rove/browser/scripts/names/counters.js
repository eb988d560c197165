// CSS counters. Computed only where a counter is part of a name, then once for the whole document.

import { childrenOf, isElement, rootElementOf } from "../dom/natives.js";
import { MAX_NESTING, shadowChildren } from "../dom/tree.js";
import { mayHavePseudo } from "../visibility/style_sheets.js";
import { unescapeCss } from "./css_content.js";

// In larger documents counters are left out of names, as counting would take too long.
const MAX_COUNTED_ELEMENTS = 8000;

// Per element and pseudo-element, the values of the counters that its content uses.
/** The values of a counter in its scopes, by name. @typedef {Map<string, { value: number, maker: Element | string, parent: Element | null }[]>} Counters */
/** @typedef {{ left: number, values: Map<Element, Record<string, Map<string, number[]>>> }} CounterValues */

/** @type {CounterValues | null} */
let counterValues = null;

export const resetCounters = () => {
  counterValues = null;
};

// The scope of a counter is the element that created it, with its descendants and following siblings.
/** @param {Counters} counters @param {string} name @param {number} value @param {Element | string} maker @param {Element | null} parent */
const instantiateCounter = (counters, name, value, maker, parent) => {
  const scopes = counters.get(name) || [];
  if (scopes.length && scopes[scopes.length - 1].parent === parent) scopes.pop();
  scopes.push({ value, maker, parent });
  counters.set(name, scopes);
};

/** @param {string} text */
const counterPairs = (text) => (text === "none" ? [] : [...text.matchAll(/([^\s()]+)\)?\s+(-?\d+)/g)]);

/** @param {Counters} counters @param {CSSStyleDeclaration} style @param {Element | string} maker @param {Element | null} parent */
const applyCounterProperties = (counters, style, maker, parent) => {
  for (const [, name, value] of counterPairs(style.counterReset))
    instantiateCounter(counters, name, Number(value), maker, parent);
  for (const [, name, value] of counterPairs(style.counterIncrement))
    innermostCounter(counters, name, maker, parent).value += Number(value);
  for (const [, name, value] of counterPairs(style.counterSet))
    innermostCounter(counters, name, maker, parent).value = Number(value);
};

/** @param {Counters} counters @param {string} name @param {Element | string} maker @param {Element | null} parent */
const innermostCounter = (counters, name, maker, parent) => {
  if (!(counters.get(name) || []).length) instantiateCounter(counters, name, 0, maker, parent);
  const scopes = counters.get(name) || [];
  return scopes[scopes.length - 1];
};

/** @param {Counters} counters @param {Element} element @param {string} which @param {CounterValues} found */
const countPseudoElement = (counters, element, which, found) => {
  const style = getComputedStyle(element, which);
  const content = style.content;
  if (content === "none" || content === "normal" || style.display === "none") return;
  applyCounterProperties(counters, style, which, element);
  if (!content.includes("counter")) return;
  const values = new Map();
  for (const [name, scopes] of counters)
    values.set(
      name,
      scopes.map((scope) => scope.value),
    );
  found.values.set(element, { ...found.values.get(element), [which]: values });
};

/** @param {Element} element @param {Element | null} parent @param {Counters} counters @param {CounterValues} found @param {number} nesting */
const countElement = (element, parent, counters, found, nesting) => {
  if (found.left-- <= 0 || nesting > MAX_NESTING) return;
  const style = getComputedStyle(element);
  if (style.display === "none") return;
  applyCounterProperties(counters, style, element, parent);
  const marked = mayHavePseudo(element);
  if (marked) countPseudoElement(counters, element, "::before", found);
  for (const child of shadowChildren(element) || childrenOf(element))
    if (isElement(child)) countElement(child, element, counters, found, nesting + 1);
  if (marked) countPseudoElement(counters, element, "::after", found);
  for (const scopes of counters.values())
    while (scopes.length && scopes[scopes.length - 1].parent === element) scopes.pop();
};

/** @type {[number, string][]} */
const ROMAN = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
];

/** @param {number} value */
const roman = (value) => {
  let text = "";
  for (const [amount, letters] of ROMAN) for (; value >= amount; value -= amount) text += letters;
  return text;
};

/** @param {number} value */
const alphabetic = (value) => {
  let text = "";
  for (; value > 0; value = Math.floor((value - 1) / 26)) text = String.fromCharCode(97 + ((value - 1) % 26)) + text;
  return text;
};

/** @param {number} value @param {string} kind */
const formatCounter = (value, kind) => {
  if (kind === "none") return "";
  if (kind === "decimal-leading-zero") return String(value).padStart(2, "0");
  if (value < 1 || value > 3999 || !/^(?:lower|upper)-(?:alpha|latin|roman)$/.test(kind)) return String(value);
  const text = kind.endsWith("roman") ? roman(value) : alphabetic(value);
  return kind.startsWith("upper") ? text.toUpperCase() : text;
};

const COUNTER_CALL = /^(counters?)\(\s*([^\s,()]+)\s*(?:,\s*"((?:[^"\\]|\\.)*)"\s*)?(?:,\s*([\w-]+)\s*)?\)$/;

// The text of one counter() or counters() in the content of ::before or ::after.
/** @param {string} call @param {Element} element @param {string} which */
export const counterText = (call, element, which) => {
  const parts = COUNTER_CALL.exec(call);
  if (!parts || parts[2] === "list-item") return ""; // counted by the browser itself
  if (counterValues === null) {
    counterValues = { left: MAX_COUNTED_ELEMENTS, values: new Map() };
    countElement(rootElementOf(document), null, new Map(), counterValues, 0);
  }
  const known = (counterValues.values.get(element) || {})[which];
  if (!known) return "";
  const values = known.get(parts[2]) || [0];
  const shown = parts[1] === "counter" ? values.slice(-1) : values;
  return shown.map((value) => formatCounter(value, parts[4] || "decimal")).join(unescapeCss(parts[3] || ""));
};
