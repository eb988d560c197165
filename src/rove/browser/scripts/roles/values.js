// Values and options of form controls.

import { attr, hasAttr } from "../dom/attributes.js";
import { isEditingHost, isHtml, isTag } from "../dom/elements.js";
import { innerTextOf, localNameOf, textContentOf } from "../dom/natives.js";
import { bareWord, quote, squash, thousands } from "../dom/text.js";
import { parentElementOf } from "../dom/tree.js";
import { comboboxText } from "./combobox_text.js";
import { inputType, TEXT_INPUTS } from "./controls.js";
import { hidesValue } from "./passwords.js";

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
export const isHiddenOption = (option) => {
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
