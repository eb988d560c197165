// Form controls: their types, whether they can be focused, which of them hold passwords, and their values.

import { attr, hasAttr, isDetailsSummary, isEditingHost, isHtml, isTag, lowerCaseAttr } from "../dom/elements.js";
import {
  checkVisibility,
  closestOf,
  firstChildOf,
  innerTextOf,
  isConnected,
  isElement,
  isText,
  localNameOf,
  matchesSelector,
  nextSiblingOf,
  queryAll,
  queryOne,
  textContentOf,
  textDataOf,
} from "../dom/natives.js";
import { bareWord, quote, squash, thousands } from "../dom/text.js";
import { parentElementOf } from "../dom/tree.js";
import { INPUT_ROLES } from "./role_names.js";

/** @param {Element} element */
export const inputType = (element) => {
  const type = (attr(element, "type") || "text").toLowerCase();
  return type in INPUT_ROLES ? type : "text";
};

const FOCUSABLE_TAGS = new Set(["button", "select", "textarea", "iframe", "summary"]);

/** @param {Element} element */
const isDisabledControl = (element) =>
  isHtml(element) &&
  /^(?:button|input|select|textarea|fieldset|option|optgroup)$/.test(localNameOf(element)) &&
  matchesSelector(element, ":disabled");

/** @param {Element} element */
export const isFocusable = (element) => {
  if (hasAttr(element, "tabindex") && !Number.isNaN(parseInt(attr(element, "tabindex") || "", 10))) return true;
  const tag = localNameOf(element);
  if ((tag === "a" || tag === "area") && hasAttr(element, "href")) return true;
  if (!isHtml(element)) return false;
  if (FOCUSABLE_TAGS.has(tag)) return (tag !== "summary" || isDetailsSummary(element)) && !isDisabledControl(element);
  if (tag === "input") return inputType(element) !== "hidden" && !isDisabledControl(element);
  if ((tag === "audio" || tag === "video") && hasAttr(element, "controls")) return true;
  return isEditingHost(element);
};

export const TEXT_INPUTS = new Set([
  "text",
  "search",
  "tel",
  "url",
  "email",
  "password",
  "number",
  "date",
  "datetime-local",
  "month",
  "time",
  "week",
]);

/** @type {Record<string, string>} */
export const BUTTON_INPUTS = { submit: "Submit", reset: "Reset", button: "" };

// A disabled group disables its descendants; most pages have none.
export let groupsAreDisabled = false;

export const findDisabledGroups = () => {
  groupsAreDisabled = queryOne(document, '[aria-disabled="true" i]') !== null;
};

/** @param {Element} element */
export const isDisabledOrInDisabledGroup = (element) => {
  if (isDisabledControl(element)) return true;
  if (!groupsAreDisabled) return false;
  const nearest = closestOf(element, '[aria-disabled="true" i],[aria-disabled="false" i]');
  return nearest !== null && lowerCaseAttr(nearest, "aria-disabled") === "true";
};

// Fields that hold passwords: by their type, not by their autocomplete attribute, which pages also use to keep a browser
// from filling in a search box. A page can reveal a password by making its field a text field, or by putting a text field
// in its place, so a field that was a password field once stays one.

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

// The text of a field: the value of an input, or what is in an editable element.

/** @param {HTMLInputElement | HTMLTextAreaElement} element @param {string} value */
export const setValue = (element, value) => {
  const prototype = element instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  // The prototype's setter, as frameworks replace the element's own to notice changes.
  Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(element, value);
};

/** @param {any} field @returns {field is HTMLInputElement | HTMLTextAreaElement} */
const holdsValue = (field) => field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;

/** @param {any} field @returns {string} */
export const textOfField = (field) => (holdsValue(field) ? field.value : textContentOf(field));

/** @param {any} field @param {string} text */
export const setText = (field, text) => {
  if (holdsValue(field)) setValue(field, text);
  else field.textContent = text;
};

/** @param {Element} element @param {...string} names */
export const dispatchEvents = (element, ...names) => {
  for (const name of names) element.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
};

// The text of a combobox that is not a field: what it shows as chosen, without the controls and the list inside it.

const LISTBOX = "[role=listbox i]";
const ENCLOSED_CONTROLS =
  "select, button, input, textarea, [role=button i], [role=menu i], [role=tree i], [role=grid i]";
const ENCLOSED_PARTS = `${ENCLOSED_CONTROLS}, ${LISTBOX}`;
const UNCHOSEN_OPTION = "[role=option i]:not([aria-selected=true i])";

/** @param {HTMLElement} element */
const comboboxText = (element) =>
  queryOne(element, ENCLOSED_PARTS) ? textBesideControls(element).trim() : innerTextOf(element).replace(/\n$/, "");

/** @param {Element} element */
const textBesideControls = (element) => {
  let text = "";
  for (let child = firstChildOf(element); child; child = nextSiblingOf(child)) {
    if (isText(child)) text += textDataOf(child).replace(/\s+/g, " ");
    else if (isElement(child) && isHtml(child) && !isLeftOut(child)) text = withTextOf(text, child);
  }
  return text;
};

/** @param {string} text @param {any} child */
const withTextOf = (text, child) => {
  const own = queryOne(child, ENCLOSED_PARTS) ? textBesideControls(child) : innerTextOf(child);
  if (!squash(own)) return text;
  const separator = getComputedStyle(child).display.startsWith("inline") ? "" : "\n";
  return text.trim() ? text + separator + own : own;
};

