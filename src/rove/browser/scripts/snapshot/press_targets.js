// Elements that a person can press, whether or not the markup says so, and those that are shown only while the pointer
// is over another.

import {
  attr,
  CLICK_HANDLER,
  EDITABLE,
  hasAttr,
  isEditingHost,
  isHtml,
  isRendered,
  isTag,
  kindsOf,
  SVG,
  TABINDEX,
} from "../dom/elements.js";
import {
  checkVisibility,
  childCountOf,
  childrenOf,
  closestOf,
  containsNode,
  firstChildOf,
  firstElementOf,
  isElement,
  isText,
  localNameOf,
  matchesSelector,
  namespaceOf,
  nextElementOf,
  nextSiblingOf,
  queryAll,
  queryOne,
  rectOf,
  textContentOf,
  textDataOf,
} from "../dom/natives.js";
import { elementOfRef, refNumber } from "../dom/refs.js";
import { hoverSelectors } from "../dom/style_sheets.js";
import { quote, squash } from "../dom/text.js";
import { shadowsWereMet, shownChildren, shownNodesIn } from "../dom/tree.js";
import { LISTENER_FOUND, LISTENING_QUESTION } from "../main_world/event_names.js";
import { inputType, isFocusable } from "../roles/controls.js";
import { labelsOf } from "../roles/labels.js";
import { hasOwnLabel } from "../roles/roles.js";
import { clipPathRect, isClippedAway } from "../visibility/clipping.js";
import { rows } from "./rows.js";

export const PRESS_ROLES = new Set(
  (
    "button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar searchbox " +
    "slider spinbutton switch tab textbox treeitem doc-backlink doc-biblioref doc-glossref doc-noteref"
  ).split(" "),
);

// These roles are pressed only where the element can be focused: a table of a thousand gridcells has no thousand
// buttons.
const PRESS_IF_FOCUSABLE = new Set(["gridcell", "scrollbar", "listbox"]);

const clickListeners = new WeakSet();
let hasClickListeners = false;

// Elements inside one that listens for all of them, as the last snapshot of the page found them.
let listeningParts = new WeakSet();

// An object in the page's own context finds these elements when it is asked by an event, and passes each as the target
// of another event.
let listenerQuestion = "";
/** @param {string} event */
export const useListenerProbe = (event) => {
  listenerQuestion = `ask-${event}`;
  addEventListener(event, (received) => addClickListener(received.composedPath()[0]), true);
};

// Where the script in the main world records listeners itself.
export const useRecordedListeners = () => useListenerProbe(LISTENER_FOUND);

// Whether an element, or one around it, listens for presses, as far as the script in the main world has recorded it.
/** @param {string} ref */
export const isPressListener = (ref) => {
  const element = elementOfRef(ref);
  const question = new Event(LISTENING_QUESTION, { bubbles: true, composed: true, cancelable: true });
  return element !== null && !element.dispatchEvent(question);
};

export const findClickListeners = () => {
  if (listenerQuestion) globalThis.dispatchEvent(new Event(listenerQuestion));
};

/** @param {Element} element */
export const isListener = (element) => clickListeners.has(element) || listeningParts.has(element);

/** @param {EventTarget} target */
const addClickListener = (target) => {
  clickListeners.add(target);
  hasClickListeners = true;
};

// Elements of these kinds are pressed anyway, or are never shown.
const NATIVE_TAGS = /^(?:html|a|button|input|select|textarea|option|summary|label|iframe|script|style|br)$/;

/** @param {Node[]} nodes */
export const noteClickListeners = (nodes) => {
  for (const node of nodes)
    if (isElement(node) && !NATIVE_TAGS.test(localNameOf(/** @type {Element} */ (node)))) addClickListener(node);
};

/** @param {Element} body @param {StyleRecord} facts */
export const findListeningParts = (body, facts) => {
  listeningParts = new WeakSet();
  if (hasClickListeners) isListening(body, facts);
};

export const STRONG = 2;
export const WEAK = 1;

