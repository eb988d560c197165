// The text of a combobox that is not a field: what it shows as chosen, without the controls and the list inside it.

import { isHtml } from "../dom/elements.js";
import {
  checkVisibility,
  firstChildOf,
  innerTextOf,
  isElement,
  isText,
  matchesSelector,
  nextSiblingOf,
  queryOne,
  textDataOf,
} from "../dom/natives.js";
import { squash } from "../dom/text.js";

const LISTBOX = "[role=listbox i]";
const ENCLOSED_CONTROLS =
  "select, button, input, textarea, [role=button i], [role=menu i], [role=tree i], [role=grid i]";
const ENCLOSED_PARTS = `${ENCLOSED_CONTROLS}, ${LISTBOX}`;
const UNCHOSEN_OPTION = "[role=option i]:not([aria-selected=true i])";

/** @param {HTMLElement} element */
export const comboboxText = (element) =>
  queryOne(element, ENCLOSED_PARTS) ? textBesideControls(element).trim() : innerTextOf(element).replace(/\n$/, "");

/** @param {Element} element */
const textBesideControls = (element) => {
  let text = "";
  for (let child = firstChildOf(element); child; child = nextSiblingOf(child)) {
    if (isText(child)) text += textDataOf(child).replace(/\s+/g, " ");
    else if (isElement(child) && isHtml(child) && !isLeftOut(child)) text = withTextOf(text, child);
  }
  return text;
};

/** @param {string} text @param {any} child */
const withTextOf = (text, child) => {
  const own = queryOne(child, ENCLOSED_PARTS) ? textBesideControls(child) : innerTextOf(child);
  if (!squash(own)) return text;
  const separator = getComputedStyle(child).display.startsWith("inline") ? "" : "\n";
  return text.trim() ? text + separator + own : own;
};

/** @param {Element} element */
const isLeftOut = (element) =>
  !checkVisibility(element, { visibilityProperty: true, opacityProperty: true }) ||
  matchesSelector(element, ENCLOSED_CONTROLS) ||
  isListToChooseFrom(element);

// What has been chosen may be a listbox too, with nothing else in it.
/** @param {Element} element */
const isListToChooseFrom = (element) => {
  const isList = matchesSelector(element, LISTBOX);
  if (!isList && !queryOne(element, LISTBOX)) return false;
  return (isList && queryOne(element, UNCHOSEN_OPTION) !== null) || OUT_OF_FLOW.has(getComputedStyle(element).position);
};

const OUT_OF_FLOW = new Set(["absolute", "fixed"]);
