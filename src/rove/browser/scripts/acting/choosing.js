// Choosing options: of select elements, and in the list of a control.

import { attr, documentOrigin, isTag } from "../dom/elements.js";
import { closestOf, isConnected, matchesSelector, queryAll, queryOne, rectOf } from "../dom/natives.js";
import { elementOfRef } from "../dom/refs.js";
import { squash } from "../dom/text.js";
import { allRoots, deepActiveElement, idrefs, isWithin, parentElementOf } from "../dom/tree.js";
import { hasAnimations } from "../page/animations.js";
import { awaitedWork } from "../page/scheduled_work.js";
import { dispatchEvents, isPassword } from "../roles/controls.js";
import { clipPathRect } from "../visibility/clipping.js";
import {
  choiceControlOf,
  isExpanded,
  isMarkedChosen,
  isPlainItem,
  isShown,
  listOf,
  listScroller,
  nameAndRef,
  notChoosable,
  optionLabel,
  optionNamed,
  partToPress,
  scrollFurther,
  scrollToTop,
  shownOptions,
  shownTextOf,
  shownTexts,
  standInFor,
  takesPresses,
  textOfOption,
  textSeenIn,
  widgetAround,
} from "./choice_controls.js";
import { described, lineOf, nextFrameOrTimeout, tellDone, withElement, withRetries } from "./element_calls.js";
import { bringIntoView, DISABLED, isDisabled, pressPoint } from "./presses.js";
import { takesText } from "./typing.js";

// Options of select elements. What a select without a widget, or a custom control, needs instead is said in the answer.

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

// A choice in the list of a control, step by step: the driver presses the control and the options, and asks in between.

/**
 * @typedef {object} Choice
 * @property {Element} control what opens the list
 * @property {Element} widget the control and what it shows as chosen
 * @property {HTMLSelectElement | null} select the select that the widget stands in for
 * @property {Set<Element>} before options, texts like them, and fields, that were shown before the list was opened
 * @property {string} textBefore what the widget showed
 * @property {Element | null} activeBefore what had the focus
 * @property {Element | null} search the field that searches the list
 * @property {Element | null} list the list that the options are in
 * @property {Map<string, Element>} found the options that were found so far, by the wanted label or value
 * @property {Map<string, string>} names their labels
 */

/** @type {Choice | null} */
let choice = null;

const MAX_SCROLLS = 200;
// For this long a list may still be filled after it has opened.
const REST_MS = 300;
const MAX_LISTED_OPTIONS = 50;
const SEARCH_FIELD = "input:not([type]), [type=text i], [type=search i]";
const DIALOGS = "dialog, [role=dialog i], [role=alertdialog i], [aria-modal=true i]";

/** @param {Element} target @param {Element} control */
const selectBehind = (target, control) => {
  const select = isTag(target, "select") ? target : queryOne(target, "select");
  return select instanceof HTMLSelectElement && select !== control ? select : null;
};

export const beginChoice = withElement((target, /** @type {string} */ controlRef, /** @type {string[]} */ labels) => {
  const control = elementOfRef(controlRef);
  if (!control) return { gone: true };
  const select = selectBehind(target, control);
  const widget = (select && standInFor(select)) || widgetAround(control);
  const isOpen = isExpanded(control) || hasOptions(control);
  choice = {
    control,
    widget,
    select,
    before: new Set([
      ...(isOpen ? otherOptions(control) : shownOptions()),
      ...(isOpen ? [] : labels.flatMap(shownTexts)),
      ...shownFields(),
    ]),
    textBefore: shownTextOf(widget),
    activeBefore: deepActiveElement(),
    search: null,
    list: null,
    found: new Map(),
    names: new Map(),
  };
  return { isOpen, press: described(pressableIn(control, widget)).ref };
});

