// Fields that hold a secret. Each holds it as a whole or is empty: an agent that could delete letters from one, or move a
// part of it elsewhere, could read the secret in what the page then sends or shows. A field that is edited is emptied
// before the edit takes effect, and one that a script of the page has shortened as soon as it is noticed. The characters
// are shown as dots, so that pictures do not show them, and the browser does not restore them when it goes back.

import { fieldOfEvent } from "../acting/typing.js";
import { attr } from "../dom/attributes.js";
import { isTag } from "../dom/elements.js";
import { keepWords } from "../dom/text.js";
import { isPersonDriving } from "../page/person_typing.js";
import { tellDriver } from "../page/reports.js";
import { dispatchEvents, setText, textOfField } from "../roles/field_values.js";
import { hideSecret, showSecret } from "../roles/passwords.js";

/** @typedef {{ name: string, value: string }} HeldSecret */

/** @type {WeakMap<Element, HeldSecret[]>} */
const heldSecrets = new WeakMap();
/** @type {Set<WeakRef<any>>} */
const secretFieldRefs = new Set();
// As many characters of a secret in a row are a part of it, and no chance.
const PART_LENGTH = 3;
// Fewer letters may stand in any text.
const FOLDED_LENGTH = 4;
const MASK = "-webkit-text-security";

// Card numbers and keys are often shown in groups, and in upper case.
/** @param {string} text */
const withoutGrouping = (text) => text.replace(/[^\p{L}\p{N}]+/gu, "").toLowerCase();

/** @param {string} text @param {string} secret */
const holdsPart = (text, secret) => {
  for (let at = 0; at + PART_LENGTH <= secret.length; at++)
    if (text.includes(secret.slice(at, at + PART_LENGTH))) return true;
  return false;
};

/** @param {string} text @param {string} value */
const isWhole = (text, value) => {
  const folded = withoutGrouping(value);
  return text.includes(value) || (folded.length >= FOLDED_LENGTH && withoutGrouping(text).includes(folded));
};

/** @param {any} field @param {HeldSecret} secret @returns {"whole" | "part" | "none"} */
const stateOf = (field, secret) => {
  const text = textOfField(field);
  if (isWhole(text, secret.value)) return "whole";
  return holdsPart(withoutGrouping(text), withoutGrouping(secret.value)) ? "part" : "none";
};

/** @param {any} field */
const maskField = (field) => {
  if (!field.style.getPropertyPriority(MASK)) field.style.setProperty(MASK, "disc", "important");
};

// What the autocomplete attribute of each held field was. The browser keeps the text of a field in the tab's history,
// and restores it when it goes back, unless the field has this attribute.
/** @type {WeakMap<Element, string | null>} */
const completionBefore = new WeakMap();

/** @param {Element} field */
const keepOutOfHistory = (field) => {
  if (!completionBefore.has(field)) completionBefore.set(field, attr(field, "autocomplete"));
  if (attr(field, "autocomplete") !== "off") Element.prototype.setAttribute.call(field, "autocomplete", "off");
};

/** @param {Element} field */
const allowInHistory = (field) => {
  const before = completionBefore.get(field);
  if (before === undefined) return;
  completionBefore.delete(field);
  if (before === null) Element.prototype.removeAttribute.call(field, "autocomplete");
  else Element.prototype.setAttribute.call(field, "autocomplete", before);
};

/** @param {any} field */
const forgetSecrets = (field) => {
  heldSecrets.delete(field);
  showSecret(field);
  allowInHistory(field);
  if (field.style.getPropertyPriority(MASK)) field.style.removeProperty(MASK);
};

/** @param {any} field */
const emptySecretField = (field) => {
  const names = (heldSecrets.get(field) ?? []).map((secret) => secret.name);
  forgetSecrets(field);
  setText(field, "");
  tellDriver("roveTell", "emptied " + JSON.stringify(names));
  dispatchEvents(field, "input", "change");
};

/** @param {any} field @param {boolean} isEdited */
const checkField = (field, isEdited) => {
  if (settlingFields.has(field)) return;
  const secrets = heldSecrets.get(field) ?? [];
  const states = secrets.map((secret) => stateOf(field, secret));
  const isDamaged = states.includes("part") || (isEdited && !states.includes("whole") && textOfField(field) !== "");
  if (isDamaged) emptySecretField(field);
  else if (!states.includes("whole")) forgetSecrets(field);
  else {
    maskField(field);
    keepOutOfHistory(field);
  }
};

/** @param {any} [edited] */
export const checkSecretFields = (edited) => {
  for (const ref of secretFieldRefs) {
    const field = ref.deref();
    if (field && heldSecrets.has(field)) checkField(field, field === edited);
    else secretFieldRefs.delete(ref);
  }
};

