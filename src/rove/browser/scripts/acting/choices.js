// Options of select elements, and checkboxes, radio buttons and switches.

import { attr } from "../dom/attributes.js";
import { deepActiveElement } from "../dom/focus.js";
import { checkVisibility, queryAll, queryOne, rectOf } from "../dom/natives.js";
import { DISABLED, isDisabled } from "./actionability.js";
import { withElement, withRetries } from "./element_calls.js";
import { dispatchEvents } from "./fields.js";
import { nextFrameOrTimeout } from "./waiting.js";

// The options of one select are often fetched when another one has changed.
const OPTIONS_TIMEOUT = 2000;

const EXPANDED = "[aria-expanded=true i]";
// A select that a widget has replaced is hidden, or shrunk to a pixel.
const MIN_SHOWN_PIXELS = 4;

/** @param {HTMLSelectElement} select */
const isShown = (select) => {
  const box = rectOf(select);
  const isLarge = box.width >= MIN_SHOWN_PIXELS && box.height >= MIN_SHOWN_PIXELS;
  return isLarge && checkVisibility(select, { visibilityProperty: true, opacityProperty: true });
};

// Takes the focus from a widget that has opened its list because of the choice: an open list covers what is below it.
/** @param {Set<Element>} expandedBefore */
const closeOpenedList = async (expandedBefore) => {
  await nextFrameOrTimeout();
  const opened = Array.from(queryAll(document, EXPANDED)).some((element) => !expandedBefore.has(element));
  const active = deepActiveElement();
  if (opened && active instanceof HTMLElement) active.blur();
};

export const selectOptions = withRetries(async (element, /** @type {string[]} */ wanted) => {
  /** @type {HTMLSelectElement | null} */
  const select = element instanceof HTMLSelectElement ? element : element.querySelector("select");
  if (!select) return { reason: "is not a select", hint: "Press it with {click}, then press the option.", never: true };
  if (isDisabled(select)) return DISABLED;
  if (wanted.length > 1 && !select.multiple) return { reason: "takes one option only", never: true };
  const options = Array.from(select.options);
  /** @param {string} text */
  const tidy = (text) => text.replace(/\s+/g, " ").trim();
  /** @param {string} want */
  const optionFor = (want) =>
    options.find((option) => option.value === want) ||
    options.find((option) => tidy(option.label) === tidy(want)) ||
    options.find((option) => tidy(option.label).toLowerCase() === tidy(want).toLowerCase());
  const missing = wanted.filter((want) => !optionFor(want));
  if (missing.length)
    return { retryFor: OPTIONS_TIMEOUT, missing, options: options.slice(0, 50).map((option) => tidy(option.label)) };
  const chosen = wanted.map(optionFor).filter((option) => option !== undefined);
  const barred = chosen.find((option) => option.disabled);
  if (barred) return { reason: `has the option "${tidy(barred.label)}" disabled` };
  const expandedBefore = new Set(queryAll(document, EXPANDED));
  const hasWidget = !isShown(select);
  // A widget in place of the select would open its list.
  if (!hasWidget) select.focus();
  for (const option of options) option.selected = chosen.includes(option);
  dispatchEvents(select, "input", "change");
  if (hasWidget) await closeOpenedList(expandedBefore);
  return { chosen: chosen.map((option) => tidy(option.label)) };
});

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
