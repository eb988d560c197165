// What may name an element besides its content: native labels and attributes; and which content does not count.

import {
  attr,
  firstChildTag,
  hasAttr,
  isHtml,
  isRendered,
  isTag,
  lowerCaseAttr,
  NOT_RENDERED_TAGS,
} from "../dom/elements.js";
import {
  childCountOf,
  firstChildOf,
  isText,
  localNameOf,
  nextSiblingOf,
  nodeTypeOf,
  parentNodeOf,
  queryAll,
  rootNodeOf,
  textDataOf,
} from "../dom/natives.js";
import { distinctions, LAYOUT } from "../dom/style_sheets.js";
import { elementById, parentElementOf } from "../dom/tree.js";
import { BUTTON_INPUTS, inputType, TEXT_INPUTS } from "./controls.js";
import { roleOf } from "./roles.js";

// Content that does not count for a name: what is hidden, and roles that names leave out.

export const NAMED_BY_CONTENT = new Set(
  (
    "button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio " +
    "rowheader switch tab tooltip treeitem doc-backlink doc-biblioref doc-glossref doc-noteref " +
    "doc-subtitle graphics-object"
  ).split(" "),
);

export const NAME_SHOWN_AS_LABEL = new Set(
  "caption code deletion emphasis generic insertion mark none paragraph strong subscript suggestion superscript".split(
    " ",
  ),
);

export const NAME_PROHIBITED = new Set(
  "caption code definition deletion emphasis generic insertion mark none paragraph strong subscript suggestion superscript time".split(
    " ",
  ),
);

// Names from content leave out the content of these roles, unless aria-labelledby refers to them: it is a widget, a
// value or a picture of its own.
export const EXCLUDED_FROM_NAMES = new Set(
  (
    "alertdialog application dialog feed grid img menu menubar meter progressbar radiogroup scrollbar separator slider " +
    "spinbutton tablist tabpanel toolbar tree treegrid"
  ).split(" "),
);

/** @param {Element} element */
export const isHiddenForNames = (element) =>
  lowerCaseAttr(element, "aria-hidden") === "true" || isHiddenByStyle(element);

/** @param {Element} element */
export const isHiddenByStyle = (element) => {
  if (isTag(element, "option") || isTag(element, "optgroup") || isTag(element, "area")) return false;
  if (getComputedStyle(element).display === "contents") return getComputedStyle(element).visibility !== "visible";
  return !isRendered(element);
};

/** @param {Element} element */
export const isWithinAriaHidden = (element) => {
  for (let node = /** @type {Element | null} */ (element); node; node = parentElementOf(node)) {
    if (lowerCaseAttr(node, "aria-hidden") === "true") return true;
  }
  return false;
};

// A submenu that an item opens is not part of the item's name.
/** @param {Element} child @param {Element} parent */
export const isSubmenu = (child, parent) => {
  if (!hasAttr(child, "role") && !/^(?:ul|ol|menu)$/.test(localNameOf(child))) return false;
  const role = roleOf(parent);
  if (role === "treeitem") return /^(?:group|tree|list)$/.test(roleOf(child));
  return role.startsWith("menuitem") && /^(?:menu|group)$/.test(roleOf(child));
};

/** @param {Element} element */
export const skipsContent = (element) =>
  (distinctions.propertyGroups & LAYOUT || hasAttr(element, "style")) &&
  getComputedStyle(element).contentVisibility === "hidden";

export const TAGS_WITHOUT_NAME_TEXT = new Set([...NOT_RENDERED_TAGS, "rt"]);

// Native labels: the element or attribute of HTML that names an element.

export const LABELABLE = /^(?:button|input|meter|output|progress|select|textarea)$/;

// element.labels searches the whole document for every control, so the labels of a tree are collected once per pass.
let labelIndexes = new Map();

export const resetLabels = () => {
  labelIndexes = new Map();
};

/** @param {Document | DocumentFragment} root */
const labelIndex = (root) => {
  let index = labelIndexes.get(root);
  if (index) return index;
  index = new Map();
  for (const label of queryAll(root, "label")) {
    const control = /** @type {HTMLLabelElement} */ (label).control || customControlOf(label);
    if (!control) continue;
    if (index.has(control)) index.get(control).push(label);
    else index.set(control, [label]);
  }
  labelIndexes.set(root, index);
  return index;
};

// Only its ElementInternals tell whether a custom element is labelable; a label that refers to it by id suggests it.
/** @param {Element} label */
const customControlOf = (label) => {
  const id = attr(label, "for");
  const target = id ? elementById(label, id) : null;
  return target && localNameOf(target).includes("-") ? target : null;
};

/** @param {Element} element */
export const labelsOf = (element) => {
  if (!isHtml(element) || !(LABELABLE.test(localNameOf(element)) || localNameOf(element).includes("-"))) return [];
  const root = rootNodeOf(element);
  if (nodeTypeOf(root) === 1) return [];
  return labelIndex(root).get(element) || [];
};

// The element whose text names a container in HTML: legend or caption.
/** @param {Element} element */
export const captionOf = (element) => {
  switch (localNameOf(element)) {
    case "fieldset":
      return firstChildTag(element, "legend");
    case "table":
      return firstChildTag(element, "caption");
    default:
      return null;
  }
};

// The caption of a figure that contains nothing but one picture names the picture.
/** @param {Element} image */
export const figureCaptionOf = (image) => {
  const figure = parentNodeOf(image);
  if (!figure || nodeTypeOf(figure) !== 1 || !isTag(figure, "figure") || childCountOf(figure) !== 2) return null;
  for (let child = firstChildOf(figure); child; child = nextSiblingOf(child)) {
    if (isText(child) && textDataOf(child).trim()) return null;
  }
  return firstChildTag(figure, "figcaption");
};

// Names that attributes alone give: the text of a button, a tooltip, a placeholder.

/** @param {Element} element @returns {[string, string]} */
export const inputNativeName = (element) => {
  const type = inputType(element);
  if (type === "image")
    return [attr(element, "alt") || attr(element, "value") || attr(element, "title") || "Submit", "alt"];
  if (type in BUTTON_INPUTS) {
    const value = attr(element, "value");
    return [value === null ? BUTTON_INPUTS[type] : value, "content"];
  }
  return ["", ""];
};

const WITHOUT_ROLE = new Set(["abbr", "cite", "kbd", "rt", "ruby", "var"]);

// A title describes elements that may not be named, unless they have no role at all or are part of another name. An
// image with an empty alt attribute is decorative.
/** @param {Element} element @param {string} role @param {string} via */
const mayUseTitle = (element, role, via) => {
  if (isTag(element, "img") && hasAttr(element, "alt")) return false;
  if (!NAME_PROHIBITED.has(role) || via !== "root") return true;
  return isHtml(element) && WITHOUT_ROLE.has(localNameOf(element));
};

/** @param {Element} element @param {string} role @param {string} via @returns {[string, string]} */
export const tooltipText = (element, role, via) => {
  const title = attr(element, "title");
  if (title && title.trim() && mayUseTitle(element, role, via)) return [title, "title"];
  if (via === "root" && isHtml(element)) {
    const tag = localNameOf(element);
    const takes = tag === "textarea" || (tag === "input" && TEXT_INPUTS.has(inputType(element)));
    const placeholder = takes ? attr(element, "placeholder") : null;
    if (placeholder && placeholder.trim()) return [placeholder, "placeholder"];
    const ariaPlaceholder = attr(element, "aria-placeholder");
    if (ariaPlaceholder) return [ariaPlaceholder, "aria-label"];
  }
  return ["", ""];
};
