// Text that CSS generates: the content of ::before and ::after, with its quotation marks and counters, and the markers
// of list items.

import { attr, hasAttr, isTag } from "../dom/elements.js";
import {
  childrenOf,
  closestOf,
  firstElementOf,
  isElement,
  nextElementOf,
  parentNodeOf,
  rootElementOf,
  rootNodeOf,
} from "../dom/natives.js";
import { distinctions, mayHavePseudo } from "../dom/style_sheets.js";
import { MAX_NESTING, shadowChildren, shadowsWereMet } from "../dom/tree.js";

// The CSS property `content`: its strings, quotes, counters and alternative text.

// Strings, quotation marks and functions. The URL of an image and the separator of a counter are quoted too, but are no text.
const CONTENT_PARTS =
  /"((?:[^"\\]|\\.)*)"|(?<!-)(?:open|close)-quote|[\w-]+\((?:[^()"]|"(?:[^"\\]|\\.)*"|\([^()]*\))*\)/g;

/** @param {string} text */
const unescapeCss = (text) =>
  text.replace(/\\([0-9a-fA-F]{1,6} ?|.)/g, (_, code) =>
    /^[0-9a-fA-F]/.test(code) ? String.fromCodePoint(Math.min(parseInt(code, 16) || 0xfffd, 0x10ffff)) : code,
  );