/** @param {Element} element */
const isLeftOut = (element) =>
  !checkVisibility(element, { visibilityProperty: true, opacityProperty: true }) ||
  matchesSelector(element, ENCLOSED_CONTROLS) ||
  isListToChooseFrom(element);

// What has been chosen may be a listbox too, with nothing else in it.
/** @param {Element} element */
const isListToChooseFrom = (element) => {
  const isList = matchesSelector(element, LISTBOX);
  if (!isList && !queryOne(element, LISTBOX)) return false;
  return (isList && queryOne(element, UNCHOSEN_OPTION) !== null) || OUT_OF_FLOW.has(getComputedStyle(element).position);
};

const OUT_OF_FLOW = new Set(["absolute", "fixed"]);

// Values and options of form controls.

/** @param {Element} option */
export const optionText = (option) => attr(option, "label") || squash(textContentOf(option));

/** @param {Element} element */
export const valueOfControl = (element) =>
  isTag(element, "input") || isTag(element, "textarea") || isTag(element, "select") ? element.value : null;

const RANGES = new Set(["slider", "spinbutton", "progressbar", "meter", "scrollbar", "separator"]);
export const TEXT_ENTRY = new Set(["textbox", "searchbox", "combobox", "spinbutton"]);

/** @param {Element} element */
const rangeValue = (element) => {
  const text = attr(element, "aria-valuetext");
  if (text) return "(aria)" + quote(text, 80);
  const native =
    isHtml(element) && /^(?:input|progress|meter)$/.test(localNameOf(element))
      ? nativeRange(element)
      : attr(element, "aria-valuenow");
  return native === null || native === "" ? "" : bareNumber(native);
};

/** @param {string} value */
const bareNumber = (value) => (/^[-+.\deE]+$/.test(value) ? value : quote(value, 80));

/** @param {any} element */
const nativeRange = (element) => {
  if (isTag(element, "progress")) return hasAttr(element, "value") ? String(element.value) : null;
  return String(element.value);
};

/** @param {any} element @param {string} role @param {number} limit */
export const valueState = (element, role, limit) => {
  if (RANGES.has(role)) {
    const value = rangeValue(element);
    return value ? " value=" + value : "";
  }
  if (!isHtml(element)) return "";
  const tag = localNameOf(element);
  if (tag === "select")
    return role === "listbox" ? "" : " value=" + quote(Array.from(element.selectedOptions, optionText).join(", "));
  if (hidesValue(element)) return hiddenValueState(element);
  if (tag === "textarea") return element.value ? " value=" + quote(element.value, limit) : "";
  if (tag === "input") return inputValueState(element, limit);
  if (TEXT_ENTRY.has(role) || isEditingHost(element)) return textValue(element, role, limit);
  return "";
};

/** @param {any} element */
const hiddenValueState = (element) => {
  const { length } = element.value ?? innerTextOf(element);
  return length ? ` value=(${length} hidden characters)` : "";
};

/** @param {HTMLInputElement} element @param {number} limit */
const inputValueState = (element, limit) => {
  const type = inputType(element);
  if (type === "file")
    return element.files && element.files.length
      ? " value=" + quote(Array.from(element.files, (f) => f.name).join(", "))
      : "";
  if (type === "color") return " value=" + bareWord(element.value, 20);
  if (!TEXT_INPUTS.has(type)) return "";
  return element.value ? " value=" + quote(element.value, limit) : "";
};

/** @param {HTMLElement} element @param {string} role @param {number} limit */
const textValue = (element, role, limit) => {
  const isBox = role === "combobox" && !isEditingHost(element);
  const text = isBox ? comboboxText(element) : innerTextOf(element).replace(/\n$/, "");
  return text.trim() ? " value=" + quote(text, limit) : "";
};

const OPTION_LIMIT = 24;

/** @param {Element} element */
const optionsOf = (element) => {
  if (isTag(element, "select")) return Array.from(element.options);
  const list = isTag(element, "input") ? element.list : null;
  return list ? Array.from(list.options) : [];
};

/** @param {Element} element */
const isOptionList = (element) => isTag(element, "select") || isTag(element, "datalist");

// An option that is not shown in the opened list, or is in a group that is not.
/** @param {Element} option */
const isHiddenOption = (option) => {
  for (let step = /** @type {Element | null} */ (option); step && !isOptionList(step); step = parentElementOf(step))
    if (hasAttr(step, "hidden") || (isHtml(step) && getComputedStyle(step).display === "none")) return true;
  return false;
};

// The group of an option, said of the first option in it.
/** @param {Element} option @param {Element | null} previous */
const groupNote = (option, previous) => {
  const group = parentElementOf(option);
  if (!group || !isTag(group, "optgroup") || (previous && parentElementOf(previous) === group)) return "";
  const label = squash(attr(group, "label") || "");
  return label ? ` (in ${quote(label, 60)})` : "";
};

/** @param {Element} element */
export const optionsState = (element) => {
  const all = optionsOf(element).filter((option) => !isHiddenOption(option));
  if (!all.length || (all.length === 1 && all[0].selected && isTag(element, "select"))) return "";
  const shown = all
    .slice(0, OPTION_LIMIT)
    .map(
      (option, index) =>
        quote(optionText(option) || option.value, 60) +
        groupNote(option, index === 0 ? null : all[index - 1]) +
        (option.disabled ? " disabled" : ""),
    );
  const more = all.length - shown.length;
  return ` options=${shown.join("|")}${more > 0 ? ` (+${thousands(more)} more)` : ""}`;
};
