// Options that a page shows to choose from: those with the role of one, and texts that have appeared with a list.

import { attr } from "../dom/attributes.js";
import {
  clientHeightOf,
  closestOf,
  hostOf,
  innerTextOf,
  matchesSelector,
  queryAll,
  rootNodeOf,
  scrollHeightOf,
  scrollTopOf,
  textContentOf,
  textDataOf,
} from "../dom/natives.js";
import { squash } from "../dom/text.js";
import { allRoots, flattenedParent, parentElementOf } from "../dom/tree.js";
import { describeElement } from "../search/targets.js";
import { isShown } from "./stand_ins.js";

const OPTION = "[role=option i], [role=menuitemradio i], [role=menuitemcheckbox i], [role=treeitem i]";
const LIST = "[role=listbox i], [role=menu i], [role=tree i], ul, ol, dl";
// A press on these may do more than to choose. In the list of a hidden select, only a few can.
const NO_OPTION =
  "a[href], button, input, textarea, label, [role=button i], [role=link i], [role=menuitem i], [role=tab i]";
const NO_OPTION_OF_SELECT =
  "a[href]:not([href=''], [href^='#'], [href^='javascript:' i]), form button:not([type=button i]), input, textarea";
const SPLIT_LEVELS = 3;

const VALUE_ATTRIBUTES = ["data-value", "value", "data-key"];

/** @returns {Element[]} */
export const shownOptions = () => allRoots().flatMap((root) => Array.from(queryAll(root, OPTION)).filter(isShown));

// The option of a custom element has its value on the host.
/** @param {Element} option @param {string} value */
const hasValue = (option, value) => {
  const root = rootNodeOf(option);
  const holders = root instanceof ShadowRoot ? [option, hostOf(root)] : [option];
  return holders.some((holder) => VALUE_ATTRIBUTES.some((name) => attr(holder, name) === value));
};

// What an option is called: all of its text, and its first line, which a description may follow. One without a text of
// its own shows text from elsewhere.
/** @param {Element} option */
const optionNames = (option) => {
  const text = option instanceof HTMLElement ? innerTextOf(option).trim() : textContentOf(option);
  return text ? [squash(text), squash(text.split("\n")[0])] : [describeElement(option).name];
};

/** @param {Element} option */
export const textOfOption = (option) => optionNames(option)[0];

// The option with a label, or else with a value.
/** @param {Element[]} options @param {string} label */
export const optionNamed = (options, label) => {
  const named = options.map((option) => ({ option, names: optionNames(option) }));
  const lower = label.toLowerCase();
  const found =
    named.find(({ names }) => names[0] === label) ||
    named.find(({ option }) => hasValue(option, label)) ||
    named.find(({ names }) => names.some((name) => name.toLowerCase() === lower));
  return found ? found.option : null;
};

// Elements without a role whose whole text is the label, the innermost of each.
/** @param {string} label */
export const shownTexts = (label) => {
  /** @type {Set<Element>} */
  const found = new Set();
  for (const root of allRoots()) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = squash(textDataOf(node));
      const whole = text && label.includes(text) ? wholeText(node, label) : null;
      if (whole && isShown(whole) && !closestOf(whole, "select")) found.add(whole);
    }
  }
  return Array.from(found);
};

// A search in a list marks the letters that were found, and so splits the text.
/** @param {Node} text @param {string} label */
const wholeText = (text, label) => {
  let around = parentElementOf(text);
  for (let level = 0; around && level < SPLIT_LEVELS; level++, around = parentElementOf(around))
    if (squash(textContentOf(around)) === label) return around;
  return null;
};

/** @param {Element} element @param {boolean} isOfSelect */
export const isPlainItem = (element, isOfSelect) =>
  closestOf(element, isOfSelect ? NO_OPTION_OF_SELECT : NO_OPTION) === null;

// The list that an option is in.
/** @param {Element} option */
export const listOf = (option) =>
  closestOf(option, LIST) || scrollerAround(option) || parentElementOf(option) || option;

// Lists that are drawn in part may scroll by script alone.
/** @param {Element} element */
const canScrollDown = (element) =>
  scrollHeightOf(element) > clientHeightOf(element) + 1 &&
  clientHeightOf(element) > 0 &&
  !/visible|clip/.test(getComputedStyle(element).overflowY);

/** @param {Element} element */
const scrollerAround = (element) => {
  let around = flattenedParent(element);
  while (around && !matchesSelector(around, "body, html") && !canScrollDown(around)) around = flattenedParent(around);
  return around && !matchesSelector(around, "body, html") ? around : null;
};

// The nearest element around a list that is shown: a list for screen readers often stands beside the one that is seen.
/** @param {Element} list */
const shownAround = (list) => {
  let around = /** @type {Element | null} */ (list);
  while (around && !isShown(around)) around = parentElementOf(around);
  return around && !matchesSelector(around, "body, html") ? around : null;
};

// What scrolls the options; null if all of them are in view.
/** @param {Element[]} options @param {Element[]} lists */
export const listScroller = (options, lists) => {
  if (options.length) return scrollerAround(options[0]);
  const around = lists.map(shownAround).find((each) => each !== null);
  return around ? (Array.from(queryAll(around, "*")).find(canScrollDown) ?? null) : null;
};

/** @param {Element} scroller */
export const scrollToTop = (scroller) => scroller.scrollTo({ top: 0, behavior: "instant" });

// Scrolls by most of the height of a list; returns whether there was more of it.
/** @param {Element} scroller */
export const scrollFurther = (scroller) => {
  const before = scrollTopOf(scroller);
  scroller.scrollTo({ top: before + clientHeightOf(scroller) * 0.8, behavior: "instant" });
  return scrollTopOf(scroller) > before;
};
