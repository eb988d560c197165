// Fields that hold a secret, and what could tell something of one: selected text, and the attributes that a selector
// tests.

import { attr, isTag } from "../dom/elements.js";
import { attributeNames, queryAll } from "../dom/natives.js";
import { keepWords } from "../dom/text.js";
import { allRoots, deepActiveElement, everyElement, parentElementOf } from "../dom/tree.js";
import { tellDriver } from "../page/reports.js";
import { dispatchEvents, hideSecret, setText, showSecret, textOfField } from "../roles/controls.js";
import { fieldOfEvent, isPersonDriving, SHOWN_AS_DOTS } from "./typing.js";

// Fields that hold a secret. Each holds it as a whole or is empty: an agent that could delete letters from one, or move a
// part of it elsewhere, could read the secret in what the page then sends or shows. A field that is edited is emptied
// before the edit takes effect, and one that a script of the page has shortened as soon as it is noticed. The characters
// are shown as dots, so that pictures do not show them, and the browser does not restore them when it goes back.

/** @typedef {{ name: string, value: string }} HeldSecret */

/** @type {WeakMap<Element, HeldSecret[]>} */
const heldSecrets = new WeakMap();
/** @type {Set<WeakRef<any>>} */
const secretFieldRefs = new Set();
// As many characters of a secret in a row are a part of it, and no chance.
const PART_LENGTH = 3;
// Fewer letters may stand in any text.
const FOLDED_LENGTH = 4;

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
  if (!field.style.getPropertyPriority(SHOWN_AS_DOTS)) field.style.setProperty(SHOWN_AS_DOTS, "disc", "important");
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
  if (field.style.getPropertyPriority(SHOWN_AS_DOTS)) field.style.removeProperty(SHOWN_AS_DOTS);
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
const isHeld = (field) => heldSecrets.has(field);

// Fields into which the page itself, or the browser when it went back, may have put a secret. The driver knows the
// secrets and says which of these fields have one.

const TEXT_FIELDS = "input, textarea, [contenteditable]:not([contenteditable=false i])";
const MAX_FIELD_LENGTH = 20_000;
const MAX_FIELDS = 5_000;
// The fields whose texts were told last.
/** @type {WeakRef<any>[]} */
let toldFields = [];

// The texts of all fields that are not known to hold a secret and are not empty.
export const unheldTexts = () => {
  toldFields = [];
  /** @type {string[]} */
  const texts = [];
  for (const field of allRoots().flatMap((root) => [...queryAll(root, TEXT_FIELDS)])) {
    if (isHeld(field) || texts.length >= MAX_FIELDS) continue;
    const text = textOfField(field);
    if (!text || text.length > MAX_FIELD_LENGTH) continue;
    texts.push(text);
    toldFields.push(new WeakRef(field));
  }
  return texts;
};

/** @param {[number, HeldSecret[]][]} found */
export const holdSecretsIn = (found) => {
  for (const [place, secrets] of found) {
    const field = toldFields[place]?.deref();
    // A field that has changed since is asked about again.
    if (field && !isHeld(field) && secrets.every((secret) => textOfField(field).includes(secret.value)))
      holdSecrets(field, secrets);
  }
};

// What is selected, and the text around it, by which the driver knows whether a selection is a part of a secret.

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

// The attributes that a selector tests, by which the driver knows whether the answer would tell something of a secret.

const MAX_VALUES = 8_000_000;
// Escapes and strings, which are skipped, and what tests attributes: brackets, and :lang(), which tests `lang`.
const SELECTOR_PARTS = /\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|:lang\(|\[/g;
// As the browser writes it: a name, maybe with a namespace, then an operator or the end.
const ATTRIBUTE_TEST = /(?:[\w*-]*\|(?!=))?([\w-]+)(\]|[~|^$*]?=")/y;

// A selector as the browser writes it: without comments, escapes that are not needed, and other ways to say the same.
// Null for one that a style sheet does not accept: a query closes brackets and strings that are left open.
/** @param {string} css @returns {string | null} */
const canonicalSelector = (css) => {
  if (/[{}@]/.test(css)) return null;
  try {
    const sheet = new CSSStyleSheet();
    sheet.insertRule(`${css}{}`);
    const [rule] = sheet.cssRules;
    return rule instanceof CSSStyleRule ? rule.selectorText : null;
  } catch {
    return null;
  }
};

// The names of the attributes whose values a selector tests; null where that is in doubt.
/** @param {string} css @returns {Set<string> | null} */
const attributesTestedBy = (css) => {
  const selector = canonicalSelector(css);
  if (selector === null) return null;
  /** @type {Set<string>} */
  const names = new Set();
  for (const match of selector.matchAll(SELECTOR_PARTS)) {
    if (match[0] === ":lang(") names.add("lang");
    if (match[0] !== "[") continue;
    ATTRIBUTE_TEST.lastIndex = match.index + 1;
    const test = ATTRIBUTE_TEST.exec(selector);
    if (!test) return null;
    if (test[2] !== "]") names.add(test[1].toLowerCase());
  }
  return names;
};

/** @param {string} name */
const localPart = (name) => name.slice(name.indexOf(":") + 1).toLowerCase();

// The values of the attributes that a selector tests, as one text. Null if there are too many to be looked through.
/** @param {string} css @returns {string | null} */
export const testedValues = (css) => {
  const names = attributesTestedBy(css);
  if (names?.size === 0) return "";
  const values = [];
  let length = 0;
  for (const element of everyElement())
    for (const name of attributeNames(element)) {
      if (names && !names.has(localPart(name))) continue;
      const value = attr(element, name) ?? "";
      values.push(value);
      length += value.length;
      if (length > MAX_VALUES) return null;
    }
  return values.join("\n");
};