// The field in the control, as buttons that remove options may lie beside it; the control; or the nearest part of the
// widget around it that takes presses, as the control may lie under what it shows.
/** @param {Element} control @param {Element} widget */
const pressableIn = (control, widget) => {
  bringIntoView(control);
  const field = Array.from(queryAll(control, "input, textarea")).find(isShown);
  if (field && !("reason" in pressPoint(field))) return field;
  let part = /** @type {Element | null} */ (control);
  while (part && part !== widget && "reason" in pressPoint(part)) part = parentElementOf(part);
  return part && !("reason" in pressPoint(part)) ? part : control;
};

/** @param {Element} control */
const hasOptions = (control) =>
  matchesSelector(control, "[role=listbox i]") && shownOptions().some((option) => isWithin(option, control));

// Options that belong to other lists than the one of a control that is open; none if that cannot be told.
/** @param {Element} control */
const otherOptions = (control) => {
  const lists = [control, ...controlledLists(control)];
  const others = shownOptions().filter((option) => !lists.some((list) => isWithin(option, list)));
  return others.length < shownOptions().length ? others : [];
};

/** @param {Element} control */
const controlledLists = (control) =>
  ["aria-controls", "aria-owns"].flatMap((name) => (attr(control, name) ? idrefs(control, name) : []));

// The options of the list that is open: those that have appeared with it, or that the control says are its own.
/** @param {Choice} now */
const openOptions = (now) => {
  const lists = controlledLists(now.control);
  return shownOptions().filter((option) => !now.before.has(option) || lists.some((list) => isWithin(option, list)));
};

// A menu runs commands: only the items of one that are choices are pressed.
/** @param {Choice} now */
const mayBePlain = (now) =>
  now.select !== null || !matchesSelector(now.control, "[aria-haspopup=menu i], [aria-haspopup=true i]");

/** @param {Choice} now @param {string} label */
const plainOption = (now, label) =>
  (mayBePlain(now) &&
    shownTexts(label).find(
      (text) => !now.before.has(text) && text !== now.control && isPlainItem(text, now.select !== null),
    )) ||
  null;

/** @param {Choice} now @param {string} label */
const findShown = (now, label) => optionNamed(openOptions(now), label) || plainOption(now, label);

// Looks through a list that holds only the options in view.
/** @param {Choice} now @param {string} label */
const findByScrolling = async (now, label) => {
  const scroller = listScroller(openOptions(now), controlledLists(now.control));
  if (!scroller) return null;
  scrollToTop(scroller);
  for (let scrolls = 0; scrolls < MAX_SCROLLS; scrolls++) {
    await nextFrameOrTimeout();
    await nextFrameOrTimeout();
    const option = findShown(now, label);
    if (option || !scrollFurther(scroller)) return option;
  }
  return null;
};

// Waits until the option is there, or the list has been there for a while without it.
/** @param {Choice} now @param {string} label @param {number} timeout */
const waitForOption = async (now, label, timeout) => {
  const deadline = performance.now() + timeout;
  let until = deadline;
  for (;;) {
    const option = findShown(now, label);
    if (option || performance.now() >= until) return option;
    if (until === deadline && openOptions(now).length) until = Math.min(deadline, performance.now() + REST_MS);
    await nextFrameOrTimeout();
  }
};

const shownFields = () => allRoots().flatMap((root) => Array.from(queryAll(root, "input, textarea")).filter(isShown));

/** @param {any} field */
const isSearchable = (field) => takesText(field) && !field.readOnly && !isPassword(field);

// The field that is typed into to search the list: the control, a field that got the focus when the list opened, or the
// only field that has appeared with it.
/** @param {Choice} now */
const searchField = (now) => {
  const active = deepActiveElement();
  const isOwn = active && (active !== now.activeBefore || isWithin(active, now.widget));
  if (active && isOwn && isSearchable(active)) return active;
  const appeared = shownFields().filter((field) => !now.before.has(field) && matchesSelector(field, SEARCH_FIELD));
  return appeared.length === 1 && isSearchable(appeared[0]) ? appeared[0] : null;
};

/** @param {Choice} now */
const hasFocusIn = (now) => {
  const active = deepActiveElement();
  return active !== null && (isWithin(active, now.widget) || (now.list !== null && isWithin(active, now.list)));
};

