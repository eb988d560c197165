// Kinds of attributes that an element has, found in one native call: most elements have none that matter.

import { hasAnyAttribute, hasInternals, internalsSemantics } from "./attributes.js";
import { attributeNames } from "./natives.js";

export const ARIA = 1;
export const ROLE = 2;
export const CLICK_HANDLER = 4;
export const TABINDEX = 8;
export const EDITABLE = 16;
export const PRESENTATIONAL = 32;
export const TITLE = 64;
export const INERT = 128;
export const FIELD_STATE = 256;
export const CELL_STATE = 512;

export const ATTRIBUTE_KINDS = new Map([
  ["role", ROLE],
  ["tabindex", TABINDEX],
  ["contenteditable", EDITABLE],
  ["draggable", EDITABLE],
  ["title", TITLE],
  ["inert", INERT],
]);

for (const name of [
  "onclick",
  "onmousedown",
  "onmouseup",
  "onpointerdown",
  "onpointerup",
  "ondblclick",
  "ontouchstart",
  "ng-click",
  "@click",
  "v-on:click",
  "jsaction",
])
  ATTRIBUTE_KINDS.set(name, CLICK_HANDLER);

// These change the style of an element without any style sheet.
for (const name of [
  "hidden",
  "open",
  "bgcolor",
  "color",
  "size",
  "width",
  "height",
  "align",
  "dir",
  "face",
  "disabled",
  "multiple",
  "controls",
  "background",
  "border",
  "nowrap",
  "start",
])
  ATTRIBUTE_KINDS.set(name, PRESENTATIONAL);

// A popover has at least the role of a group.
ATTRIBUTE_KINDS.set("popover", PRESENTATIONAL | ROLE);
for (const name of ["required", "readonly", "placeholder", "popovertarget", "commandfor"])
  ATTRIBUTE_KINDS.set(name, FIELD_STATE);

// With one of these a cell has more to tell than its text.
for (const name of ["busy", "current", "disabled", "expanded", "invalid", "label", "selected", "sort"])
  ATTRIBUTE_KINDS.set("aria-" + name, ARIA | CELL_STATE);

/** @type {Element | null} */
let kindsFor = null;
let kindsFound = 0;

/** @param {Element | null} element @param {number} kinds */
export const rememberKinds = (element, kinds) => {
  kindsFor = element;
  kindsFound = kinds;
};

/** @param {Element} element */
export const kindsOf = (element) => {
  if (element === kindsFor) return kindsFound;
  let kinds = 0;
  if (hasAnyAttribute(element)) {
    for (const name of attributeNames(element)) {
      kinds |= ATTRIBUTE_KINDS.get(name) || (name.startsWith("aria-") ? ARIA : 0);
    }
    if (hasInternals && internalsSemantics.has(element)) kinds |= ARIA | ROLE | CELL_STATE;
  }
  rememberKinds(element, kinds);
  return kinds;
};
