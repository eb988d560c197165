// Custom controls that open a list to choose from: what they are, and what they show as chosen.

import { attr, lowerCaseAttr } from "../dom/attributes.js";
import { isTag } from "../dom/elements.js";
import { matchesSelector, queryAll, rectOf } from "../dom/natives.js";
import { shadowOf } from "../dom/shadow_roots.js";
import { quote } from "../dom/text.js";
import { parentElementOf } from "../dom/tree.js";
import { describeElement } from "../search/targets.js";
import { isShown } from "./stand_ins.js";

const CHOICE_CONTROL = "[role=combobox i], [role=listbox i], [aria-haspopup=listbox i], [aria-haspopup=tree i]";
const MENU_BUTTON = "[aria-haspopup=menu i], [aria-haspopup=true i]";
const FIELDS = "input:not([type=hidden i]), select, textarea, [role=combobox i], [aria-haspopup=listbox i]";
const CONTROL_LEVELS = 4;
// Pixels for a label, a frame and several lines of chosen options.
const MAX_AROUND_CONTROL = 100;

/** @param {Element} element @param {string} selector */
const inside = (element, selector) => Array.from(queryAll(shadowOf(element) || element, selector));

// The control that the element is, contains or labels; null if it is none to choose with.
/** @param {Element} element @returns {Element | null} */
export const choiceControlOf = (element) => {
  const own = element instanceof HTMLLabelElement && element.control ? element.control : element;
  if (matchesSelector(own, `${CHOICE_CONTROL}, ${MENU_BUTTON}`)) return own;
  const [first] = inside(own, CHOICE_CONTROL);
  return first ?? null;
};

/** @param {Element} element */
export const isChoiceControl = (element) => matchesSelector(element, CHOICE_CONTROL);

// A control by its role and its name.
/** @param {Element} element */
export const nameAndRef = (element) => {
  const { role, name, ref } = describeElement(element);
  return { line: name ? `${role} ${quote(name)}` : role, ref };
};

/** @param {Element} element */
const hintForOther = (element) => {
  if (isTag(element, "textarea")) return "Use {fill}.";
  if (!isTag(element, "input")) return "Press it with {click}, then press the option.";
  const type = lowerCaseAttr(element, "type");
  return type === "checkbox" || type === "radio" ? "Use {check}." : "Use {fill}, or press it with {click}.";
};

/** @param {Element} element */
export const notChoosable = (element) => ({
  reason: "is not a select, a combobox or a listbox",
  hint: hintForOther(element),
  never: true,
});

// The widget around a control, as far as it holds no other field: what is chosen is often shown beside the control.
/** @param {Element} control */
export const widgetAround = (control) => {
  let around = control;
  for (let level = 0; level < CONTROL_LEVELS; level++) {
    const parent = parentElementOf(around);
    if (!parent || isMuchTaller(parent, control) || hasOtherFields(parent, around)) break;
    around = parent;
  }
  return around;
};

/** @param {Element} parent @param {Element} control */
const isMuchTaller = (parent, control) => rectOf(parent).height > rectOf(control).height + MAX_AROUND_CONTROL;

/** @param {Element} parent @param {Element} child */
const hasOtherFields = (parent, child) =>
  Array.from(queryAll(parent, FIELDS)).some((field) => field !== child && !child.contains(field) && isShown(field));

/** @param {Element} control */
export const isExpanded = (control) => lowerCaseAttr(control, "aria-expanded") === "true";

/** @param {Element} option */
export const isMarkedChosen = (option) =>
  [attr(option, "aria-selected"), attr(option, "aria-checked")].includes("true");
