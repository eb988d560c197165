// Fields that hold passwords: by their type, not by their autocomplete attribute, which pages also use to keep a browser
// from filling in a search box. A page can reveal a password by making its field a text field, or by putting a text field
// in its place, so a field that was a password field once stays one.

import { attr } from "../dom/attributes.js";
import { isTag } from "../dom/elements.js";
import { isConnected, queryAll } from "../dom/natives.js";
import { inputType } from "./controls.js";

const passwordFields = new WeakSet();
// The last password field of each name and id, to recognise the field that takes its place.
/** @type {Map<string, WeakRef<Element>>} */
const passwordFieldsByName = new Map();
const MAX_NAMES = 1000;

/** @param {Element} element */
const namesOf = (element) =>
  ["id", "name"].flatMap((kind) => {
    const name = attr(element, kind);
    return name ? [`${kind} ${name.slice(0, 200)}`] : [];
  });

/** @param {Element} element */
const rememberPassword = (element) => {
  passwordFields.add(element);
  for (const name of namesOf(element)) {
    if (passwordFieldsByName.size < MAX_NAMES || passwordFieldsByName.has(name))
      passwordFieldsByName.set(name, new WeakRef(element));
  }
};

// Whether a password field with the same name or id has left the page.
/** @param {Element} element */
const replacesPassword = (element) =>
  passwordFieldsByName.size > 0 &&
  namesOf(element).some((name) => {
    const before = passwordFieldsByName.get(name);
    const field = before?.deref();
    return before !== undefined && !(field && isConnected(field));
  });

/** @param {Element} element */
export const wasPassword = (element) => {
  if (!isTag(element, "input")) return false;
  if (inputType(element) === "password") rememberPassword(element);
  if (passwordFields.has(element)) return true;
  if (!replacesPassword(element)) return false;
  passwordFields.add(element);
  return true;
};

// Fields that a person has typed into while driving the tab.
const personFields = new WeakSet();

/** @param {Element} field */
export const withholdValue = (field) => personFields.add(field);

/** @param {Element} field */
export const releaseValue = (field) => personFields.delete(field);

// Fields that hold a secret.
const secretFields = new WeakSet();

/** @param {Element} field */
export const hideSecret = (field) => secretFields.add(field);

/** @param {Element} field */
export const showSecret = (field) => secretFields.delete(field);

// Whether the agent is told only how long the value of a field is.
/** @param {Element} element */
export const hidesValue = (element) => personFields.has(element) || secretFields.has(element) || wasPassword(element);

// Also a field of another type that shows its characters as dots.
/** @param {Element} element */
export const isPassword = (element) => wasPassword(element) || getComputedStyle(element).webkitTextSecurity !== "none";

export const rememberPasswordFields = () => {
  for (const field of queryAll(document, "input[type=password i]")) rememberPassword(field);
};

export const listenForPasswords = () => addEventListener("DOMContentLoaded", rememberPasswordFields, { capture: true });
