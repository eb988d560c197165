// Text without roles: what the text of an element shows, by the same walk as a snapshot.

import { isTag } from "../dom/elements.js";
import { localNameOf, parentNodeOf } from "../dom/natives.js";
import { isNumberedOtherwise, ordinalOf } from "../names/ordinals.js";
import { hidesValue } from "../roles/passwords.js";
import { optionText, valueOfControl } from "../roles/values.js";
import { unseenValue } from "../text_placement/field_text.js";
import { unseenElement } from "../visibility/text_visibility.js";
import { addText, flushText, rows, TEXT } from "./rows.js";

// Whether this pass reads text, not rows for elements.
export let isTextOnly = false;

// Whether paragraphs are set apart, and items of lists marked.
let isStructured = false;
// The element whose text is read, if not that of the page: an item by itself needs no mark.
/** @type {Element | null} */
let textRoot = null;

/** @param {boolean} isWanted @param {boolean} hasStructure */
export const prepareText = (isWanted, hasStructure) => {
  isTextOnly = isWanted;
  isStructured = isWanted && hasStructure;
  textRoot = null;
};

/** @param {Element} element */
export const setTextRoot = (element) => {
  textRoot = element;
};

// Elements after which a reader expects an empty line.
const PARAGRAPHS = new Set([
  ..."p h1 h2 h3 h4 h5 h6 blockquote pre ul ol dl table figure hr section article".split(" "),
]);

// Adds the bullet or the number of a list item, unless its style has another marker, which is added anyway.
/** @param {Element} element @param {VisibilityContext} inner */
export const addListMark = (element, inner) => {
  if (!isStructured || element === textRoot || !isTag(element, "li") || !inner.seen) return;
  const list = parentNodeOf(element);
  const isNumbered = list instanceof Element && isTag(list, "ol");
  if (!isNumbered) addText("- ", inner, "");
  else if (!isNumberedOtherwise(element)) addText(`${ordinalOf(element)}. `, inner, "");
};

// Leaves an empty line after a paragraph.
/** @param {Element} element */
export const endParagraph = (element) => {
  if (!isStructured || !PARAGRAPHS.has(localNameOf(element))) return;
  flushText();
  const last = rows[rows.length - 1];
  if (last && last.flags & TEXT && !last.mark && last.text && !last.text.endsWith("\n")) last.text += "\n";
};

// Their content is a value, a picture or what is shown only where they cannot be.
const WITHOUT_TEXT = new Set(["img", "input", "textarea", "canvas", "video", "audio", "meter", "progress"]);

/** @param {Element} element */
export const hasNoText = (element) => WITHOUT_TEXT.has(localNameOf(element));

/** @param {any} element */
const shownValue = (element) => {
  if (hidesValue(element)) return `(${element.value.length} hidden characters)`;
  return isTag(element, "select") ? Array.from(element.selectedOptions, optionText).join(", ") : String(element.value);
};

// Adds the value of a field as its text. Returns whether the element is a field.
/** @param {Element} element @param {VisibilityContext} inner */
export const addFieldText = (element, inner) => {
  if (valueOfControl(element) === null) return false;
  addText(shownValue(element), inner, unseenElement(element, inner) || unseenValue(element, inner));
  return true;
};
