// Filling in text fields and editable elements.

import { FRAMES, isTag } from "../dom/elements.js";
import {
  activeElementOf,
  bodyOf,
  checkVisibility,
  isWebKit,
  matchesSelector,
  queryAll,
  rootNodeOf,
} from "../dom/natives.js";
import { deepActiveElement, focusHere, isWithin, shadowOf } from "../dom/tree.js";
import {
  dispatchEvents,
  hidesValue,
  isPassword,
  releaseValue,
  setValue,
  textOfField,
  wasPassword,
} from "../roles/controls.js";
import { isChoiceControl } from "./choice_controls.js";
import { DISABLED_MS, described, lineOf, tellDone, UNREADY_MS, withElement, withRetries } from "./element_calls.js";
import { DISABLED, HIDDEN_HINT, isDisabled } from "./presses.js";
import { holdEnteredSecrets, releaseSecrets } from "./secret_fields.js";
import { beginTyping, takesText } from "./typing.js";

const TEXT_INPUT_TYPES = new Set(["", "text", "search", "url", "tel", "email", "password", "number"]);

const SELECTABLE_TYPES = new Set(["", "text", "search", "url", "tel", "password"]);

/** @param {Element} element */
const selectContents = (element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
};

const UNFILLABLE_TYPES = new Set(["checkbox", "radio", "file", "button", "submit", "image", "reset"]);

// A browser types a text of many lines line by line, which takes too long for thousands of lines.
const MAX_TYPED_LINES = 200;

/** @param {Element} element */
const isTextField = (element) =>
  element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && TEXT_INPUT_TYPES.has(element.type));

// Whether a browser inserts text that is dropped on a field.
/** @param {any} element */
export const takesDroppedText = (element) => isTextField(element) && !element.readOnly && !isDisabled(element);

const READ_ONLY_HINT = "Press it with {click}: it may open something to choose from.";
const CHOICE_HINT = "Choose in it with {select}.";

// Whether the value of an element is chosen and cannot be typed.
/** @param {any} element */
export const isChosenOnly = (element) =>
  isTag(element, "select") || (isChoiceControl(element) && (!takesText(element) || element.readOnly));

// The reason why a field cannot be edited now, and for how many milliseconds it is worth retrying.
/** @param {any} element */
const editingProblem = (element) => {
  if (isDisabled(element)) return DISABLED;
  if (element.readOnly) {
    const hint = isChosenOnly(element) ? CHOICE_HINT : READ_ONLY_HINT;
    return { reason: "is read-only", hint, retryFor: DISABLED_MS };
  }
  // The input behind a date or colour picker is often hidden, with something drawn in its place.
  const isPicked = element instanceof HTMLInputElement && !isTextField(element);
  if (isPicked || checkVisibility(element, { visibilityProperty: true })) return null;
  return { reason: "is not visible", hint: HIDDEN_HINT, retryFor: UNREADY_MS };
};

// The reason why a field would not keep a value. Tried on a copy, as a browser replaces an invalid value with an empty
// one, or with the nearest that is valid, and the field's own value would be lost.
/** @param {any} element @param {string} value */
const valueProblem = (element, value) => {
  if (!value || !(element instanceof HTMLInputElement) || UNFILLABLE_TYPES.has(element.type)) return null;
  const copy = /** @type {HTMLInputElement} */ (Node.prototype.cloneNode.call(element, false));
  const wanted = element.type === "color" ? value.toLowerCase() : value;
  setValue(copy, wanted);
  const isKept = isTextField(element) ? copy.value !== "" : copy.value === wanted;
  if (isKept) return null;
  const reason = `does not take "${value}" as a value of type ${element.type}`;
  const hint = "Give a value that the field accepts, such as 2026-01-31 for a date or 12 for a number.";
  return { reason, hint, never: true };
};

// Typed text goes to the focused element, so a field that did not get the focus is not typed into.
/** @param {any} element */
const focusProblem = (element) => {
  const active = deepActiveElement();
  if (active && (isWithin(active, element) || (element.isContentEditable && isWithin(element, active)))) return null;
  if (!active || active === bodyOf(document)) return { reason: "does not take the focus" };
  const reason = `passes the focus on to ${lineOf(active)}`;
  return isPassword(active) ? { reason, kept: described(active) } : { reason };
};

