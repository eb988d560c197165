// Which elements an aria snapshot shows: those that assistive technology would tell of, and those that have a box.

import { lowerCaseAttr } from "../dom/attributes.js";
import { isTag } from "../dom/elements.js";
import { checkVisibility, closestOf, isElement, isText, localNameOf, rectOf } from "../dom/natives.js";
import { childListOf } from "../dom/tree.js";
import { RANGE } from "../visibility/text_visibility.js";

/** @param {Node} node */
const hasTextBox = (node) => {
  RANGE.selectNode(node);
  const rect = RANGE.getBoundingClientRect();
  return rect.width > 0 && rect.height > 0;
};

// An element without a box of its own is as visible as the first of its children.
/** @param {Element} element @param {boolean} pointer @returns {AriaBox} */
const boxOfContents = (element, pointer) => {
  for (const child of childListOf(element)) {
    if (isElement(child) && ariaBoxOf(child).visible) return { visible: true, inline: false, pointer };
    if (isText(child) && hasTextBox(child)) return { visible: true, inline: true, pointer };
  }
  return { visible: false, inline: false, pointer };
};

/** @param {Element} element @returns {AriaBox} */
export const ariaBoxOf = (element) => {
  const style = getComputedStyle(element);
  const pointer = style.cursor === "pointer";
  if (style.display === "contents") return boxOfContents(element, pointer);
  if (!checkVisibility(element) || style.visibility !== "visible") return { visible: false, inline: false, pointer };
  const rect = rectOf(element);
  return { visible: rect.width > 0 && rect.height > 0, inline: style.display === "inline", pointer };
};

const IGNORED = new Set(["style", "script", "noscript", "template"]);

// Whether assistive technology leaves an element out. `around`: whether it leaves out what is around it.
/** @param {Element} element @param {boolean} around @returns {boolean} */
export const isHiddenForAria = (element, around) => {
  if (IGNORED.has(localNameOf(element))) return true;
  const style = getComputedStyle(element);
  if (style.display === "contents" && !isTag(element, "slot"))
    return !childListOf(element).some(
      (child) => (isElement(child) && !isHiddenForAria(child, around)) || (isText(child) && hasTextBox(child)),
    );
  const isChoice = isTag(element, "option") && closestOf(element, "select") !== null;
  if (!isChoice && !isTag(element, "slot") && (!checkVisibility(element) || style.visibility !== "visible"))
    return true;
  return around || hidesContentForAria(element);
};

// Whether assistive technology leaves out an element with all that is in it.
/** @param {Element} element */
export const hidesContentForAria = (element) =>
  lowerCaseAttr(element, "aria-hidden") === "true" || getComputedStyle(element).display === "none";

/** @param {Element} element */
export const takesPointer = (element) => getComputedStyle(element).pointerEvents !== "none";
