// The attributes that a selector tests, by which the driver knows whether the answer would tell something of a secret.

import { attr } from "../dom/attributes.js";
import { attributeNames } from "../dom/natives.js";
import { everyElement } from "../dom/tree.js";

const MAX_VALUES = 8_000_000;
// Escapes and strings, which are skipped, and what tests attributes: brackets, and :lang(), which tests `lang`.
const SELECTOR_PARTS = /\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|:lang\(|\[/g;
// As the browser writes it: a name, maybe with a namespace, then an operator or the end.
const ATTRIBUTE_TEST = /(?:[\w*-]*\|(?!=))?([\w-]+)(\]|[~|^$*]?=")/y;

// A selector as the browser writes it: without comments, escapes that are not needed, and other ways to say the same.
// Null for one that a style sheet does not accept: a query closes brackets and strings that are left open.
/** @param {string} css @returns {string | null} */
const canonicalSelector = (css) => {
  if (/[{}@]/.test(css)) return null;
  try {
    const sheet = new CSSStyleSheet();
    sheet.insertRule(`${css}{}`);
    const [rule] = sheet.cssRules;
    return rule instanceof CSSStyleRule ? rule.selectorText : null;
  } catch {
    return null;
  }
};

// The names of the attributes whose values a selector tests; null where that is in doubt.
/** @param {string} css @returns {Set<string> | null} */
const attributesTestedBy = (css) => {
  const selector = canonicalSelector(css);
  if (selector === null) return null;
  /** @type {Set<string>} */
  const names = new Set();
  for (const match of selector.matchAll(SELECTOR_PARTS)) {
    if (match[0] === ":lang(") names.add("lang");
    if (match[0] !== "[") continue;
    ATTRIBUTE_TEST.lastIndex = match.index + 1;
    const test = ATTRIBUTE_TEST.exec(selector);
    if (!test) return null;
    if (test[2] !== "]") names.add(test[1].toLowerCase());
  }
  return names;
};

/** @param {string} name */
const localPart = (name) => name.slice(name.indexOf(":") + 1).toLowerCase();

// The values of the attributes that a selector tests, as one text. Null if there are too many to be looked through.
/** @param {string} css @returns {string | null} */
export const testedValues = (css) => {
  const names = attributesTestedBy(css);
  if (names?.size === 0) return "";
  const values = [];
  let length = 0;
  for (const element of everyElement())
    for (const name of attributeNames(element)) {
      if (names && !names.has(localPart(name))) continue;
      const value = attr(element, name) ?? "";
      values.push(value);
      length += value.length;
      if (length > MAX_VALUES) return null;
    }
  return values.join("\n");
};
