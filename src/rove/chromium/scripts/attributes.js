// What kinds of attributes an element carries, in one native call: most carry none that matter.

const ARIA = 1;
const ROLE = 2;
const CLICKS = 4;
const FOCUS = 8;
const EDITS = 16;
const STYLES = 32;
const TITLE = 64;
const INERT = 128;
const FIELD = 256;
const TELLS = 512;

const KINDS = new Map([
  ["role", ROLE],
  ["tabindex", FOCUS],
  ["contenteditable", EDITS],
  ["draggable", EDITS],
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
  KINDS.set(name, CLICKS);
// These style by themselves, whatever the sheets say.
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
  KINDS.set(name, STYLES);
// What pops up is at least a group.
KINDS.set("popover", STYLES | ROLE);
for (const name of ["required", "readonly", "placeholder", "popovertarget", "commandfor"]) KINDS.set(name, FIELD);
// What makes a cell more than its words.
for (const name of ["busy", "current", "disabled", "expanded", "invalid", "label", "selected", "sort"])
  KINDS.set("aria-" + name, ARIA | TELLS);

let kindsFor = null;
let kindsFound = 0;

const kindsOf = (element) => {
  if (element === kindsFor) return kindsFound;
  let kinds = 0;
  if (hasAnyAttribute(element)) {
    for (const name of attributeNames(element)) {
      kinds |= KINDS.get(name) || (name.startsWith("aria-") ? ARIA : 0);
    }
    if (anySemantics && semantics.has(element)) kinds |= ARIA | ROLE | TELLS;
  }
  kindsFor = element;
  kindsFound = kinds;
  return kinds;
};
