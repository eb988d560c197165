// Checks where typed text arrives, and remembers what a person types.

import { bodyOf, localNameOf } from "../dom/natives.js";
import { refNumber } from "../dom/refs.js";
import { focusHere, HOST_TAGS, shadowOf } from "../dom/tree.js";
import { tellDriver } from "../page/reports.js";
import { hidesValue, isPassword, rememberPasswordFields, wasPassword, withholdValue } from "../roles/controls.js";
import { described } from "./element_calls.js";

// Checks where typed text arrives, ahead of the page, which may have moved the focus or changed the type of a field:
// nothing but a named secret goes into a password field, and nothing is copied out of one.

// Set while the driver types; holds the first field that was protected from the text.
/** @type {{ kept: Element | null, isHost: boolean } | null} */
let typingWatch = null;

/** @param {any} element */
export const takesText = (element) =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element.isContentEditable;

// The field that an event concerns; null inside a closed shadow root that the driver has not handed in.
/** @param {Event} event @returns {any} */
export const fieldOfEvent = (event) => {
  /** @type {any} */
  let element = event.composedPath()[0];
  for (let inner = element; inner; inner = shadowOf(inner)?.activeElement) element = inner;
  return takesText(element) ? element : null;
};

// The elements that can have a shadow root. A canvas cannot, so what is typed there goes into no field.
/** @param {Element} element */
const canBeHost = (element) => {
  const tag = localNameOf(element);
  return tag.includes("-") || tag === "body" || HOST_TAGS.has(tag);
};

/** @param {Event} event @param {Element} element */
const blockInput = (event, element, isHost = false) => {
  event.preventDefault();
  event.stopImmediatePropagation();
  if (typingWatch && !typingWatch.kept) typingWatch = { kept: element, isHost };
};

/** @param {InputEvent} event */
const inspectInput = (event) => {
  if (!typingWatch || !event.isTrusted || /^delete|^insertLineBreak$/.test(event.inputType)) return;
  const field = fieldOfEvent(event);
  const target = /** @type {Element} */ (event.composedPath()[0]);
  if (field && isPassword(field)) blockInput(event, field);
  else if (!field && canBeHost(target)) blockInput(event, target, true);
};

/** @param {Event} event */
export const inspectTransfer = (event) => {
  if (!typingWatch || !event.isTrusted || !(event.composedPath()[0] instanceof Element)) return;
  const field = fieldOfEvent(event);
  if (!field || !isPassword(field)) return;
  // Nothing is typed by a copy, which most browsers do not even report for a password.
  if (event.type === "copy" && /** @type {any} */ (field).type === "password") {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else blockInput(event, field);
};

// Whether text may be dropped on an element by a drag that rove's script carries out, whose events are not trusted.
/** @param {Element} element */
export const allowsDrop = (element) => {
  if (!typingWatch) return true;
  const isAllowed = !takesText(element) || !isPassword(element);
  if (!isAllowed) typingWatch.kept ??= element;
  return isAllowed;
};

// Through the prototypes, as a frame or a form can have the name of a method and shadow it.
/** @param {string} kind @param {(event: any) => void} listener */
const listenAhead = (kind, listener) =>
  EventTarget.prototype.addEventListener.call(window, kind, listener, { capture: true });

const startWatching = () => {
  typingWatch = { kept: null, isHost: false };
  // Each time, as document.open() removes all listeners; adding one twice has no effect.
  listenAhead("beforeinput", inspectInput);
  for (const kind of ["copy", "cut", "paste", "dragstart", "drop"]) listenAhead(kind, inspectTransfer);
};

// Also an element with text that can be edited: the focus may be on a field in its shadow root.
/** @param {Element} element */
const mayHaveClosedShadow = (element) => !shadowOf(element) && canBeHost(element);

export const typingFocus = () => {
  const element = focusHere();
  if (!element) return {};
  return isPassword(element) ? { kept: described(element) } : { isHost: mayHaveClosedShadow(element) };
};

export const beginTyping = () => {
  rememberPasswordFields();
  startWatching();
  return typingFocus();
};

export const endTyping = () => {
  const { kept, isHost } = typingWatch ?? { kept: null, isHost: false };
  typingWatch = null;
  return kept ? { kept: described(kept), isHost } : {};
};

export const focusedRef = () => {
  const element = focusHere();
  return element && element !== bodyOf(document) ? { ref: "e" + refNumber(element) } : null;
};

export const describeFocus = () => {
  const element = focusHere();
  return element ? described(element) : null;
};

// Fields that a person types into while driving the tab. Their values are withheld from the agent, and told to the driver,
// which removes them from every text that the agent gets.

const MAX_REPORTED = 1000;
let isDriving = false;
export const isPersonDriving = () => isDriving;
/** @type {WeakMap<Element, number>} */
const typedFields = new WeakMap();
let lastTypedField = 0;
/** @type {Set<WeakRef<any>>} */
const typedFieldRefs = new Set();

/** @param {Element} field */
const numberOfTypedField = (field) => {
  if (!typedFields.has(field)) {
    typedFields.set(field, ++lastTypedField);
    typedFieldRefs.add(new WeakRef(field));
  }
  return typedFields.get(field);
};

/** @param {Event} event */
const onPersonInput = (event) => {
  const field = isDriving && event.isTrusted ? fieldOfEvent(event) : null;
  if (!field) return;
  withholdValue(field);
  // What is in an editor is mostly the page's text. The driver knows the keys.
  const value = typeof field.value === "string" && field.value.length <= MAX_REPORTED ? field.value : "";
  tellDriver("roveTell", "typed " + JSON.stringify([numberOfTypedField(field), value, wasPassword(field)]));
};

// The style by which a field shows its characters as dots.
export const SHOWN_AS_DOTS = "-webkit-text-security";

// Shows dots in place of what a person has typed, while a picture is taken that the agent gets or that is kept. Returns
// whether a field was not covered until now.
/** @param {boolean} isOn */
export const coverTyped = (isOn) => {
  let wasShown = false;
  for (const ref of typedFieldRefs) {
    const field = ref.deref();
    if (!field) typedFieldRefs.delete(ref);
    else if (isOn && hidesValue(field)) {
      wasShown ||=
        field.style.getPropertyValue(SHOWN_AS_DOTS) !== "disc" || !field.style.getPropertyPriority(SHOWN_AS_DOTS);
      field.style.setProperty(SHOWN_AS_DOTS, "disc", "important");
    } else field.style.removeProperty(SHOWN_AS_DOTS);
  }
  return wasShown;
};

// Listens each time, as document.open() removes all listeners; adding one twice has no effect.
/** @param {boolean} isOn */
export const watchPerson = (isOn) => {
  isDriving = isOn;
  if (isOn) EventTarget.prototype.addEventListener.call(window, "input", onPersonInput, { capture: true });
};