/** @param {InputEvent} event */
const beforeSecretEdit = (event) => {
  if (!secretFieldRefs.size || !event.isTrusted || isPersonDriving()) return;
  const field = fieldOfEvent(event);
  const secrets = field && heldSecrets.get(field);
  // Enter in an input submits its form; everywhere else it is an edit.
  if (!secrets || (event.inputType === "insertLineBreak" && isTag(field, "input"))) return;
  emptySecretField(field);
  // What is typed goes into the empty field. All else would change a value that is gone; the browser has computed the
  // next number of a spin button already, and sets it all the same.
  if (!event.inputType.startsWith("insert")) event.preventDefault();
  editedField = { field, secrets };
};

/** @type {{ field: any, secrets: HeldSecret[] } | null} */
let editedField = null;

const checkEditedField = () => {
  const { field, secrets } = editedField ?? { field: null, secrets: [] };
  editedField = null;
  if (secrets.some((secret) => stateOf(field, secret) !== "none")) setText(field, "");
};

// A person may edit a field as they like; it is theirs from then on.
/** @param {Event} event */
const afterEdit = (event) => {
  if (event.isTrusted) checkEditedField();
  if (!secretFieldRefs.size) return;
  const field = event.isTrusted ? fieldOfEvent(event) : null;
  if (field && isPersonDriving() && heldSecrets.has(field)) forgetSecrets(field);
  else checkSecretFields(field);
};

// Ahead of the page's handlers, which may send what is there, and after them, as they may have changed it.
const checkAround = () => {
  if (!secretFieldRefs.size) return;
  checkSecretFields();
  setTimeout(checkSecretFields);
};

const CHECK_INTERVAL_MS = 200;
let isChecking = false;

// A script of the page may change a field at any time.
const checkInIntervals = () => {
  checkSecretFields();
  isChecking = secretFieldRefs.size > 0;
  if (isChecking) setTimeout(checkInIntervals, CHECK_INTERVAL_MS);
};

// Called for each secret, as document.open() removes all listeners; adding one twice has no effect.
const listenForSecretEdits = () => {
  /** @param {string} kind @param {(event: any) => void} listener */
  const listen = (kind, listener) =>
    EventTarget.prototype.addEventListener.call(window, kind, listener, { capture: true });
  listen("beforeinput", beforeSecretEdit);
  listen("input", afterEdit);
  for (const kind of ["change", "submit", "formdata", "keydown", "mousedown", "click"]) listen(kind, checkAround);
};

/** @param {any} field @param {HeldSecret[]} secrets */
const protectField = (field, secrets) => {
  listenForSecretEdits();
  keepWords();
  if (!isChecking) setTimeout(checkInIntervals, CHECK_INTERVAL_MS);
  isChecking = true;
  heldSecrets.set(field, [...(heldSecrets.get(field) ?? []), ...secrets]);
  secretFieldRefs.add(new WeakRef(field));
  hideSecret(field);
  maskField(field);
  keepOutOfHistory(field);
};

/** @param {any} field @param {HeldSecret[]} secrets */
const holdsWhole = (field, secrets) => secrets.every((secret) => stateOf(field, secret) === "whole");

// False if the field does not hold each secret as a whole, and is empty now.
/** @param {any} field @param {HeldSecret[]} secrets */
const keepOrEmpty = (field, secrets) => {
  const isKept = holdsWhole(field, secrets);
  if (isKept) checkField(field, false);
  else emptySecretField(field);
  return isKept;
};

// Remembers that a field holds secrets.
/** @param {any} field @param {HeldSecret[]} secrets */
export const holdSecrets = (field, secrets) => {
  protectField(field, secrets);
  return keepOrEmpty(field, secrets);
};

// Fields that the page may still be changing after a secret was entered.
const settlingFields = new WeakSet();
const SETTLING_MS = [0, 0, 20, 80, 200];

// Remembers that a field holds secrets, as soon as the page has finished with what was entered: the handlers of some
// pages empty the field, and set it again in a microtask or by a timer.
/** @param {any} field @param {HeldSecret[]} secrets */
export const holdEnteredSecrets = async (field, secrets) => {
  protectField(field, secrets);
  settlingFields.add(field);
  for (const ms of SETTLING_MS) {
    if (holdsWhole(field, secrets)) break;
    await new Promise((done) => setTimeout(done, ms));
  }
  settlingFields.delete(field);
  return keepOrEmpty(field, secrets);
};

// Before the field is filled in anew, with a text of the agent.
/** @param {any} field */
export const releaseSecrets = (field) => {
  if (!heldSecrets.has(field)) return;
  forgetSecrets(field);
  setText(field, "");
};

/** @param {Element} field */
export const isHeld = (field) => heldSecrets.has(field);