// STRONG: the markup or an event listener says so. WEAK: only the cursor does.
/** @param {Element} element @param {string} role @param {StyleRecord} facts @param {Pick<VisibilityContext, "pointer"> & Partial<VisibilityContext>} context */
export const pressStrength = (element, role, facts, context) => {
  if (PRESS_ROLES.has(role) && (!PRESS_IF_FOCUSABLE.has(role) || isFocusable(element))) return STRONG;
  if (hasClickListeners && isListening(element, facts)) return STRONG;
  const kinds = kindsOf(element);
  if (kinds & CLICK_HANDLER) return STRONG;
  if (kinds & TABINDEX && parseInt(attr(element, "tabindex") || "", 10) >= 0) return STRONG;
  if (kinds & EDITABLE && (isEditingHost(element) || attr(element, "draggable") === "true")) return STRONG;
  const tag = facts.tag;
  if (MEDIA_TAGS.has(tag) && hasAttr(element, "controls")) return STRONG;
  if (tag === "a" && !hasAttr(element, "href") && isHtml(element) && firstChildOf(element) !== null) return STRONG;
  if (context.shapes && SVG_SHAPE_TAGS.has(tag)) return STRONG;
  return facts.pointer && !context.pointer && !facts.untouchable ? WEAK : 0;
};

export const SVG_SHAPE_TAGS = new Set(["circle", "rect", "ellipse", "polygon"]);
const MAX_SHAPES = 40;

// An SVG of a few large shapes may have shapes to press; an icon, or a chart of hundreds of shapes, has not.
/** @param {Element} svg */
export const hasPressableShapes = (svg) => {
  const rect = rectOf(svg);
  if (rect.width < 60 || rect.height < 60 || hasOwnLabel(svg) || hasAttr(svg, "role")) return false;
  const count = queryAll(svg, "circle,rect,ellipse,polygon").length;
  return count > 0 && count <= MAX_SHAPES;
};

/** @param {Element} element @param {StyleRecord} facts */
const isListening = (element, facts) => {
  if (listeningParts.has(element)) return true;
  if (!clickListeners.has(element)) return false;
  const parts = pressedParts(element, facts.pointer);
  for (const part of parts) listeningParts.add(part);
  return parts[0] === element;
};

const CONTROLS = "a[href],button,input,select,textarea,summary,iframe,[role],[onclick],[tabindex]";
const MAX_LISTENING_ELEMENTS = 40;
const MAX_LISTENING_TEXT = 300;

// What can be pressed where an element listens: the element, or, if it listens for what is inside, all the texts in it.
// Nothing more than the controls inside, where it has some; and of a large part of the page only the items of a list.
/** @param {Element} element @param {boolean} pointer */
const pressedParts = (element, pointer) => {
  if (namespaceOf(element) === SVG) return [element];
  const inside = elementsIn(element);
  if (inside.length > MAX_LISTENING_ELEMENTS || textContentOf(element).length > MAX_LISTENING_TEXT)
    return itemsOfLongList(element);
  if (holds(element, CONTROLS) || hasControlInside(element, pointer)) return [];
  const texts = textsIn(element);
  return texts.length > 1 && (!pointer || isAlike(childrenOf(element))) ? texts : [element];
};

// The elements inside, with those that are slotted or in shadow trees.
/** @param {Element} element @returns {ArrayLike<Element>} */
const elementsIn = (element) =>
  shadowsWereMet
    ? /** @type {Element[]} */ (shownNodesIn(element, MAX_LISTENING_ELEMENTS * 3).filter(isElement))
    : queryAll(element, "*");

// Whether an element has one inside that matches, slotted or in a shadow tree too.
/** @param {Element} element @param {string} selector */
export const holds = (element, selector) =>
  queryOne(element, selector) !== null ||
  (shadowsWereMet && Array.from(elementsIn(element)).some((each) => matchesSelector(each, selector)));

// Whether anything inside is pressed by itself: where the cursor changes, and where an element listens.
/** @param {Element} element @param {boolean} pointer */
export const hasControlInside = (element, pointer) => {
  const inside = elementsIn(element);
  return inside.length <= MAX_LISTENING_ELEMENTS && Array.from(inside).some((each) => isOwnControl(each, pointer));
};

