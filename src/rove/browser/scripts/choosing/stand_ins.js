// Widgets that are shown in place of a select which they hide.

import { isTag } from "../dom/elements.js";
import {
  checkVisibility,
  childrenOf,
  closestOf,
  innerTextOf,
  matchesSelector,
  queryAll,
  queryOne,
  rectOf,
} from "../dom/natives.js";
import { squash } from "../dom/text.js";
import { deepestAt, parentElementOf } from "../dom/tree.js";

// A select that a widget has replaced is hidden, or shrunk to a pixel.
const MIN_SHOWN_PIXELS = 4;
// A select that is shrunk to a pixel still has the borders and paddings of the browser, 16 pixels in Firefox.
const MIN_PRESSED_PIXELS = 20;

/** @param {Element} element */
export const isShown = (element) => {
  const box = rectOf(element);
  const isLarge = box.width >= MIN_SHOWN_PIXELS && box.height >= MIN_SHOWN_PIXELS;
  return isLarge && checkVisibility(element, { visibilityProperty: true, opacityProperty: true });
};

// A transparent select that lies over what is drawn for it: a press there opens the browser's own list.
/** @param {Element} select */
export const takesPresses = (select) => {
  const box = rectOf(select);
  return box.width >= MIN_PRESSED_PIXELS && deepestAt(box.left + box.width / 2, box.top + box.height / 2) === select;
};

const WIDGET = "[role=combobox i], [role=listbox i], [role=searchbox i], [aria-haspopup], [aria-expanded]";
const STAND_IN_LEVELS = 2;

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

// Its text, and what is in its fields but one.
/** @param {Element} element @param {Element | null} [except] */
export const shownTextOf = (element, except = null) => {
  const fields = [element, ...queryAll(element, "input")]
    .filter((each) => isTag(each, "input"))
    .filter((each) => each !== except);
  return squash([textSeenIn(element), ...fields.map((each) => each.value || each.placeholder)].join(" "));
};

/** @param {Element} element */
export const textSeenIn = (element) => (element instanceof HTMLElement ? innerTextOf(element) : "");

/** @param {Element} element */
const isWidget = (element) => matchesSelector(element, WIDGET) || queryOne(element, WIDGET) !== null;

/** @param {HTMLOptionElement} option */
export const optionLabel = (option) => squash(option.label);

// The widget that stands in for a select and shows what is chosen; undefined if there is none that rove can tell. An
// option without a value is a prompt, which a widget may word in its own way.
/** @param {HTMLSelectElement} select */
export const standInFor = (select) => {
  const chosen = Array.from(select.selectedOptions).filter((option) => option.value !== "");
  const labels = chosen.map(optionLabel).filter(Boolean);
  const around = closestOf(select, "[role=combobox i]");
  return standInsFor(select).find((each) =>
    labels.length ? labels.some((label) => shownTextOf(each).includes(label)) : around || isWidget(each),
  );
};

const BUTTONS =
  "button, a[href], summary, [type=submit i], [type=button i], [type=image i], [role=button i], [role=link i]";

// The part of a widget to press. Undefined if that might do something else: a plain button or link beside a hidden select
// need not belong to it.
/** @param {HTMLSelectElement} select @param {Element} standIn @returns {Element | undefined} */
export const partToPress = (select, standIn) => {
  const own = matchesSelector(standIn, WIDGET) ? standIn : queryOne(standIn, WIDGET);
  const part = closestOf(select, "[role=combobox i]") || own;
  if (part) return part;
  return closestOf(standIn, BUTTONS) || queryOne(standIn, BUTTONS) ? undefined : onlyShownIn(standIn);
};

// What is shown in an element, which may be larger: the middle of a wrapper need not lie on the widget.
/** @param {Element} element @returns {Element} */
const onlyShownIn = (element) => {
  const shown = Array.from(childrenOf(element)).filter(isShown);
  return shown.length === 1 ? onlyShownIn(shown[0]) : element;
};