// Fills in one call where possible, as then only the page's event handlers run in between. Otherwise leaves the field
// focused with its old text selected and answers "type": the driver types over it.
export const fillIn = withRetries(async (target, value, guarded) => {
  const element = fieldOf(target);
  if (guarded && value && wasPassword(element)) return { password: true, origin: self.origin };
  releaseSecrets(element);
  if (guarded && value && isPassword(element)) return { password: true, origin: self.origin };
  const problem = editingProblem(element) || valueProblem(element, value);
  if (problem) return problem;
  const done = tellingInput(element, value, () => fillNow(element, value, guarded));
  if (!("reason" in done)) releaseValue(element); // what is in it now is the agent's
  await null; // microtasks that the page's handlers have queued may change the value
  return { ...done, value: isPassword(element) ? null : element.value };
});

// Tells the driver that the field has the value when the browser reports its input, ahead of the page's listeners.
/** @template T @param {any} element @param {string} value @param {() => T} work @returns {T} */
const tellingInput = (element, value, work) => {
  /** @param {Event} event */
  const tell = (event) => {
    if (event.composedPath()[0] !== element || textOfField(element) !== value) return;
    removeEventListener("input", tell, true);
    tellDone(element, { type: false, value: isPassword(element) ? null : value });
  };
  addEventListener("input", tell, true);
  try {
    return work();
  } finally {
    removeEventListener("input", tell, true);
  }
};

/** @param {any} element @param {string} value @param {boolean} guarded */
const fillNow = (element, value, guarded) => {
  element.focus();
  if (element instanceof HTMLInputElement && !isTextField(element)) return setPickerValue(element, value);
  if (isTextField(element)) {
    element.select();
    return focusProblem(element) || replaceText(element, value, guarded);
  }
  if (!element.isContentEditable) {
    const hint = isChosenOnly(element) ? CHOICE_HINT : "Use {click} or {check}.";
    return { reason: "is not something that can be filled in", hint, never: true };
  }
  selectContents(element); // an editor is notified of that only after this call
  return focusProblem(element) || { type: true };
};

/** @param {string} text */
const isLong = (text) => text.split("\n", MAX_TYPED_LINES + 1).length > MAX_TYPED_LINES;

/** @param {HTMLInputElement | HTMLTextAreaElement} element @param {string} value @param {boolean} guarded */
const replaceText = (element, value, guarded) => {
  const kind = !value ? "deleteContentBackward" : isLong(value) ? "insertFromPaste" : "insertText";
  const facts = { bubbles: true, composed: true, inputType: kind, data: value || null };
  // Unlike a key, an editing command fires no beforeinput event, but in WebKit.
  const asked = () => element.dispatchEvent(new InputEvent("beforeinput", { ...facts, cancelable: true }));
  if (!(isWebKit && !isLong(value)) && !asked()) return { type: false };
  const lost = focusProblem(element);
  if (lost) return lost;
  if (guarded && value && isPassword(element)) return { password: true, origin: self.origin };
  if (!isLong(value)) return { type: !editCommand(value ? "insertText" : "delete", value) && element.value !== value };
  if (isTag(element, "textarea") && insertLines(value)) return { type: false };
  setValue(element, element.maxLength >= 0 ? value.slice(0, element.maxLength) : value);
  element.dispatchEvent(new InputEvent("input", facts));
  return { type: false };
};

/** @param {string} name @param {string} [value] */
export const editCommand = (name, value) => Document.prototype.execCommand.call(document, name, false, value);

// Inserts many lines into a textarea at once, as HTML. The browser treats that as editing: it fires events and can be
// undone.
/** @param {string} text */
const insertLines = (text) => {
  // Firefox takes no HTML in a textarea, and many lines of text are quick there.
  if (!Document.prototype.queryCommandEnabled.call(document, "insertHTML")) return editCommand("insertText", text);
  const [last] = /** @type {RegExpMatchArray} */ (text.match(/\n*$/)); // the browser drops line breaks at the end of HTML
  const markup = text
    .slice(0, text.length - last.length)
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;");
  try {
    return editCommand("insertHTML", `<pre>\n${markup}</pre>`) && (!last || editCommand("insertText", last));
  } catch (error) {
    if (error instanceof TypeError) return false; // Trusted Types: the page accepts only its own HTML
    throw error;
  }
};