/** @param {Element} element @param {boolean} pointer */
const isOwnControl = (element, pointer) =>
  clickListeners.has(element) || (!pointer && getComputedStyle(element).cursor === "pointer");

// The innermost elements that have text, or that look alike, such as the cells of a board.
/** @param {Element} element @returns {Element[]} */
const textsIn = (element) => {
  const children = partsOf(element).filter((child) => !INLINE_TAGS.has(localNameOf(child)));
  if (!children.length || namespaceOf(element) === SVG || hasOwnTextNode(element)) return [element];
  const parts = isAlike(children) ? children : children.filter((child) => textContentOf(child).trim());
  const found = parts.flatMap(textsIn);
  return found.length > 1 ? found : [element];
};

/** @param {Element} element @returns {Element[]} */
const partsOf = (element) =>
  shadowsWereMet
    ? /** @type {Element[]} */ (shownChildren(element).filter(isElement))
    : Array.from(childrenOf(element));

const INLINE_TAGS = new Set("b i em strong small br code kbd mark sub sup path g".split(" "));

/** @param {Element} element */
const hasOwnTextNode = (element) => {
  if (shadowsWereMet) return shownChildren(element).some((child) => isText(child) && textDataOf(child).trim());
  for (let child = firstChildOf(element); child; child = nextSiblingOf(child)) {
    if (isText(child) && textDataOf(child).trim()) return true;
  }
  return false;
};

/** @param {ArrayLike<Element>} elements */
const isAlike = (elements) => {
  if (elements.length < 2 || localNameOf(elements[0]) === "p") return false;
  const look = lookOf(elements[0]);
  return Array.from(elements).every((each) => lookOf(each) === look);
};

/** @param {Element} element */
const lookOf = (element) => localNameOf(element) + "." + (attr(element, "class") || "").split(/\s+/)[0];

const LONG_LIST_TAGS = new Set(["ul", "ol", "tbody"]);
const MAX_ITEM_TEXT = 200;

// A list that listens for its items, if these are short and have no controls of their own.
/** @param {Element} element @returns {Element[]} */
const itemsOfLongList = (element) => {
  const items = Array.from(childrenOf(element));
  if (items.length === 1 || localNameOf(element) === "table") return itemsOfLongList(items[items.length - 1]);
  if (!LONG_LIST_TAGS.has(localNameOf(element)) && !(isAlike(items) && attr(items[0], "class"))) return [];
  const isItem = (/** @type {Element} */ item) =>
    textContentOf(item).length <= MAX_ITEM_TEXT && !queryOne(item, CONTROLS) && !clickListeners.has(item);
  return items.length > 1 && items.slice(0, 5).every(isItem) ? items : [];
};

const MEDIA_TAGS = new Set(["video", "audio"]);

// If all children look alike inside one pointer area (ul { cursor: pointer }), each of them is pressed, not the area.
/** @param {Element} element */
export const hasSimilarChildren = (element) => {
  if (childCountOf(element) < 2 || hasOwnTextNode(element)) return false;
  const first = /** @type {Element} */ (firstElementOf(element));
  const look = lookOf(first);
  for (let child = nextElementOf(first); child; child = nextElementOf(child)) if (lookOf(child) !== look) return false;
  const tag = localNameOf(first);
  return Boolean(textContentOf(first).trim()) || tag === "img" || tag === "svg";
};

export const HIDEABLE_INPUT_TYPES = new Set(["checkbox", "radio", "file"]);

// A control that is not visible itself, though its label or a drawn replacement can be pressed.
/** @param {Element} control */
export const isHiddenControl = (control) => {
  if (!checkVisibility(control, { opacityProperty: true, visibilityProperty: true })) return true;
  const rect = rectOf(control);
  if (rect.width <= 2 || rect.height <= 2) return true;
  if (rect.right + scrollX <= 0 || rect.bottom + scrollY <= 0) return true;
  const style = getComputedStyle(control);
  if (style.clip !== "auto" && style.position === "absolute") return true;
  const shape = style.clipPath === "none" ? null : clipPathRect(style.clipPath, rect);
  return shape !== null && isClippedAway(shape, rect);
};