// What is chosen is often left out of the list.
/** @param {Choice} now @param {string} label */
const isShownAlone = (now, label) =>
  !now.select && shownTexts(label).some((text) => now.before.has(text) && isWithin(text, now.widget));

/** @param {Choice} now @param {string} label */
const missingOption = (now, label) => {
  now.search = searchField(now);
  return {
    missing: label,
    isChosen: isShownAlone(now, label),
    options: openOptions(now).slice(0, MAX_LISTED_OPTIONS).map(textOfOption),
    isOpen: isOpenNow(now),
    hasFocus: hasFocusIn(now),
    search: now.search && described(now.search).ref,
  };
};

/** @param {Choice} now @param {Element} option @param {string} label */
const foundOption = (now, option, label) => {
  now.list = listOf(option);
  now.found.set(label, option);
  now.names.set(label, textOfOption(option));
  return { option: described(option).ref, isChosen: isMarkedChosen(option) && showsChoice(now, label) };
};

/** @param {(now: Choice, ...rest: any[]) => object} work @returns {(ref: string, ...rest: any[]) => Promise<any>} */
const withChoice =
  (work) =>
  async (ref, ...rest) => {
    const target = elementOfRef(ref);
    if (!target || !choice) return { gone: true };
    return { line: lineOf(target), whose: documentOrigin(), ...(await work(choice, ...rest)) };
  };

export const findOption = withChoice(async (now, /** @type {string} */ label, /** @type {number} */ timeout) => {
  const option = (await waitForOption(now, label, timeout)) || (await findByScrolling(now, label));
  return option ? foundOption(now, option, label) : missingOption(now, label);
});

// Which of the wanted options are not chosen yet, as far as a select tells, and which chosen ones are not wanted.
export const choiceState = withChoice((now, /** @type {string[]} */ wanted) => {
  const names = wanted.map((want) => foundLabel(now, want));
  const chosen = now.select?.multiple ? chosenIn(now.select) : [];
  const marked = now.select ? [] : openOptions(now).filter((option) => takesSeveral(option) && isMarkedChosen(option));
  return {
    missing: wanted.filter((label) => !chosen.includes(label)),
    unwanted: [...chosen, ...marked.map(textOfOption)].filter((label) => !names.includes(label)),
  };
});

/** @param {Choice} now @param {string} want */
const foundLabel = (now, want) => now.names.get(want) ?? want;

/** @param {Element} option */
const takesSeveral = (option) => closestOf(option, "[aria-multiselectable=true i]") !== null;

/** @param {HTMLSelectElement} select */
const chosenIn = (select) => Array.from(select.selectedOptions, optionLabel);

// What the widget shows, without its list and the words that search it.
/** @param {Choice} now */
const shownNow = (now) => {
  const text = shownTextOf(now.widget, isOpenNow(now) ? now.search : null);
  const isInside = now.list && isWithin(now.list, now.widget) && isShown(now.list);
  return now.list && isInside ? squash(text.replace(squash(textSeenIn(now.list)), " ")) : text;
};

/** @param {Choice} now @param {string} label */
const showsChoice = (now, label) => {
  if (now.select) return chosenIn(now.select).includes(label);
  const option = now.found.get(label);
  return (
    (option && takesSeveral(option) && isMarkedChosen(option)) ||
    shownNow(now).toLowerCase().includes(foundLabel(now, label).toLowerCase())
  );
};

/** @param {HTMLOptionElement} option @param {string} label */
const isOptionNamed = (option, label) =>
  option.value === label || optionLabel(option).toLowerCase() === label.toLowerCase();

// Whether the select and what is shown agree with the choice. A widget may show a choice in its own words, such as "2
// chosen".
/** @param {Choice} now @param {string[]} labels */
const agrees = (now, labels) => {
  const chosen = now.select && Array.from(now.select.selectedOptions);
  const isInSelect =
    !chosen ||
    (chosen.length === labels.length && labels.every((label) => chosen.some((each) => isOptionNamed(each, label))));
  const text = shownNow(now);
  const isMarked = labels.every((label) => isFoundMarked(now, label));
  return isInSelect && (text !== now.textBefore || isMarked || labels.every((label) => showsChoice(now, label)));
};

