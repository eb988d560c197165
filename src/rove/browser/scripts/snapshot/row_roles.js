// How elements become rows, by role.

import {
  ARIA,
  attr,
  CELL_STATE,
  FIELD_STATE,
  hasAnyAttribute,
  hasAttr,
  isEditingHost,
  isHtml,
  isTag,
  kindsOf,
  ROLE,
  SVG,
  TITLE,
} from "../dom/elements.js";
import { childCountOf, localNameOf, namespaceOf, queryOne, textContentOf } from "../dom/natives.js";
import { squash } from "../dom/text.js";
import { parentElementOf } from "../dom/tree.js";
import { inputType } from "../roles/controls.js";
import { captionOf, EXCLUDED_FROM_NAMES, NAMED_BY_CONTENT } from "../roles/labels.js";
import { alternativeOf, NO_NAME, nameOf, newNameWalk } from "../roles/names.js";
import { hasOwnLabel } from "../roles/roles.js";
import { statesOf } from "../roles/states.js";
import { HIDEABLE_INPUT_TYPES, isHiddenControl, SVG_SHAPE_TAGS, visibleLabelOf } from "./press_targets.js";

export const ONE_LINERS = new Set(
  (
    "button link heading tab menuitem menuitemcheckbox menuitemradio option checkbox radio switch tooltip treeitem " +
    "doc-backlink doc-biblioref doc-glossref doc-noteref doc-subtitle"
  ).split(" "),
);

export const CONTAINERS = new Set(
  (
    "alert alertdialog application article banner blockquote complementary contentinfo definition deletion dialog directory " +
    "document feed grid insertion list listbox listitem log main marquee math menu menubar navigation note radiogroup region row " +
    "search status table tablist tabpanel term timer toolbar tree treegrid"
  ).split(" "),
);

export const CONTAINERS_IF_NAMED = new Set([
  "group",
  "form",
  "figure",
  "graphics-document",
  "graphics-object",
  "graphics-symbol",
  "img",
  "paragraph",
]);

export const LEAVES = new Set([
  "img",
  "doc-cover",
  "textbox",
  "searchbox",
  "combobox",
  "slider",
  "spinbutton",
  "progressbar",
  "meter",
  "scrollbar",
  "iframe",
  "video",
  "audio",
  "canvas",
  "embed",
  "object",
]);

export const CELL_ROLES = new Set(["cell", "gridcell", "columnheader", "rowheader"]);
export const ITEM_ROLES = new Set(["listitem", "row", "option", "treeitem", "menuitem", "article", "tab"]);
export const VALUE_ROLES = new Set(["textbox", "searchbox", "combobox", "slider", "spinbutton"]);

const NESTED_IN_ITEMS = new Set(["menu", "tree", "listbox", "tablist", "dialog", "textbox", "searchbox", "combobox"]);

/** @param {Element} element */
export const isLabelled = (element) => hasAttr(element, "aria-label") || hasAttr(element, "aria-labelledby");

// Content that is not part of the name of a one-line row gets rows below it.
/** @param {Element} element @param {string} role @param {VisibilityContext} context */
export const isNotInName = (element, role, context) => {
  if (role === "iframe" || isTag(element, "rt")) return true;
  const owner = context.owner;
  if (owner !== null && owner.control === element) return true;
  const named = owner !== null && owner.naming && owner.naming.source === "content";
  // Of these only the caption is part of the name.
  if (captionOf(element) !== null) return true;
  if (GROUPING_ROLES.has(role)) return !named || ITEMS_THAT_OPEN.test(owner?.role || "");
  if (NESTED_IN_ITEMS.has(role)) return true;
  if (!named || !EXCLUDED_FROM_NAMES.has(role)) return false;
  if (owner.role === "generic" || owner.role === "none" || namespaceOf(element) === SVG) return false;
  return role !== "img" && role !== "separator";
};

// Grouping is not shown inside a name; but what opens from an item is not part of its name.
const GROUPING_ROLES = new Set(["group", "list"]);
const ITEMS_THAT_OPEN = /^(?:treeitem|menuitem)/;

