// Options of select elements. What a select without a widget, or a custom control, needs instead is said in the answer.

import { DISABLED, isDisabled } from "../acting/actionability.js";
import { tellDone, withRetries } from "../acting/element_calls.js";
import { nextFrameOrTimeout } from "../acting/waiting.js";
import { deepActiveElement } from "../dom/focus.js";
import { queryAll, queryOne } from "../dom/natives.js";
import { squash } from "../dom/text.js";
import { dispatchEvents } from "../roles/field_values.js";
import { choiceControlOf, nameAndRef, notChoosable } from "./choice_controls.js";
import { isShown, optionLabel, partToPress, shownTextOf, standInFor, takesPresses } from "./stand_ins.js";

// The options of one select are often fetched when another one has changed.
const OPTIONS_TIMEOUT = 2000;
const EXPANDED = "[aria-expanded=true i]";
// Widgets follow the events of their select at once, or when their framework renders.
const FRAMES_TO_FOLLOW = 10;
const MAX_LISTED = 50;

/** @param {Element} standIn @param {string[]} labels */
const follows = async (standIn, labels) => {
  for (let frame = 0; frame < FRAMES_TO_FOLLOW; frame++) {
    if (!isShown(standIn) || labels.every((label) => shownTextOf(standIn).includes(label))) return true;
    await nextFrameOrTimeout();
  }
  return false;
};

/** @param {HTMLSelectElement} select @param {Set<HTMLOptionElement>} chosen @param {object} [done] */
const choose = (select, chosen, done) => {
  for (const option of select.options) option.selected = chosen.has(option);
  if (done) tellDone(select, done);
  dispatchEvents(select, "input", "change");
};

/** @param {HTMLSelectElement} select @param {HTMLOptionElement[]} chosen */
const isChosen = (select, chosen) => {
  const before = new Set(select.selectedOptions);
  return chosen.length === before.size && chosen.every((option) => before.has(option));
};

// Takes the focus from a widget that has opened its list because of the choice: an open list covers what is below it.
/** @param {Set<Element>} expandedBefore */
const closeOpenedList = async (expandedBefore) => {
  await nextFrameOrTimeout();
  const opened = Array.from(queryAll(document, EXPANDED)).some((element) => !expandedBefore.has(element));
  const active = deepActiveElement();
  if (opened && active instanceof HTMLElement) active.blur();
};

// Chooses in a hidden select without using the widget. A widget that keeps showing the old choice would hide the new one
// from a person, and overwrite it when it is used: the choice is then taken back.
/** @param {HTMLSelectElement} select @param {HTMLOptionElement[]} chosen @param {Element | undefined} standIn */
const chooseBehindWidget = async (select, chosen, standIn) => {
  const before = new Set(select.selectedOptions);
  const expandedBefore = new Set(queryAll(document, EXPANDED));
  choose(select, new Set(chosen));
  const isFollowed = !standIn || (await follows(standIn, chosen.map(optionLabel)));
  if (!isFollowed) choose(select, before);
  await closeOpenedList(expandedBefore);
  return isFollowed || !standIn ? null : { standIn: nameAndRef(partToPress(select, standIn) ?? standIn) };
};

/** @param {HTMLSelectElement} select @param {string} want */
const optionFor = (select, want) => {
  const options = Array.from(select.options);
  const label = squash(want);
  return (
    options.find((option) => option.value === want) ||
    options.find((option) => optionLabel(option) === label) ||
    options.find((option) => optionLabel(option).toLowerCase() === label.toLowerCase())
  );
};

// The widget of a select that a person would use, and the labels to choose in it. It may offer more than the select does.
/** @param {HTMLSelectElement} select @param {string[]} wanted */
const choiceInWidget = (select, wanted) => {
  if (isShown(select) || takesPresses(select)) return null;
  const standIn = standInFor(select);
  const part = standIn && partToPress(select, standIn);
  if (!part) return null;
  const labels = wanted.map((want) => {
    const option = optionFor(select, want);
    return option ? optionLabel(option) : squash(want);
  });
  return { control: nameAndRef(part), labels, isSelect: true };
};

/** @param {HTMLSelectElement} select @param {string[]} wanted @param {boolean} natively */
const chooseOptions = async (select, wanted, natively) => {
  if (isDisabled(select)) return DISABLED;
  if (wanted.length > 1 && !select.multiple) return { reason: "takes one option only", never: true };
  const chosen = wanted.map((want) => optionFor(select, want)).filter((option) => option !== undefined);
  const barred = chosen.find((option) => option.disabled);
  if (barred) return { reason: `has the option "${optionLabel(barred)}" disabled` };
  const isComplete = chosen.length === wanted.length;
  const wasChosen = isComplete && isChosen(select, chosen);
  const inWidget = natively || wasChosen ? null : choiceInWidget(select, wanted);
  if (inWidget) return inWidget;
  if (!isComplete) return missingOptions(select, wanted);
  const done = { chosen: chosen.map(optionLabel), wasChosen };
  if (!isShown(select)) return (await chooseBehindWidget(select, chosen, standInFor(select))) || done;
  select.focus();
  choose(select, new Set(chosen), done);
  return done;
};

/** @param {HTMLSelectElement} select @param {string[]} wanted */
const missingOptions = (select, wanted) => ({
  retryFor: OPTIONS_TIMEOUT,
  missing: wanted.filter((want) => !optionFor(select, want)),
  options: Array.from(select.options).slice(0, MAX_LISTED).map(optionLabel),
});

// Answers with what was chosen, or with the control in whose list the driver must choose. `natively`: that was tried.
export const selectOptions = withRetries(
  async (element, /** @type {string[]} */ wanted, /** @type {boolean} */ natively) => {
    const select = element instanceof HTMLSelectElement ? element : queryOne(element, "select");
    if (select instanceof HTMLSelectElement) return chooseOptions(select, wanted, natively);
    const control = choiceControlOf(element);
    if (!control) return notChoosable(element);
    if (isDisabled(control)) return DISABLED;
    return { control: nameAndRef(control), labels: wanted.map(squash), isSelect: false };
  },
);