// Computed `content` is a list of strings and images, optionally followed by "/" and alternative text. Names use the
// alternative text; a person sees the rest. `textOf` returns the text of a counter or a quotation mark.
/** @param {string} content @param {boolean} isSeen @param {(part: string) => string} textOf */
export const parseContent = (content, isSeen, textOf) => {
  const slash = /^((?:[^"/]|"(?:[^"\\]|\\.)*"|url\((?:[^")]|"(?:[^"\\]|\\.)*")*\))*)\/(.*)$/s.exec(content);
  let text = "";
  for (const [whole, words] of (slash ? slash[isSeen ? 1 : 2] : content).matchAll(CONTENT_PARTS))
    text += words === undefined ? textOf(whole) : unescapeCss(words);
  return text;
};

/** @param {string} content */
export const hasAlternative = (content) => /[")] \/ (?:"|counter)/.test(content);

/** @param {string} display */
export const isBlockish = (display) =>
  !/^(?:inline|contents|ruby)/.test(display) ||
  display === "inline-block" ||
  display === "inline-flex" ||
  display === "inline-grid" ||
  display === "inline-table";

// Quotation marks that CSS generates: those of the property quotes, else those of the language.

// Opening and closing, then the same for a quotation within another.
/** @type {Record<string, string>} */
const MARKS = {
  __proto__: /** @type {any} */ (null),
  cs: "„“‚‘",
  da: "“”‘’",
  de: "„“‚‘",
  el: "«»“”",
  es: "«»“”",
  fi: "””’’",
  fr: "«»«»",
  he: "””’’",
  hu: "„”»«",
  it: "«»“”",
  ja: "「」『』",
  nb: "«»‘’",
  no: "«»‘’",
  pl: "„”«»",
  ru: "«»„“",
  sv: "””’’",
  uk: "«»„“",
};
const ENGLISH_MARKS = "“”‘’";

/** @param {Element} element */
const languageMarks = (element) => {
  const speaker = closestOf(element, "[lang]");
  const language = ((speaker && attr(speaker, "lang")) || "").toLowerCase().split("-")[0];
  return [...(MARKS[language] || ENGLISH_MARKS)];
};

/** @param {Element} element */
const marksFor = (element) => {
  const quotes = getComputedStyle(element).quotes;
  if (quotes === "none") return [""];
  const own = Array.from(quotes.matchAll(/"((?:[^"\\]|\\.)*)"/g), (match) => unescapeCss(match[1]));
  return own.length > 1 ? own : languageMarks(element);
};

/** @param {Element} element */
const quotationDepth = (element) => {
  let depth = 0;
  for (let outer = closestOf(parentNodeOf(element), "q"); outer; outer = closestOf(parentNodeOf(outer), "q"))
    depth += 1;
  return depth;
};

/** @param {Element} element @param {boolean} isClosing */
const quotationMark = (element, isClosing) => {
  const marks = marksFor(element);
  const level = Math.min(quotationDepth(element), Math.floor(marks.length / 2) - 1);
  return marks[Math.max(level, 0) * 2 + (isClosing ? 1 : 0)] || "";
};

// The numbers of list items.

// Per list, the numbers of its items: they follow from each other.
/** @type {WeakMap<Node, Map<Element, number>>} */
let ordinals = new WeakMap();

export const resetOrdinals = () => {
  ordinals = new WeakMap();
};

/** @param {Element} list */
const itemsOf = (list) => {
  const items = [];
  for (let item = firstElementOf(list); item; item = nextElementOf(item))
    if (isTag(item, "li") && getComputedStyle(item).display !== "none") items.push(item);
  return items;
};

/** @param {Element} element @param {string} name @param {number} otherwise */
const wholeNumber = (element, name, otherwise) => {
  const value = parseInt(attr(element, name) || "", 10);
  return Number.isNaN(value) ? otherwise : value;
};

/** @param {Element} list */
const numberItems = (list) => {
  const items = itemsOf(list);
  const step = hasAttr(list, "reversed") ? -1 : 1;
  const numbers = new Map();
  let next = wholeNumber(list, "start", step < 0 ? items.length : 1);
  for (const item of items) {
    const number = wholeNumber(item, "value", next);
    numbers.set(item, number);
    next = number + step;
  }
  return numbers;
};

/** @param {Element} item @returns {number} */
export const ordinalOf = (item) => {
  const list = parentNodeOf(item);
  if (!(list instanceof Element)) return 1;
  let numbers = ordinals.get(list);
  if (!numbers) {
    numbers = numberItems(list);
    ordinals.set(list, numbers);
  }
  return numbers.get(item) ?? 1;
};

// Whether the items are not simply numbered from one on.
/** @param {Element} item */
export const isNumberedOtherwise = (item) => {
  const list = parentNodeOf(item);
  if (!(list instanceof Element)) return false;
  if (hasAttr(list, "start") || hasAttr(list, "reversed") || hasAttr(item, "value")) return true;
  return Element.prototype.querySelector.call(list, ":scope > li[value]") !== null;
};

// Numbers as the counter styles of CSS write them.

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

// Digits that follow each other from this one.
/** @type {Record<string, number>} */
const ZEROS = {
  __proto__: /** @type {any} */ (null),
  "arabic-indic": 0x660,
  persian: 0x6f0,
  devanagari: 0x966,
  bengali: 0x9e6,
  thai: 0xe50,
};

/** @type {Record<string, string>} */
const BULLETS = { __proto__: /** @type {any} */ (null), disc: "•", circle: "◦", square: "▪", none: "" };

/** @param {number} value @param {string} kind */
const formatCounter = (value, kind) => {
  if (kind in BULLETS) return BULLETS[kind];
  const custom = counterStyle(kind);
  if (custom) return customCounter(value, custom);
  if (kind in ZEROS) return String(value).replace(/\d/g, (digit) => String.fromCharCode(ZEROS[kind] + Number(digit)));
  if (kind === "decimal-leading-zero") return String(value).padStart(2, "0");
  if (value < 1 || value > 3999 || !/^(?:lower|upper)-(?:alpha|latin|roman)$/.test(kind)) return String(value);
  const text = kind.endsWith("roman") ? roman(value) : alphabetic(value);
  return kind.startsWith("upper") ? text.toUpperCase() : text;
};

// Counter styles that the page defines, by name.
/** @type {Map<string, CSSCounterStyleRule | null>} */
let counterStyles = new Map();

export const resetCounterStyles = () => {
  counterStyles = new Map();
};

/** @param {string} name */
const counterStyle = (name) => {
  if (!counterStyles.has(name)) counterStyles.set(name, findCounterStyle(name));
  return counterStyles.get(name) || null;
};

/** @param {string} name @returns {CSSCounterStyleRule | null} */
const findCounterStyle = (name) => {
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets])
    for (const rule of readableRules(sheet)) if (rule instanceof CSSCounterStyleRule && rule.name === name) return rule;
  return null;
};

/** @param {CSSStyleSheet} sheet */
const readableRules = (sheet) => {
  try {
    return Array.from(sheet.cssRules);
  } catch {
    // A style sheet of another origin cannot be read.
    return [];
  }
};

const SYMBOL = /"((?:[^"\\]|\\.)*)"|([^\s"]+)/g;

