// Fields that hold a secret. Each holds it as a whole or is empty: an agent that could delete letters from one, or move a
// part of it elsewhere, could read the secret in what the page then sends or shows. A field that is edited is emptied
// before the edit takes effect, and one that a script of the page has shortened as soon as it is noticed. The characters
// are shown as dots, so that pictures do not show them.

import { fieldOfEvent, takesText } from "../acting/typing.js";
import { deepActiveElement } from "../dom/focus.js";
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
const MASK = "-webkit-text-security";

// Card numbers and keys are often shown in groups, and in upper case.
/** @param {string} text */
const withoutGrouping = (text) => text.replace(/[\s\-–—./()]+/g, "").toLowerCase();

/** @param {string} text @param {string} secret */
const holdsPart = (text, secret) => {
  for (let at = 0; at + PART_LENGTH <= secret.length; at++)
    if (text.includes(secret.slice(at, at + PART_LENGTH))) return true;
  return false;
};

/** @param {string} text @param {string} value */
export const isWhole = (text, value) => text.includes(value) || withoutGrouping(text).includes(withoutGrouping(value));

/** @param {any} field @param {HeldSecret} secret @returns {"whole" | "part" | "none"} */
const stateOf = (field, secret) => {
  const text = textOfField(field);
  if (isWhole(text, secret.value)) return "whole";
  return holdsPart(withoutGrouping(text), withoutGrouping(secret.value)) ? "part" : "none";
};

/** @param {any} field */
const forgetSecrets = (field) => {
  heldSecrets.delete(field);
  showSecret(field);
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
  const secrets = heldSecrets.get(field) ?? [];
  const states = secrets.map((secret) => stateOf(field, secret));
  const isDamaged = states.includes("part") || (isEdited && !states.includes("whole") && textOfField(field) !== "");
  if (isDamaged) emptySecretField(field);
  else if (!states.includes("whole")) forgetSecrets(field);
  else if (!field.style.getPropertyPriority(MASK)) field.style.setProperty(MASK, "disc", "important");
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
  if (!secretFieldRefs.size || !event.isTrusted || isPersonDriving() || event.inputType === "insertLineBreak") return;
  const field = fieldOfEvent(event);
  const secrets = field && heldSecrets.get(field);
  if (!secrets) return;
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
    EventTarget.prototype.addEventListener.call(globalThis, kind, listener, { capture: true });
  listen("beforeinput", beforeSecretEdit);
  listen("input", afterEdit);
  for (const kind of ["change", "submit", "formdata", "keydown", "mousedown", "click"]) listen(kind, checkAround);
};

// Remembers that a field holds secrets. False if it does not hold each as a whole, and is empty now.
/** @param {any} field @param {HeldSecret[]} secrets */
export const holdSecrets = (field, secrets) => {
  listenForSecretEdits();
  keepWords();
  if (!isChecking) setTimeout(checkInIntervals, CHECK_INTERVAL_MS);
  isChecking = true;
  const before = heldSecrets.get(field) ?? [];
  heldSecrets.set(field, [...before, ...secrets]);
  secretFieldRefs.add(new WeakRef(field));
  hideSecret(field);
  if (secrets.every((secret) => stateOf(field, secret) === "whole")) {
    checkField(field, false);
    return true;
  }
  emptySecretField(field);
  return false;
};

// Before the field is filled in anew, with a text of the agent.
/** @param {any} field */
export const releaseSecrets = (field) => {
  if (!heldSecrets.has(field)) return;
  forgetSecrets(field);
  setText(field, "");
};

// A page may have put a secret into a field by itself.
/** @param {HeldSecret[]} secrets */
export const holdSecretsInFocus = (secrets) => {
  const field = deepActiveElement();
  if (field && takesText(field) && !heldSecrets.has(field)) holdSecrets(field, secrets);
};