/** @param {Choice} now @param {string} label */
const isFoundMarked = (now, label) => {
  const option = now.found.get(label);
  return option !== undefined && isConnected(option) && isMarkedChosen(option);
};

export const choiceResult = withChoice(async (now, /** @type {string[]} */ labels, /** @type {number} */ timeout) => {
  const began = performance.now();
  await until(() => agrees(now, labels) || isAtRest(began, FOLLOWING_BEGINS_MS), timeout);
  const shows = shownNow(now);
  return {
    agrees: agrees(now, labels),
    shows,
    chosen: labels.map((label) => foundLabel(now, label)),
    showsSame: shows === now.textBefore && labels.length === 1 && showsChoice(now, labels[0]),
  };
});

/** @param {() => boolean} condition @param {number} timeout */
const until = async (condition, timeout) => {
  const deadline = performance.now() + timeout;
  while (!condition() && performance.now() < deadline) await nextFrameOrTimeout();
};

// A list that is part of the page is never closed.
/** @param {Choice} now */
const isInline = (now) => now.list !== null && now.list === now.control && !isExpanded(now.control);

/** @param {Choice} now */
const isOpenNow = (now) => {
  if (isInline(now)) return false;
  return (
    isExpanded(now.control) || (now.list !== null && isConnected(now.list) && isShown(now.list) && !isCutOff(now.list))
  );
};

const MAX_CLIPPING_LEVELS = 12;

// Whether a list is clipped away as a whole, or lies where scrolling does not reach: some controls close theirs like that.
/** @param {Element} list */
const isCutOff = (list) => {
  const { right, bottom } = rectOf(list);
  if (right + scrollX <= 0 || bottom + scrollY <= 0) return true;
  let element = /** @type {Element | null} */ (list);
  for (let level = 0; element && level < MAX_CLIPPING_LEVELS; level++, element = parentElementOf(element)) {
    const { clip, clipPath, position } = getComputedStyle(element);
    if (/^rect\((?:0px,? ?){4}\)$/.test(clip) && /absolute|fixed/.test(position)) return true;
    const shape = clipPath === "none" ? null : clipPathRect(clipPath, rectOf(element));
    if (shape && (shape.right <= shape.left || shape.bottom <= shape.top)) return true;
  }
  return false;
};

// A list that is about to close has something under way soon after the press.
const CLOSING_BEGINS_MS = 60;
// A control that follows a choice may ask a server first, which cannot be seen here.
const FOLLOWING_BEGINS_MS = 300;

/** @param {number} began @param {number} begins */
const isAtRest = (began, begins = CLOSING_BEGINS_MS) => {
  if (performance.now() - began < begins) return false;
  const { once, again } = awaitedWork(began - CLOSING_BEGINS_MS, CLOSING_WORK_MS);
  return Math.min(once, again) === Infinity && !hasAnimations(CLOSING_WORK_MS);
};
const CLOSING_WORK_MS = 400;

// Whether the list is still open after so many milliseconds, or earlier if it has closed or nothing is under way.
export const openAfter = withChoice(async (now, /** @type {number} */ timeout) => {
  const began = performance.now();
  await until(() => !isOpenNow(now) || isAtRest(began), timeout);
  const isOpen = isOpenNow(now);
  return {
    isOpen,
    hasClosed: now.list !== null && !isOpen && !isInline(now),
    isInDialog: closestOf(now.control, DIALOGS) !== null,
  };
});

// Many lists keep the words of the last search: what is typed next has to replace them.
export const beginSearch = withChoice((now) => {
  if (now.search instanceof HTMLElement && now.search !== deepActiveElement()) now.search.focus();
  if (now.search instanceof HTMLInputElement) HTMLInputElement.prototype.select.call(now.search);
  return {};
});

export const leaveList = withChoice(() => {
  const active = deepActiveElement();
  if (active instanceof HTMLElement) active.blur();
  return {};
});