/** @param {string} text */
const symbolsIn = (text) => Array.from(text.matchAll(SYMBOL), ([, quoted, bare]) => unescapeCss(quoted ?? bare));

// Symbols as digits: of a number that has a zero, or of letters that have none.
/** @param {number} value @param {string[]} symbols @param {number} first */
const positional = (value, symbols, first) => {
  const base = symbols.length;
  let text = "";
  for (let rest = value; base > 1 && rest >= first; rest = Math.floor((rest - first) / base)) {
    text = symbols[(rest - first) % base] + text;
    if (first === 0 && rest < base) break;
  }
  return text;
};

/** @param {number} value @param {CSSCounterStyleRule} style */
const customCounter = (value, style) => {
  const symbols = symbolsIn(style.symbols);
  const [system, first = "1"] = style.system.split(" ");
  if (!symbols.length || value < 0) return String(value);
  if (system === "cyclic") return symbols[(((value - 1) % symbols.length) + symbols.length) % symbols.length];
  if (system === "fixed") return symbols[value - Number(first)] ?? String(value);
  if (system === "numeric") return positional(value, symbols, 0) || String(value);
  if (system === "alphabetic") return positional(value, symbols, 1) || String(value);
  const index = Math.max(value - 1, 0);
  return symbols[index % symbols.length].repeat(Math.min(Math.floor(index / symbols.length) + 1, 20));
};

// The text that a counter style puts before and after a number in front of a list item.
/** @param {string} kind */
const affixesOf = (kind) => {
  const style = counterStyle(kind);
  if (!style) return ["", ". "];
  return [symbolsIn(style.prefix).join(""), style.suffix ? symbolsIn(style.suffix).join("") : ". "];
};

// CSS counters. Computed only where a counter is part of a name, then once for the whole document.

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
const counterText = (call, element, which) => {
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

// Text that CSS generates before and after an element.

/** @param {string} text */
export const spaced = (text) => (text ? " " + text + " " : "");

// The text of a part of generated content that is not a string.
/** @param {string} part @param {Element} element @param {string} which */
export const generatedPart = (part, element, which) =>
  part.endsWith("-quote") ? quotationMark(element, part === "close-quote") : counterText(part, element, which);

/** @param {Element} element @param {string} which @param {NameWalk} walk */
export const generatedText = (element, which, walk) => {
  if (!mayHavePseudo(element)) return "";
  const style = getComputedStyle(element, which);
  const content = style.content;
  if (!content || content === "none" || content === "normal" || style.display === "none") return "";
  if (style.visibility !== "visible" && !walk.revealed) return "";
  const text = parseContent(content, false, (part) => generatedPart(part, element, which));
  return isBlockish(style.display) || hasAlternative(content) ? spaced(text) : text;
};

// The markers of list items: "c.", "→", "Step 3:".

// Bullets say nothing but that this is an item.
const PLAIN_MARKERS = new Set(["none", "disc", "circle", "square", "disclosure-open", "disclosure-closed"]);
const CONTENT_PREFIX = "content ";

// How an element that is displayed as a list item is marked; empty for a mere bullet.
/** @param {Element} element @param {CSSStyleDeclaration} style */
export const markerKind = (element, style) => {
  if (distinctions.markers || (shadowsWereMet && rootNodeOf(element) !== document)) {
    const content = getComputedStyle(element, "::marker").content;
    if (content && content !== "normal") return content === "none" ? "" : CONTENT_PREFIX + content;
  }
  return PLAIN_MARKERS.has(style.listStyleType) || style.listStyleImage !== "none" ? "" : style.listStyleType;
};

// Numbers from one on are left out: they are the places in the list.
/** @param {Element} element @param {string} kind */
export const markerText = (element, kind) => {
  if (kind.startsWith(CONTENT_PREFIX))
    return parseContent(kind.slice(CONTENT_PREFIX.length), true, (part) => generatedPart(part, element, "::marker"));
  if (kind.startsWith('"')) return unescapeCss(kind.slice(1, -1));
  if (kind === "decimal" && !isNumberedOtherwise(element)) return "";
  const [before, after] = affixesOf(kind);
  return before + formatCounter(ordinalOf(element), kind) + after;
};
