// Quotation marks that CSS generates: those of the property quotes, else those of the language.

import { attr } from "../dom/attributes.js";
import { closestOf, parentNodeOf } from "../dom/natives.js";
import { unescapeCss } from "./css_content.js";

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
export const quotationMark = (element, isClosing) => {
  const marks = marksFor(element);
  const level = Math.min(quotationDepth(element), Math.floor(marks.length / 2) - 1);
  return marks[Math.max(level, 0) * 2 + (isClosing ? 1 : 0)] || "";
};
