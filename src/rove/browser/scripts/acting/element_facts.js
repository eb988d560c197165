// What is told of one element: its HTML and attributes, whether it is checked, and what it sends or opens when it is
// pressed.

import { attr, documentOrigin, FRAMES, isTag } from "../dom/elements.js";
import {
  localNameOf,
  matchesSelector,
  nativeGetAttribute,
  queryAll,
  queryOne,
  reader,
  rootNodeOf,
} from "../dom/natives.js";
import { deepestAt, flattenedParent, isWithin } from "../dom/tree.js";
import { hidesValue, isPassword } from "../roles/controls.js";
import { describeElement } from "../snapshot/targets.js";
import { withElement } from "./element_calls.js";
import { fieldOf, isChosenOnly } from "./fields.js";
import { pressPoint } from "./presses.js";

// HTML, attributes and facts read from one element. Its text is read by a snapshot without roles.

export const outerHtml = withElement((element) => ({ value: element.outerHTML }));

export const readAttribute = withElement((element, name) => ({
  value:
    hidesValue(element) && name.toLowerCase() === "value"
      ? `(${element.value.length} hidden characters)`
      : attr(element, name),
}));

// A ref may pass to an element that is drawn again in place of another; this number never does.
/** @type {WeakMap<Element, number>} */
const identities = new WeakMap();
let lastIdentity = 0;

/** @param {Element} element */
const identityOf = (element) => {
  if (!identities.has(element)) identities.set(element, ++lastIdentity);
  return identities.get(element);
};

/** @param {Element} element */
const isCheckbox = (element) =>
  matchesSelector(element, "input[type=checkbox], input[type=radio], [role=checkbox], [role=radio], [role=switch]");

// With the whole line, for a person who is asked about the element as it is now.
export const elementFacts = withElement((element) => ({
  line: describeElement(element).line,
  identity: identityOf(element),
  isChosenOnly: isChosenOnly(fieldOf(element)),
  isCheckbox: isCheckbox(fieldOf(element)),
  isFrame: matchesSelector(element, FRAMES),
  type: element.type ?? null,
  password: isPassword(fieldOf(element)),
  origin: documentOrigin(),
}));

// The state of checkboxes, radio buttons and switches.

export const checkedIn = withElement((element) => {
  const control = element instanceof HTMLLabelElement && element.control ? element.control : element;
  const inner = control.matches("input[type=checkbox], input[type=radio]")
    ? control
    : queryOne(control, "input[type=checkbox], input[type=radio]") || control;
  if (inner instanceof HTMLInputElement && (inner.type === "checkbox" || inner.type === "radio"))
    return { checked: inner.checked, radio: inner.type === "radio" };
  const state = attr(control, "aria-checked") ?? attr(control, "aria-pressed") ?? attr(control, "aria-selected");
  return state === null
    ? { reason: "is not a checkbox, a radio button or a switch", hint: "Use {click}.", never: true }
    : { checked: state === "true" };
});

// What a form would send and where to, by its markup. Nothing here runs the page's own code: FormData would fire an event.

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
const formOwnerOf = (element) => {
  for (const [tag, owner] of ownersByTag) if (isTag(element, tag)) return owner(/** @type {any} */ (element));
  return null;
};

/** @param {Element} element */
const isSubmitter = (element) => matchesSelector(element, SUBMITTERS) && !matchesSelector(element, ":disabled");

/** @param {string} address @param {Node} node */
const resolved = (address, node) => {
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
const frameName = (target) => {
  const base = queryOne(document, "base[target]");
  return target ?? given(base, "target") ?? "";
};

/** @param {HTMLFormElement} form @param {Element | null} submitter */
const submissionOf = (form, submitter) => {
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
const implicitSubmission = (field) => {
  const form = formOwnerOf(field);
  if (!form || !isTag(field, "input")) return null;
  const button = Array.from(queryAll(rootNodeOf(form), SUBMITTERS)).find((each) => formOwnerOf(each) === form);
  if (button) return matchesSelector(button, ":disabled") ? null : submissionOf(form, button);
  const fields = Array.from(controlsOf(form)).filter((control) => matchesSelector(control, BLOCKING));
  return fields.length > 1 ? null : submissionOf(form, null);
};

// What an element sends or opens when it is pressed, or when a key activates it, by the markup of the page.

const XLINK = "http://www.w3.org/1999/xlink";
const nativeGetAttributeNS = Element.prototype.getAttributeNS;
const controlOf = reader(HTMLLabelElement.prototype, "control");
const SCRIPT = /^\s*javascript:/i;
const LONGEST_SCRIPT = 2000;

/** @param {Element} element @returns {string | null} */
const addressOf = (element) => {
  const name = localNameOf(element);
  if (name !== "a" && name !== "area") return null;
  return nativeGetAttribute.call(element, "href") ?? nativeGetAttributeNS.call(element, XLINK, "href");
};

/** @param {Element} element @param {string} address */
const linkTo = (element, address) => {
  const url = resolved(address, element);
  if (SCRIPT.test(url)) return { kind: "script", name: url.slice(0, LONGEST_SCRIPT) };
  return { kind: "link", url, target: frameName(nativeGetAttribute.call(element, "target")) };
};

// Null where nothing is known; undefined where the element around it may be what reacts.
/** @param {Element} element */
const ownConsequence = (element) => {
  const address = addressOf(element);
  if (address !== null) return linkTo(element, address);
  if (isTag(element, "label")) {
    const control = controlOf(/** @type {HTMLLabelElement} */ (element));
    return control ? submissionBy(control) : undefined;
  }
  return isTag(element, "button") || isTag(element, "input") ? submissionBy(element) : undefined;
};

/** @param {Element} control */
const submissionBy = (control) => {
  const form = isSubmitter(control) ? formOwnerOf(control) : null;
  return form ? submissionOf(form, control) : null;
};

/** @param {Element | null} element */
const pressedConsequence = (element) => {
  for (let around = element; around; around = flattenedParent(around)) {
    const found = ownConsequence(around);
    if (found !== undefined) return found;
  }
  return null;
};

// The press goes to what lies at the point, which may be a link inside of the element.
/** @param {Element} element */
const deepestWithin = (element) => {
  const point = pressPoint(element);
  const hit = "x" in point ? deepestAt(/** @type {any} */ (point).x, /** @type {any} */ (point).y) : null;
  return hit && isWithin(hit, element) ? hit : element;
};

export const consequenceOf = withElement((element, cause) => {
  if (cause === "press") return { found: pressedConsequence(deepestWithin(element)) };
  const isField = isTag(element, "input") && !isSubmitter(element);
  if (isField && cause === "enter") return { found: implicitSubmission(element) };
  return {
    found: isField || (cause === "space" && addressOf(element) !== null) ? null : (ownConsequence(element) ?? null),
  };
});
