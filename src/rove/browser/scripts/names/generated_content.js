// Text that CSS generates before and after an element.

import { mayHavePseudo } from "../visibility/style_sheets.js";
import { counterText } from "./counters.js";
import { hasAlternative, isBlockish, parseContent } from "./css_content.js";

/** @param {string} text */
export const spaced = (text) => (text ? " " + text + " " : "");

/** @param {Element} element @param {string} which @param {NameWalk} walk */
export const generatedText = (element, which, walk) => {
  if (!mayHavePseudo(element)) return "";
  const style = getComputedStyle(element, which);
  const content = style.content;
  if (!content || content === "none" || content === "normal" || style.display === "none") return "";
  if (style.visibility !== "visible" && !walk.revealed) return "";
  const text = parseContent(content, false, (call) => counterText(call, element, which));
  return isBlockish(style.display) || hasAlternative(content) ? spaced(text) : text;
};
