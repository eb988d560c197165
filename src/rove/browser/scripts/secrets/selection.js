// What is selected, and the text around it, by which the driver knows whether a selection is a part of a secret.

import { deepActiveElement } from "../dom/focus.js";
import { parentElementOf } from "../dom/tree.js";

const MAX_AROUND_SELECTION = 300;

/** @param {string} before @param {string} text @param {string} after */
const placed = (before, text, after) => ({
  before: before.slice(-MAX_AROUND_SELECTION),
  text,
  after: after.slice(0, MAX_AROUND_SELECTION),
});

/** @param {any} field */
const selectedInField = (field) => {
  const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
  if (!isField || typeof field.selectionStart !== "number" || field.selectionStart === field.selectionEnd) return null;
  const [start, end] = [field.selectionStart, field.selectionEnd ?? 0];
  return placed(field.value.slice(0, start), field.value.slice(start, end), field.value.slice(end));
};

/** @param {Range} range */
const containerOf = (range) => {
  let container = /** @type {Node} */ (range.commonAncestorContainer);
  // A word may have an element of its own, and the rest of the line another.
  for (let step = 0; step < 3; step++) container = parentElementOf(container) ?? container;
  return container;
};

export const selectionInContext = () => {
  const inField = selectedInField(deepActiveElement());
  if (inField) return inField;
  const selection = getSelection();
  const text = String(selection);
  if (!selection?.rangeCount || !text) return placed("", text, "");
  const range = selection.getRangeAt(0);
  const container = containerOf(range);
  const before = document.createRange();
  before.setStart(container, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const after = document.createRange();
  after.selectNodeContents(container);
  after.setStart(range.endContainer, range.endOffset);
  return placed(String(before), text, String(after));
};
