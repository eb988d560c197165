// Numbers as the counter styles of CSS write them.

import { unescapeCss } from "./css_content.js";

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
export const formatCounter = (value, kind) => {
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
export const counterStyle = (name) => {
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
export const affixesOf = (kind) => {
  const style = counterStyle(kind);
  if (!style) return ["", ". "];
  return [symbolsIn(style.prefix).join(""), style.suffix ? symbolsIn(style.suffix).join("") : ". "];
};
