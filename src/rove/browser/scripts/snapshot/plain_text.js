// Text without roles: what the text of an element shows, by the same walk as a snapshot.

import { isTag } from "../dom/elements.js";
import { localNameOf } from "../dom/natives.js";
import { hidesValue } from "../roles/passwords.js";
import { optionText, valueOfControl } from "../roles/values.js";
import { unseenValue } from "../text_placement/field_text.js";
import { unseenElement } from "../visibility/text_visibility.js";
import { addText } from "./rows.js";

// Whether this pass reads text, not rows for elements.
export let isTextOnly = false;

/** @param {boolean} isWanted */
export const prepareText = (isWanted) => {
  isTextOnly = isWanted;
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
