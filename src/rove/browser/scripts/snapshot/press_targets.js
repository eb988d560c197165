// Elements that a person can press, whether or not the markup says so.

import { CLICK_HANDLER, EDITABLE, kindsOf, TABINDEX } from "../dom/attribute_kinds.js";
import { attr, hasAttr } from "../dom/attributes.js";
import { isEditingHost, isHtml, isRendered, isTag } from "../dom/elements.js";
import {
  checkVisibility,
  childCountOf,
  firstChildOf,
  firstElementOf,
  isText,
  localNameOf,
  nextElementOf,
  nextSiblingOf,
  queryAll,
  rectOf,
  textContentOf,
  textDataOf,
} from "../dom/natives.js";
import { labelsOf } from "../names/labels.js";
import { inputType, isFocusable } from "../roles/controls.js";
import { hasOwnLabel } from "../roles/roles.js";
import { clipPathRect, isClippedAway } from "../visibility/clipping.js";

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

/** @param {Element[]} elements */
export const addClickListeners = (elements) => {
  for (const element of elements) for (const each of listeningPartsOf(element)) clickListeners.add(each);
  hasClickListeners = true;
};

// If an element listens for presses on children that look alike, such as the cells of a board, each child can be
// pressed.
/** @param {Element} element */
const listeningPartsOf = (element) => {
  const parts = Array.from(Element.prototype.querySelectorAll.call(element, ":scope > *"));
  /** @param {Element} part */
  const look = (part) => localNameOf(part) + "." + (attr(part, "class") || "").split(/\s+/)[0];
  return parts.length > 1 && parts.every((part) => look(part) === look(parts[0]) && !INLINE_TAGS.has(localNameOf(part)))
    ? parts
    : [element];
};

const INLINE_TAGS = new Set(["b", "i", "em", "strong", "small", "br", "code", "sub", "sup", "path", "g"]);

export const STRONG = 2;
export const WEAK = 1;

// STRONG: the markup or an event listener says so. WEAK: only the cursor does.
/** @param {Element} element @param {string} role @param {StyleRecord} facts @param {Pick<VisibilityContext, "pointer"> & Partial<VisibilityContext>} context */
export const pressStrength = (element, role, facts, context) => {
  if (PRESS_ROLES.has(role) && (!PRESS_IF_FOCUSABLE.has(role) || isFocusable(element))) return STRONG;
  if (hasClickListeners && clickListeners.has(element)) return STRONG;
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

const MEDIA_TAGS = new Set(["video", "audio"]);

// If all children look alike inside one pointer area (ul { cursor: pointer }), each of them is pressed, not the area.
/** @param {Element} element */
export const hasSimilarChildren = (element) => {
  if (childCountOf(element) < 2) return false;
  for (let child = firstChildOf(element); child; child = nextSiblingOf(child)) {
    if (isText(child) && textDataOf(child).trim()) return false;
  }
  const first = /** @type {Element} */ (firstElementOf(element));
  const tag = localNameOf(first);
  const looks = (attr(first, "class") || "").split(/\s+/)[0];
  for (let child = nextElementOf(first); child; child = nextElementOf(child)) {
    if (localNameOf(child) !== tag || (attr(child, "class") || "").split(/\s+/)[0] !== looks) return false;
  }
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
