// Fields that hold passwords. A page can reveal a password by making its field a text field, so a field that was a
// password field once stays one.

import { attr } from "../dom/attributes.js";
import { isTag } from "../dom/elements.js";
import { queryAll } from "../dom/natives.js";
import { inputType } from "./controls.js";

const passwordFields = new WeakSet();
const PASSWORD_AUTOCOMPLETE = new Set(["current-password", "new-password"]);

/** @param {Element} element */
export const wasPassword = (element) => {
  if (!isTag(element, "input")) return false;
  if (inputType(element) === "password") passwordFields.add(element);
  return passwordFields.has(element);
};

/** @param {Element} element */
const hasPasswordAutocomplete = (element) =>
  (attr(element, "autocomplete") || "")
    .toLowerCase()
    .split(/\s+/)
    .some((word) => PASSWORD_AUTOCOMPLETE.has(word));

// Also a field of another type that shows its characters as dots, or whose autocomplete attribute says password.
/** @param {Element} element */
export const isPassword = (element) =>
  wasPassword(element) ||
  (isTag(element, "input") && hasPasswordAutocomplete(element)) ||
  getComputedStyle(element).webkitTextSecurity !== "none";

export const rememberPasswordFields = () => {
  for (const field of queryAll(document, "input[type=password i]")) passwordFields.add(field);
};

export const listenForPasswords = () => addEventListener("DOMContentLoaded", rememberPasswordFields, { capture: true });
