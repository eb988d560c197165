// Which fields hold passwords. A page can show one by making it a text field: what was a password once stays one.

const passwordsMet = new WeakSet();
const PASSWORD_HINTS = new Set(["current-password", "new-password"]);

const wasPassword = (element) => {
  if (!isTag(element, "input")) return false;
  if (inputType(element) === "password") passwordsMet.add(element);
  return passwordsMet.has(element);
};

const isHinted = (element) =>
  (attr(element, "autocomplete") || "").toLowerCase().split(/\s+/).some((word) => PASSWORD_HINTS.has(word));

// Also a field of another kind whose letters are shown as dots, or that says of itself what it is for.
const isPassword = (element) =>
  wasPassword(element) ||
  (isTag(element, "input") && isHinted(element)) ||
  getComputedStyle(element).webkitTextSecurity !== "none";

const meetPasswords = () => {
  for (const field of queryAll(document, "input[type=password i]")) passwordsMet.add(field);
};
addEventListener("DOMContentLoaded", meetPasswords, { capture: true });
