// Text that CSS generates before and after an element.

import { mayHavePseudo } from "../visibility/style_sheets.js";
import { counterText } from "./counters.js";
import { hasAlternative, isBlockish, parseContent } from "./css_content.js";
import { quotationMark } from "./quotation_marks.js";

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
