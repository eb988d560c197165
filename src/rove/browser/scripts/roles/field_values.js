// The text of a field: the value of an input, or what is in an editable element.

import { textContentOf } from "../dom/natives.js";

/** @param {HTMLInputElement | HTMLTextAreaElement} element @param {string} value */
export const setValue = (element, value) => {
  const prototype = element instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  // The prototype's setter, as frameworks replace the element's own to notice changes.
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(element, value);
};

/** @param {any} field @returns {field is HTMLInputElement | HTMLTextAreaElement} */
const holdsValue = (field) => field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;

/** @param {any} field @returns {string} */
export const textOfField = (field) => (holdsValue(field) ? field.value : textContentOf(field));

/** @param {any} field @param {string} text */
export const setText = (field, text) => {
  if (holdsValue(field)) setValue(field, text);
  else field.textContent = text;
};

/** @param {Element} element @param {...string} names */
export const dispatchEvents = (element, ...names) => {
  for (const name of names) element.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
};
