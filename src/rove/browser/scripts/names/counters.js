// CSS counters. Computed only where a counter is part of a name, then once for the whole document.

import { childrenOf, closestOf, isElement, parentNodeOf, rootElementOf } from "../dom/natives.js";
import { MAX_NESTING, shadowChildren } from "../dom/tree.js";
import { mayHavePseudo } from "../visibility/style_sheets.js";
import { formatCounter } from "./counter_styles.js";
import { unescapeCss } from "./css_content.js";
import { ordinalOf } from "./ordinals.js";

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

const COUNTER_CALL = /^(counters?)\(\s*([^\s,()]+)\s*(?:,\s*"((?:[^"\\]|\\.)*)"\s*)?(?:,\s*([\w-]+)\s*)?\)$/;

// Every list item counts itself.
/** @param {Element} element @param {boolean} nested @param {string} separator @param {string} [kind] */
const listItemCounter = (element, nested, separator, kind = "decimal") => {
  const values = [];
  for (let item = closestOf(element, "li"); item; item = nested ? closestOf(parentNodeOf(item), "li") : null)
    values.unshift(formatCounter(ordinalOf(item), kind));
  return values.join(separator);
};

// The text of one counter() or counters() in the content of ::before or ::after.
/** @param {string} call @param {Element} element @param {string} which */
export const counterText = (call, element, which) => {
  const parts = COUNTER_CALL.exec(call);
  if (!parts) return "";
  const separator = unescapeCss(parts[3] || "");
  if (parts[2] === "list-item") return listItemCounter(element, parts[1] === "counters", separator, parts[4]);
  if (counterValues === null) {
    counterValues = { left: MAX_COUNTED_ELEMENTS, values: new Map() };
    countElement(rootElementOf(document), null, new Map(), counterValues, 0);
  }
  const known = (counterValues.values.get(element) || {})[which];
  if (!known) return "";
  const values = known.get(parts[2]) || [0];
  const shown = parts[1] === "counter" ? values.slice(-1) : values;
  return shown.map((value) => formatCounter(value, parts[4] || "decimal")).join(separator);
};
