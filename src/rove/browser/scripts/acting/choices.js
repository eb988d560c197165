// Options of select elements, and checkboxes, radio buttons and switches.

import { attr } from "../dom/attributes.js";
import { isTag } from "../dom/elements.js";
import { deepActiveElement } from "../dom/focus.js";
import {
  checkVisibility,
  closestOf,
  innerTextOf,
  matchesSelector,
  queryAll,
  queryOne,
  rectOf,
} from "../dom/natives.js";
import { quote, squash } from "../dom/text.js";
import { parentElementOf } from "../dom/tree.js";
import { describeElement } from "../search/targets.js";
import { DISABLED, isDisabled } from "./actionability.js";
import { withElement, withRetries } from "./element_calls.js";
import { dispatchEvents } from "./fields.js";
import { nextFrameOrTimeout } from "./waiting.js";

// The options of one select are often fetched when another one has changed.
const OPTIONS_TIMEOUT = 2000;

const EXPANDED = "[aria-expanded=true i]";
// A select that a widget has replaced is hidden, or shrunk to a pixel.
const MIN_SHOWN_PIXELS = 4;

/** @param {Element} element */
const isShown = (element) => {
  const box = rectOf(element);
  const isLarge = box.width >= MIN_SHOWN_PIXELS && box.height >= MIN_SHOWN_PIXELS;
  return isLarge && checkVisibility(element, { visibilityProperty: true, opacityProperty: true });
};

const WIDGET = "[role=combobox i], [role=listbox i], [role=searchbox i], [aria-haspopup], [aria-expanded]";
const STAND_IN_LEVELS = 2;
// Widgets follow the events of their select at once, or when their framework renders.
const FRAMES_TO_FOLLOW = 10;

// The nearest element after the select, or before it, that is shown.
/** @param {Element} element @param {"nextElementSibling" | "previousElementSibling"} way */
const shownBeside = (element, way) => {
  let beside = element[way];
  while (beside && !isShown(beside)) beside = beside[way];
  return beside;
};

// What may stand in for a select that is not shown: elements beside it, or beside what it is in.
/** @param {Element} select */
const standInsFor = (select) => {
  let inner = /** @type {Element | null} */ (select);
  for (let level = 0; inner && level < STAND_IN_LEVELS; level++, inner = parentElementOf(inner)) {
    const beside = [shownBeside(inner, "nextElementSibling"), shownBeside(inner, "previousElementSibling")];
    const found = beside.filter((each) => each !== null && !isTag(each, "label"));
    if (found.length) return /** @type {Element[]} */ (found);
  }
  return [];
};

/** @param {Element} element */
const shownTextOf = (element) => {
  const fields = [element, ...queryAll(element, "input")].filter((each) => isTag(each, "input"));
  return squash([textSeenIn(element), ...fields.map((each) => each.value || each.placeholder)].join(" "));
};

/** @param {Element} element */
const textSeenIn = (element) => (element instanceof HTMLElement ? innerTextOf(element) : "");

/** @param {Element} element */
const isWidget = (element) => matchesSelector(element, WIDGET) || queryOne(element, WIDGET) !== null;

// The widget that stands in for a select and showed what was chosen before; null if there is none that rove can tell.
/** @param {Element} select @param {string[]} labels */
const standInShowing = (select, labels) => {
  const named = labels.filter(Boolean);
  const around = closestOf(select, "[role=combobox i]");
  return standInsFor(select).find((each) =>
    named.length ? named.some((label) => shownTextOf(each).includes(label)) : around || isWidget(each),
  );
};

/** @param {Element} standIn @param {string[]} labels */
const follows = async (standIn, labels) => {
  for (let frame = 0; frame < FRAMES_TO_FOLLOW; frame++) {
    if (!isShown(standIn) || labels.every((label) => shownTextOf(standIn).includes(label))) return true;
    await nextFrameOrTimeout();
  }
  return false;
};

// The part of a widget to press, by its role and its name.
/** @param {HTMLSelectElement} select @param {Element} standIn */
const partToPress = (select, standIn) => {
  const part = closestOf(select, "[role=combobox i]") || queryOne(standIn, WIDGET) || standIn;
  const { role, name, ref } = describeElement(part);
  return { standIn: { line: name ? `${role} ${quote(name)}` : role, ref } };
};

/** @param {HTMLSelectElement} select @param {Set<HTMLOptionElement>} chosen */
const choose = (select, chosen) => {
  for (const option of select.options) option.selected = chosen.has(option);
  dispatchEvents(select, "input", "change");
};

// Chooses in a select that a widget stands in for. A widget that keeps showing the old choice would hide the new one
// from a person, and overwrite it when it is used.
/** @param {HTMLSelectElement} select @param {HTMLOptionElement[]} chosen */
const chooseBehindWidget = async (select, chosen) => {
  const before = new Set(select.selectedOptions);
  const isNew = chosen.length !== before.size || chosen.some((option) => !before.has(option));
  const standIn = isNew && standInShowing(select, Array.from(before, optionLabel));
  choose(select, new Set(chosen));
  if (!standIn || (await follows(standIn, chosen.map(optionLabel)))) return null;
  choose(select, before);
  return partToPress(select, standIn);
};

/** @param {HTMLOptionElement} option */
const optionLabel = (option) => squash(option.label);

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
  const refusal = hasWidget ? await chooseBehindWidget(select, chosen) : choose(select, new Set(chosen));
  if (hasWidget) await closeOpenedList(expandedBefore);
  if (refusal) return refusal;
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
