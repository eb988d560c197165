// What a form would send and where to, by its markup. Nothing here runs the page's own code: FormData would fire an event.

import { isTag } from "../dom/elements.js";
import { matchesSelector, nativeGetAttribute, queryAll, queryOne, reader, rootNodeOf } from "../dom/natives.js";
import { hidesValue, isPassword } from "../roles/passwords.js";

const MOST_FIELDS = 40;
const LONGEST_VALUE = 200;
const SUBMITTERS = "button:not([type=button i], [type=reset i]), input[type=submit i], input[type=image i]";
const NOT_SENT = new Set(["button", "submit", "reset", "image"]);
const ENCODINGS = new Set(["multipart/form-data", "text/plain"]);
const URL_ENCODED = "application/x-www-form-urlencoded";

const baseUriOf = reader(Node.prototype, "baseURI");
const documentUrlOf = reader(Document.prototype, "URL");
const controlsOf = reader(HTMLFormElement.prototype, "elements");
/** @typedef {[keyof HTMLElementTagNameMap, (element: any) => any][]} ReadersByTag */
/** @type {ReadersByTag} */
const ownersByTag = [
  ["button", reader(HTMLButtonElement.prototype, "form")],
  ["input", reader(HTMLInputElement.prototype, "form")],
  ["select", reader(HTMLSelectElement.prototype, "form")],
  ["textarea", reader(HTMLTextAreaElement.prototype, "form")],
];
/** @type {ReadersByTag} */
const valuesByTag = [
  ["input", reader(HTMLInputElement.prototype, "value")],
  ["textarea", reader(HTMLTextAreaElement.prototype, "value")],
  ["button", reader(HTMLButtonElement.prototype, "value")],
];
const isCheckedIn = reader(HTMLInputElement.prototype, "checked");
const filesOf = reader(HTMLInputElement.prototype, "files");
const selectedOptionsOf = reader(HTMLSelectElement.prototype, "selectedOptions");
const optionValueOf = reader(HTMLOptionElement.prototype, "value");
const inputTypeOf = reader(HTMLInputElement.prototype, "type");

/** @param {Element} element @returns {HTMLFormElement | null} */
export const formOwnerOf = (element) => {
  for (const [tag, owner] of ownersByTag) if (isTag(element, tag)) return owner(/** @type {any} */ (element));
  return null;
};

/** @param {Element} element */
export const isSubmitter = (element) => matchesSelector(element, SUBMITTERS) && !matchesSelector(element, ":disabled");

/** @param {string} address @param {Node} node */
export const resolved = (address, node) => {
  try {
    return new URL(address, /** @type {string} */ (baseUriOf(node))).href;
  } catch {
    return address;
  }
};

/** @param {Element | null} element @param {string} name @returns {string | null} */
const given = (element, name) => (element ? nativeGetAttribute.call(element, name) : null);

// A new tab, another frame or a named window; empty for the frame itself.
/** @param {string | null} target */
export const frameName = (target) => {
  const base = queryOne(document, "base[target]");
  return target ?? given(base, "target") ?? "";
};

/** @param {HTMLFormElement} form @param {Element | null} submitter */
export const submissionOf = (form, submitter) => {
  const action = given(submitter, "formaction") ?? given(form, "action") ?? "";
  const method = (given(submitter, "formmethod") ?? given(form, "method") ?? "").toLowerCase();
  const encoding = (given(submitter, "formenctype") ?? given(form, "enctype") ?? "").toLowerCase();
  const isPost = method === "post";
  if (method === "dialog") return null;
  const entries = entriesOf(form, submitter);
  return {
    kind: "form",
    // An empty action means the document itself, whatever its base is.
    url: action.trim() ? resolved(action, form) : documentUrlOf(document),
    method: isPost ? "POST" : "GET",
    encoding: isPost ? (ENCODINGS.has(encoding) ? encoding : URL_ENCODED) : "",
    target: frameName(given(submitter, "formtarget") ?? given(form, "target")),
    fields: entries.slice(0, MOST_FIELDS),
    more_fields: Math.max(0, entries.length - MOST_FIELDS),
  };
};

/** @param {HTMLFormElement} form @param {Element | null} submitter */
const entriesOf = (form, submitter) => Array.from(controlsOf(form)).flatMap((control) => entriesIn(control, submitter));

/** @param {Element} control @param {Element | null} submitter @returns {{ name: string, value: string | null }[]} */
const entriesIn = (control, submitter) => {
  const name = given(control, "name") || "";
  if (!name || matchesSelector(control, ":disabled")) return [];
  if (isTag(control, "select")) {
    const options = Array.from(selectedOptionsOf(/** @type {HTMLSelectElement} */ (control)));
    return options.map((option) => ({ name, value: clipped(String(optionValueOf(option))) }));
  }
  const kind = isTag(control, "input") ? inputTypeOf(/** @type {HTMLInputElement} */ (control)) : "";
  if ((NOT_SENT.has(kind) || isTag(control, "button")) && control !== submitter) return [];
  if ((kind === "checkbox" || kind === "radio") && !isCheckedIn(/** @type {HTMLInputElement} */ (control))) return [];
  if (kind === "file") return fileEntries(name, /** @type {HTMLInputElement} */ (control));
  if (isPassword(control) || hidesValue(control)) return [{ name, value: null }];
  for (const [tag, read] of valuesByTag) {
    if (isTag(control, tag)) return [{ name, value: clipped(String(read(/** @type {any} */ (control)))) }];
  }
  return [];
};

/** @param {string} name @param {HTMLInputElement} control */
const fileEntries = (name, control) =>
  Array.from(filesOf(control) || []).map((file) => ({ name, value: `file ${clipped(file.name)}, ${file.size} bytes` }));

/** @param {string} value */
const clipped = (value) =>
  value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}… (${value.length} characters)` : value;

// Where the Enter key in a field sends its form: by its first submit button, or without one if that is the only field.
const BLOCKING =
  "input:is(:not([type]), [type=text i], [type=search i], [type=url i], [type=tel i], [type=email i], " +
  "[type=password i], [type=date i], [type=month i], [type=week i], [type=time i], [type=datetime-local i], [type=number i])";

/** @param {Element} field */
export const implicitSubmission = (field) => {
  const form = formOwnerOf(field);
  if (!form || !isTag(field, "input")) return null;
  const button = Array.from(queryAll(rootNodeOf(form), SUBMITTERS)).find((each) => formOwnerOf(each) === form);
  if (button) return matchesSelector(button, ":disabled") ? null : submissionOf(form, button);
  const fields = Array.from(controlsOf(form)).filter((control) => matchesSelector(control, BLOCKING));
  return fields.length > 1 ? null : submissionOf(form, null);
};
