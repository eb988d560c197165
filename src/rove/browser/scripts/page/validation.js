// Fields that the browser's own validation refused. The bubble that tells a person so is not part of the page.

import { documentOrigin } from "../dom/elements.js";
import { closestOf, isConnected, matchesSelector, rootNodeOf } from "../dom/natives.js";
import { refNumber } from "../dom/refs.js";
import { clip, quote } from "../dom/text.js";
import { describeElement } from "../search/targets.js";

const MAX_REFUSED = 20;
const MAX_MESSAGE = 200;

/** @typedef {{ element: Element, form: Element | null, isAttempt: boolean, isFocused: boolean }} Refusal */

/** @type {Refusal[]} */
let refusals = [];
// The form that a press or the Enter key has just tried to submit.
/** @type {Element | null} */
let attemptedForm = null;
const listenedRoots = new WeakSet();

/** @param {Event} event @returns {any} */
const targetOf = (event) => event.composedPath()[0];

/** @param {any} element @returns {Element | null} */
const formOf = (element) => element.form ?? closestOf(element, "form");

const SUBMIT_BUTTONS = "button:not([type=button i], [type=reset i]), input:is([type=submit i], [type=image i])";

/** @param {Event} event */
const onAttempt = (event) => {
  const target = targetOf(event);
  if (!event.isTrusted || !(target instanceof Element)) return;
  const isEnter = event instanceof KeyboardEvent;
  if (isEnter && event.key !== "Enter") return;
  const submitter = isEnter ? target : closestOf(target, SUBMIT_BUTTONS);
  attemptedForm = submitter && formOf(submitter);
  // Neither of the two events leaves a shadow tree.
  if (attemptedForm) listenIn(rootNodeOf(attemptedForm));
};

/** @param {Event} event */
const onInvalid = (event) => {
  const element = targetOf(event);
  if (!event.isTrusted || !(element instanceof Element) || refusals.length >= MAX_REFUSED) return;
  const form = formOf(element);
  refusals = refusals.filter((refusal) => refusal.element !== element);
  const isAttempt = form !== null && form === attemptedForm;
  refusals.push({ element, form, isAttempt, isFocused: false });
};

/** @param {Event} event */
const onSubmit = (event) => {
  refusals = refusals.filter((refusal) => refusal.form !== targetOf(event));
  attemptedForm = null;
};

// A script may ask whether a field is valid without telling the user. Where the user is told, the field gets the focus.
/** @param {Event} event */
const onFocus = (event) => {
  for (const refusal of refusals) if (refusal.element === targetOf(event)) refusal.isFocused = true;
};

/** @param {Node} root */
const listenIn = (root) => {
  if (listenedRoots.has(root)) return;
  listenedRoots.add(root);
  root.addEventListener("invalid", onInvalid, true);
  root.addEventListener("submit", onSubmit, true);
};

export const listenForValidation = () => {
  listenIn(document);
  for (const kind of ["click", "keydown"]) addEventListener(kind, onAttempt, { capture: true, passive: true });
  addEventListener("focusin", onFocus, { capture: true, passive: true });
};

// Returns the refused fields since the last call. All fields of a form are refused in one task, the first gets the focus.
export const takeRefusedFields = () => {
  const recent = refusals.filter(({ element }) => isConnected(element) && isInvalid(element));
  refusals = [];
  const told = new Set(recent.filter((refusal) => refusal.isFocused).map((refusal) => refusal.form));
  return recent
    .filter(({ isAttempt, form }) => isAttempt || told.has(form))
    .filter(isFirstOfGroup)
    .map(describeRefusal);
};

/** @param {Element} element */
const isInvalid = (element) => matchesSelector(element, ":invalid");

// All radio buttons of a group are refused together.
/** @param {Refusal} refusal @param {number} index @param {Refusal[]} all */
const isFirstOfGroup = ({ element, form }, index, all) => {
  const group = groupOf(element);
  return !group || all.findIndex((other) => other.form === form && groupOf(other.element) === group) === index;
};

/** @param {any} element */
const groupOf = (element) => (matchesSelector(element, "input[type=radio i]") ? element.name : "");

/** @param {Refusal} refusal */
const describeRefusal = ({ element, isAttempt }) => {
  const message = /** @type {any} */ (element).validationMessage;
  return {
    line: describeElement(element).label,
    ref: "e" + refNumber(element),
    message: typeof message === "string" && message ? quote(clip(message, MAX_MESSAGE)) : "",
    isAttempt,
    origin: documentOrigin(),
  };
};