/** @param {Element} element @param {string} text */
export const insertText = (element, text) =>
  (element && isTag(element, "textarea") && isLong(text) && insertLines(text)) || editCommand("insertText", text);

// Writes over what is selected where the focus is; false if it is not in this document.
/** @param {string} text */
export const insertAtFocus = (text) => {
  const element = focusHere();
  if (!element) return false;
  insertText(element, text);
  return true;
};

// Enters a secret in one step: no script of the page can run in between and redirect it.
/** @param {any} target @param {string} value @param {any} where */
const typeSecret = (target, value, { origin, anywhere, after }) => {
  const element = fieldOf(target);
  if (self.origin !== origin) return { gone: true };
  if (!isTag(element, "textarea") && !(isTag(element, "input") && TEXT_INPUT_TYPES.has(element.type))) {
    return { reason: "is not a field that a secret is typed into", never: true };
  }
  if (isDisabled(element)) return { reason: "is disabled" };
  if (element.readOnly) return { reason: "is read-only" };
  if (!anywhere && !isPassword(element)) return { exposed: true };
  element.focus();
  if (rootNodeOf(element).activeElement !== element) return { reason: "does not keep the focus" };
  if (!after) releaseSecrets(element);
  if (after) caretToEnd(element);
  else element.select();
  if (!editCommand("insertText", value)) {
    setValue(element, after ? element.value + value : value);
    dispatchEvents(element, "input");
  }
  return { entered: element };
};

const NOT_KEPT = {
  reason: "does not keep the secret as a whole, so it was emptied",
  hint: "The page limits or changes what is typed there. Make sure that it is the right field.",
  never: true,
};

/** @param {string} ref @param {string} value @param {any} where */
export const enterSecret = async (ref, value, where) => {
  const { entered, ...answer } = withElement(typeSecret)(ref, value, where);
  if (!entered) return answer;
  const isKept = await holdEnteredSecrets(entered, [{ name: where.name, value }]);
  return { ...answer, ...(isKept ? {} : NOT_KEPT) };
};

/** @param {any} element @returns {any} */
export const fieldOf = (element) => {
  if (element instanceof HTMLLabelElement && element.control) return element.control;
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element;
  if (element.isContentEditable) return element;
  const inside = queryAll(shadowOf(element) || element, "input, textarea, [contenteditable]");
  return inside.length === 1 ? inside[0] : element;
};

/** @param {HTMLInputElement} element @param {string} value */
const setPickerValue = (element, value) => {
  if (UNFILLABLE_TYPES.has(element.type)) {
    const hint = "Use {check} for boxes, {upload} for files, {click} for buttons.";
    return { reason: `is an input of type ${element.type}, which cannot be filled in`, hint, never: true };
  }
  setValue(element, element.type === "color" ? value.toLowerCase() : value);
  dispatchEvents(element, "input", "change");
  return { type: false };
};

export const fieldValue = withElement((target) => {
  const element = fieldOf(target);
  if (hidesValue(element) || isPassword(element)) return { value: null };
  return { value: "value" in element ? element.value : element.innerText };
});

// Moves the caret behind the text that is there, as for a person who continues writing.
/** @param {any} element */
const caretToEnd = (element) => {
  if (
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && SELECTABLE_TYPES.has(element.type))
  ) {
    element.setSelectionRange(element.value.length, element.value.length);
  } else if (element.isContentEditable) {
    selectContents(element);
    getSelection()?.collapseToEnd();
  }
};

// `watches`: whether text is typed next, which is kept out of password fields from now on, until `endTyping`.
/** @type {(ref: string, timeout: number, watches: boolean) => Promise<any>} */
export const focusOn = withRetries((/** @type {any} */ target, /** @type {boolean} */ watches) => {
  const element = fieldOf(target);
  const problem = takesText(element) && !element.readOnly ? editingProblem(element) : null;
  if (problem) return problem;
  element.focus();
  // If the page moves the focus into a frame, the keys would go to another document.
  const active = activeElementOf(document);
  if (active && active !== element && matchesSelector(active, FRAMES)) return { reason: "does not keep the focus" };
  caretToEnd(element);
  // Keys for an element that is no text field may be meant for the page as a whole; text for a field goes into no other
  // element.
  const lost = takesText(element) ? focusProblem(element) : null;
  return lost || (watches ? { typing: beginTyping() } : {});
});
