// The states that an aria snapshot tells of an element, by its role.

import { attr, hasAttr, lowerCaseAttr } from "../dom/attributes.js";
import { isTag } from "../dom/elements.js";
import { localNameOf } from "../dom/natives.js";
import { parentElementOf } from "../dom/tree.js";
import { inputType, isDisabledOrInDisabledGroup } from "../roles/controls.js";

/** @param {string} words */
const rolesIn = (words) => new Set(words.split(" "));

const CHECKED_ROLES = rolesIn("checkbox menuitemcheckbox option radio switch menuitemradio treeitem");
const SELECTED_ROLES = rolesIn("gridcell option row tab rowheader columnheader treeitem");
const EXPANDED_ROLES = rolesIn(
  "application button checkbox combobox gridcell link listbox menuitem row rowheader tab treeitem columnheader " +
    "menuitemcheckbox menuitemradio switch",
);
const LEVEL_ROLES = rolesIn("heading listitem row treeitem");
const INVALID_ROLES = rolesIn(
  "application checkbox columnheader combobox gridcell listbox radiogroup rowheader searchbox slider spinbutton " +
    "switch textbox tree",
);
const DISABLED_ROLES = rolesIn(
  "application button composite gridcell group input link menuitem scrollbar separator tab checkbox columnheader " +
    "combobox grid listbox menu menubar menuitemcheckbox menuitemradio option radio radiogroup row rowheader " +
    "searchbox select slider spinbutton switch tablist textbox toolbar tree treegrid treeitem",
);

const CAN_BE_DISABLED = /^(?:button|input|select|textarea|option|optgroup)$/;

/** @param {any} element */
const checkedIn3Ways = (element) => {
  if (isTag(element, "input") && element.indeterminate) return "mixed";
  if (isTag(element, "input") && /^(?:checkbox|radio)$/.test(inputType(element))) return element.checked;
  const value = attr(element, "aria-checked");
  return value === "mixed" ? "mixed" : value === "true";
};

/** @param {Element} element */
const isAriaDisabled = (element) => {
  if (CAN_BE_DISABLED.test(localNameOf(element)) && isDisabledOrInDisabledGroup(element)) return true;
  for (let node = /** @type {Element | null} */ (element); node; node = parentElementOf(node)) {
    const value = lowerCaseAttr(node, "aria-disabled");
    if (value === "true" || value === "false") return value === "true";
  }
  return false;
};

/** @param {Element} element */
const levelOf = (element) => {
  const native = /^h([1-6])$/.exec(localNameOf(element));
  const level = Number(native ? native[1] : attr(element, "aria-level") || 0);
  return Number.isInteger(level) && level > 0 ? level : 0;
};

/** @param {any} element */
const isAriaSelected = (element) =>
  isTag(element, "option") ? element.selected : lowerCaseAttr(element, "aria-selected") === "true";

/** @param {Element} element */
const invalidWord = (element) => {
  const value = (attr(element, "aria-invalid") || "").trim();
  if (!value || value.toLowerCase() === "false") return "";
  return value === "grammar" || value === "spelling" ? value : "true";
};

/** @param {string} name @param {unknown} value */
const stateWord = (name, value) => (value === true ? ` [${name}]` : value === "mixed" ? ` [${name}=mixed]` : "");

// In the order in which they are told.
/** @param {Element} element @param {string} role @param {boolean} isActive */
export const ariaStatesOf = (element, role, isActive) => {
  let states = CHECKED_ROLES.has(role) ? stateWord("checked", checkedIn3Ways(element)) : "";
  if (DISABLED_ROLES.has(role) && isAriaDisabled(element)) states += " [disabled]";
  if (EXPANDED_ROLES.has(role) && attr(element, "aria-expanded") === "true") states += " [expanded]";
  if (isActive) states += " [active]";
  const invalid = INVALID_ROLES.has(role) ? invalidWord(element) : "";
  if (invalid) states += invalid === "true" ? " [invalid]" : ` [invalid=${invalid}]`;
  const level = LEVEL_ROLES.has(role) ? levelOf(element) : 0;
  if (level) states += ` [level=${level}]`;
  const pressed = role === "button" && hasAttr(element, "aria-pressed") ? attr(element, "aria-pressed") : null;
  states += stateWord("pressed", pressed === "true" || pressed);
  if (SELECTED_ROLES.has(role) && isAriaSelected(element)) states += " [selected]";
  return lowerCaseAttr(element, "aria-hidden") === "true" ? `${states} [aria-hidden]` : states;
};
