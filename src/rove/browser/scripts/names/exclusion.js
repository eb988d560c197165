// Content that does not count for a name: what is hidden, and roles that names leave out.

import { hasAttr, lowerCaseAttr } from "../dom/attributes.js";
import { isRendered, isTag, NOT_RENDERED_TAGS } from "../dom/elements.js";
import { localNameOf } from "../dom/natives.js";
import { parentElementOf } from "../dom/tree.js";
import { roleOf } from "../roles/roles.js";
import { distinctions, LAYOUT } from "../visibility/style_sheets.js";

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