/** @param {HTMLLabelElement} label */
export const hiddenControlOf = (label) => {
  const control = label.control;
  if (!control || !isTag(control, "input") || !HIDEABLE_INPUT_TYPES.has(inputType(control))) return null;
  return isHiddenControl(control) ? control : null;
};

/** @param {Element} control */
export const visibleLabelOf = (control) => {
  if (!isTag(control, "input") || !HIDEABLE_INPUT_TYPES.has(inputType(control))) return null;
  for (const label of labelsOf(control)) {
    if (isRendered(label)) {
      const rect = rectOf(label);
      if (rect.width > 2 && rect.height > 2) return label;
    }
  }
  return null;
};

// Controls that style rules show only while the pointer is over an element, such as the buttons of a row in a mail list.
// They are told in the row of that element, for the first of several alike.

const MAX_HOVER_SELECTORS = 30;
const MAX_REVEALED = 300;
const MAX_TOLD = 8;
const MAX_LABEL = 40;
const HOVERED_CONTROLS =
  "a[href],button,input,select,textarea,[role],[tabindex],[onclick],[jsaction],[data-tooltip],li";

export const tellHoverControls = () => {
  for (const selector of [...hoverSelectors].slice(0, MAX_HOVER_SELECTORS)) {
    const [hovered] = selector.split(":hover");
    if (hovered.trim()) tellRevealed(hovered, selector.replaceAll(":hover", ""));
  }
};

/** @param {string} hovered @param {string} selector */
const tellRevealed = (hovered, selector) => {
  /** @type {Map<Element, string[]>} */
  const told = new Map();
  for (const element of Array.from(safeQuery(selector)).slice(0, MAX_REVEALED)) {
    const owner = isRendered(element) ? null : closestOf(element, hovered);
    if (owner === null || !isRendered(owner)) continue;
    const labels = labelsIn(element);
    if (labels.length) told.set(owner, (told.get(owner) || []).concat(labels));
  }
  const [first] = told.keys();
  if (first) tellIn(first, told);
};

// A selector that a style sheet accepts may still fail without its pseudo-class.
/** @param {string} selector @returns {ArrayLike<Element>} */
const safeQuery = (selector) => {
  try {
    return queryAll(document, selector);
  } catch {
    return [];
  }
};

/** @param {Element} element */
const labelsIn = (element) => {
  const controls = Array.from(queryAll(element, HOVERED_CONTROLS)).filter(
    (each) => !each.querySelector(HOVERED_CONTROLS),
  );
  return (controls.length ? controls : [element]).map(hoverLabelOf).filter(Boolean);
};

/** @param {Element} element */
const hoverLabelOf = (element) => {
  const label = ["aria-label", "data-tooltip", "title"].map((name) => attr(element, name)).find(Boolean);
  const text = squash(label || textContentOf(element));
  return text.length <= MAX_LABEL ? text : "";
};

/** @param {Element} owner @param {Map<Element, string[]>} told */
const tellIn = (owner, told) => {
  const row = rowFor(owner);
  if (!row) return;
  row.ref ||= refNumber(owner);
  const labels = told.get(owner) || [];
  const more = labels.length > MAX_TOLD ? ` +${labels.length - MAX_TOLD}` : "";
  const others = told.size > 1 ? `; likewise in ${told.size - 1} more` : "";
  const words = labels.slice(0, MAX_TOLD).map((label) => quote(label));
  row.marks = `${row.marks || ""} (invisible until hover: ${words.join(" ")}${more}${others})`;
};

// The row of the element itself, else the first row inside it.
/** @param {Element} owner */
const rowFor = (owner) =>
  rows.find((row) => row.element === owner && !row.isLeftOut) ||
  rows.find((row) => {
    const node = row.element || row.node;
    return node !== undefined && !row.isLeftOut && containsNode(owner, node);
  });
