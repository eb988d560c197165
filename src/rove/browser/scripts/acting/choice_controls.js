// Controls that open a list to choose from, the widgets that stand in for a select, and the options that they show.

import { attr, isTag, lowerCaseAttr } from "../dom/elements.js";
import {
  checkVisibility,
  childrenOf,
  clientHeightOf,
  closestOf,
  hostOf,
  innerTextOf,
  matchesSelector,
  queryAll,
  queryOne,
  rectOf,
  rootNodeOf,
  scrollHeightOf,
  scrollTopOf,
  textContentOf,
  textDataOf,
} from "../dom/natives.js";
import { quote, squash } from "../dom/text.js";
import { allRoots, deepestAt, flattenedParent, parentElementOf, shadowOf } from "../dom/tree.js";
import { describeElement } from "../snapshot/targets.js";

// Widgets that are shown in place of a select which they hide.

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

// Custom controls that open a list to choose from: what they are, and what they show as chosen.

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

// Options that a page shows to choose from: those with the role of one, and texts that have appeared with a list.

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