// A legend or caption is already the name in the line of its group.
/** @param {Element} element @param {VisibilityContext} context */
export const isShownAsName = (element, context) => {
  const parent = parentElementOf(element);
  return parent !== null && !hasOwnLabel(parent) && captionOf(parent) === element && !context.inert;
};

export const TABLE_PARTS = new Set(["table", "row", "cell"]);

// An element with an editable or widget role may contain other elements; a native control or image never does.
/** @param {Element} element @param {string} role */
export const isLeaf = (element, role) => {
  if (namespaceOf(element) === SVG) return false;
  if (NATIVE_LEAVES.test(localNameOf(element)) && isHtml(element)) return true;
  if (role === "combobox") return childCountOf(element) === 0;
  if (role === "img") return childCountOf(element) === 0 && !hasReadableText(element);
  if (!MAY_SHOW_TEXT.has(role) || isEditingHost(element)) return true;
  return !hasReadableText(element) && queryOne(element, "button,a[href],[role=button]") === null;
};

const NATIVE_LEAVES = /^(?:img|select|input|textarea|progress|meter)$/;
// Drawn by elements of their own, which often contain text: "50% complete".
export const MAY_SHOW_TEXT = new Set(["slider", "spinbutton", "progressbar", "meter", "scrollbar"]);

// Icon fonts use the private use area, which means nothing as text.
/** @param {Element} element */
const hasReadableText = (element) => /[^\s\uE000-\uF8FF]/.test(textContentOf(element));

export const STYLED_INPUT_TYPES = new Set(["checkbox", "radio", "file", "range", "color", "date"]);

// The state of a hidden toggle is shown in the line of its visible label.
/** @param {Element} element */
export const isShownByLabel = (element) =>
  isTag(element, "input") &&
  HIDEABLE_INPUT_TYPES.has(inputType(element)) &&
  visibleLabelOf(element) !== null &&
  isHiddenControl(element);

// Containers that are named by their content (rows) show that content as their children.
/** @param {Element} element @param {string} role */
export const containerName = (element, role) => {
  if (isUnnamed(element) || (NAMED_BY_CONTENT.has(role) && !hasAnyAttribute(element))) return NO_NAME;
  const naming = nameOf(element, role);
  return naming.source === "content" ? NO_NAME : naming;
};

const ONLY_NAMED_BY_ATTRIBUTE = new Set(
  "article aside dd div dl dt footer header li main nav ol p section span tbody tr ul".split(" "),
);

/** @param {Element} element */
const isUnnamed = (element) =>
  !(kindsOf(element) & (ARIA | TITLE | ROLE | FIELD_STATE)) &&
  ONLY_NAMED_BY_ATTRIBUTE.has(localNameOf(element)) &&
  isHtml(element);

export const KEPT_WHEN_EMPTY = new Set(["alert", "status", "dialog", "alertdialog", "tabpanel"]);

// A cell that is selected or disabled, or has another name than its text. Read-only is usually said of the whole grid.
/** @param {Element} element @param {string} role */
export const hasMoreThanText = (element, role) => {
  if (!(kindsOf(element) & CELL_STATE)) return false;
  const states = statesOf(element, role);
  if (states && states !== " readonly") return true;
  const label = squash(attr(element, "aria-label") || "");
  return label !== "" && label !== squash(textContentOf(element));
};

/** @param {Element} element @param {string} role */
export const clickableName = (element, role) => {
  const naming = nameOf(element, role);
  if (naming.name) return naming;
  const walk = newNameWalk("reference");
  const name = squash(alternativeOf(element, walk, "reference"));
  return { name, source: name ? "content" : "", hiddenSource: false, titled: walk.titled, pieces: walk.pieces };
};

/** @param {Element} element @param {string} role */
export const clickableRole = (element, role) => {
  if (isEditingHost(element)) return "textbox";
  if (namespaceOf(element) === SVG && SVG_SHAPE_TAGS.has(localNameOf(element))) return localNameOf(element);
  return role === "generic" || role === "none" || role === "paragraph" ? "clickable" : role;
};

/** @param {Element} element */
export const isDescribed = (element) =>
  (kindsOf(element) & ARIA) !== 0 && (hasAttr(element, "aria-describedby") || hasAttr(element, "aria-description"));
