// Roles: the first valid token of the role attribute, else what HTML-AAM, SVG-AAM and MathML give the element.

import {
  ARIA,
  attr,
  HTML,
  hasAttr,
  isDetailsSummary,
  isHtml,
  isTag,
  kindsOf,
  MATHML,
  SVG,
  svgChildOf,
} from "../dom/elements.js";
import {
  closestOf,
  firstElementOf,
  localNameOf,
  matchesSelector,
  namespaceOf,
  nextElementOf,
  parentNodeOf,
  queryOne,
  textContentOf,
} from "../dom/natives.js";
import { elementById, idrefs, ownerOrParentOf, parentElementOf, shadowOf } from "../dom/tree.js";
import { inputType, isFocusable } from "./controls.js";
import { ARIA_ROLES, GLOBAL_ARIA, INPUT_ROLES, LISTABLE_INPUTS, SYNONYMS, TAG_ROLES } from "./role_names.js";

// Tables: roles of their cells, and tables that only lay out the page.

// A table without headers that contains another table, or is inside one, only lays out the page.
let layoutTables = new WeakMap();
let tablesAreNested = false;

export const resetTables = () => {
  layoutTables = new WeakMap();
  tablesAreNested = queryOne(document, "td table") !== null;
  partsIn = null;
};

/** @param {Element} table */
const isLayoutTable = (table) => {
  let layout = layoutTables.get(table);
  if (layout === undefined) {
    layout =
      !hasAttr(table, "role") &&
      queryOne(table, "th,caption,thead,[scope],[headers]") === null &&
      (queryOne(table, "table") !== null ||
        (parentNodeOf(table) instanceof Element && closestOf(parentNodeOf(table), "td") !== null));
    layoutTables.set(table, layout);
  }
  return layout;
};

/** @param {Element} element */
export const isLayoutPart = (element) => {
  if (!tablesAreNested) return false;
  const tag = localNameOf(element);
  if (tag === "table") return isHtml(element) && isLayoutTable(element);
  if (tag !== "tr" && tag !== "td") return false;
  return !hasAttr(element, "role") && arePartsOfLayout(element);
};

// Siblings belong to the same table.
/** @type {Node | null} */
let partsIn = null;
let partsOfLayout = false;

/** @param {Element} element */
const arePartsOfLayout = (element) => {
  const parent = parentNodeOf(element);
  if (parent === null || parent !== partsIn) {
    const table = closestOf(element, "table");
    partsOfLayout = table !== null && isLayoutTable(table);
    partsIn = parent;
  }
  return partsOfLayout;
};

/** @param {string} role */
export const isGrid = (role) => role === "grid" || role === "treegrid";

export const TABLES = new Set(["table", "grid", "treegrid"]);

/** @param {string} table @param {string} parentRole */
export const cellRoleIn = (table, parentRole) => {
  if (parentRole !== "row" || !TABLES.has(table)) return "generic";
  return isGrid(table) ? "gridcell" : "cell";
};

// All cells of a row have the same table, so it is remembered per row.
/** @type {WeakMap<Element, string>} */
let tableRoles = new WeakMap();

/** @param {Element} element @returns {string} */
export const tableRoleOf = (element) => {
  const parent = ownerOrParentOf(element);
  if (!parent) return "";
  const known = tableRoles.get(parent);
  if (known !== undefined) return known;
  const role = tableRoleAt(parent);
  tableRoles.set(parent, role);
  return role;
};

/** @param {Element} node @returns {string} */
const tableRoleAt = (node) => {
  const explicit = hasAttr(node, "role") ? explicitRole(node) : "";
  if (TABLES.has(explicit)) return explicit;
  if (isTag(node, "table")) return roleOf(node);
  return tableRoleOf(node);
};

/** @param {Element} cell */
const isInRow = (cell) => {
  const row = ownerOrParentOf(cell);
  return row !== null && roleOf(row) === "row";
};

/** @param {Element} element */
const cellRole = (element) => cellRoleIn(tableRoleOf(element), isInRow(element) ? "row" : "");

// Without a scope, a header cell beside data cells is a row header; among header cells it is a column header.
/** @param {Element} element */
const headerCellRole = (element) => {
  if (!TABLES.has(tableRoleOf(element)) || !isInRow(element)) return "generic";
  const scope = (attr(element, "scope") || "").toLowerCase();
  if (scope === "row" || scope === "rowgroup") return "rowheader";
  if (scope === "col" || scope === "colgroup") return "columnheader";
  const row = /** @type {Element} */ (parentElementOf(element));
  for (let cell = firstElementOf(row); cell; cell = nextElementOf(cell)) {
    if (localNameOf(cell) === "td") return "rowheader";
  }
  return "columnheader";
};

/** @param {string} role @returns {(element: Element) => string} */
const inTableRole = (role) => (element) => (TABLES.has(tableRoleOf(element)) ? role : "generic");

/** @param {Element} element */
const inputRole = (element) => {
  const type = inputType(element);
  if (LISTABLE_INPUTS.has(type)) {
    const list = attr(element, "list");
    if (list && elementById(element, list)) return "combobox";
  }
  return INPUT_ROLES[type];
};

const SECTIONING = new Set(["article", "aside", "nav", "section"]);
const SECTIONING_ROLES = new Set(["article", "complementary", "navigation", "region"]);

// A header is a banner only where no sectioning element or main is between it and the body.
/** @param {Element} element @param {boolean} mainCounts */
const isPageLevel = (element, mainCounts) => {
  for (let node = parentElementOf(element); node; node = parentElementOf(node)) {
    const role = hasAttr(node, "role") ? explicitRole(node) : "";
    if (role ? mainCounts && SECTIONING_ROLES.has(role) : SECTIONING.has(localNameOf(node))) return false;
    if (mainCounts && (role || localNameOf(node)) === "main") return false;
  }
  return true;
};

const LIST_TAGS = new Set(["ul", "ol", "menu", "dir"]);

/** @param {Element} element */
const listItemRole = (element) => {
  let parent = ownerOrParentOf(element);
  while (parent && isTag(parent, "slot")) parent = parentElementOf(parent);
  if (!parent) return "generic";
  if (hasAttr(parent, "role")) {
    const role = roleOf(parent);
    return role === "list" ? "listitem" : role === "none" ? "none" : "generic";
  }
  return LIST_TAGS.has(localNameOf(parent)) ? "listitem" : "generic";
};

/** @param {Element} element */
const imageRole = (element) => {
  const alt = attr(element, "alt");
  if (alt !== "" || isFocusable(element)) return "img";
  // A label that is blank makes no picture of a decoration.
  return hasOwnLabel(element) || hasGlobalAria(element, false) ? "img" : "none";
};

/** @param {Element} element @param {string} name */
const hasTextIn = (element, name) => Boolean((attr(element, name) || "").trim());

const NAMED_PARTS = "[alt],[aria-label],[title],input,select,textarea";

// A reference to an empty element names nothing.
/** @param {Element} element */
const mayNameAnother = (element) =>
  Boolean(textContentOf(element).trim()) ||
  shadowOf(element) !== null ||
  matchesSelector(element, NAMED_PARTS) ||
  queryOne(element, NAMED_PARTS) !== null;

/** @param {Element} element */
export const hasOwnLabel = (element) =>
  hasTextIn(element, "aria-label") || idrefs(element, "aria-labelledby").some(mayNameAnother);

/** @param {Element} element */
const hasLabelOrTitle = (element) => hasOwnLabel(element) || hasTextIn(element, "title");

/** @param {Element} element */
const selectRole = (element) => {
  const size = parseInt(attr(element, "size") || "0", 10);
  return hasAttr(element, "multiple") || size > 1 ? "listbox" : "combobox";
};

/** @type {Record<string, (element: Element) => string>} */
export const BY_TAG = {
  __proto__: /** @type {any} */ (null),
  a: (element) => (hasAttr(element, "href") ? "link" : "generic"),
  area: (element) => (hasAttr(element, "href") ? "link" : "generic"),
  aside: (element) => (isPageLevel(element, false) || hasLabelOrTitle(element) ? "complementary" : "generic"),
  header: (element) => (isPageLevel(element, true) ? "banner" : "sectionheader"),
  footer: (element) => (isPageLevel(element, true) ? "contentinfo" : "sectionfooter"),
  img: imageRole,
  input: inputRole,
  li: listItemRole,
  section: (element) => (hasLabelOrTitle(element) ? "region" : "generic"),
  select: selectRole,
  summary: (element) => (isDetailsSummary(element) ? "button" : "generic"),
  td: cellRole,
  th: headerCellRole,
  tr: inTableRole("row"),
  tbody: inTableRole("rowgroup"),
  thead: inTableRole("rowgroup"),
  tfoot: inTableRole("rowgroup"),
};

/** @type {Record<string, string>} */
const SVG_ROLES = {
  __proto__: /** @type {any} */ (null),
  svg: "img",
  a: "link",
  image: "img",
  text: "generic",
  g: "group",
  symbol: "graphics-object",
};

const SVG_SHAPES = new Set(["circle", "ellipse", "line", "path", "polygon", "polyline", "rect", "use", "g", "tspan"]);

/** @param {Element} element */
const svgRole = (element) => {
  const tag = localNameOf(element);
  const parent = parentElementOf(element);
  if (tag === "svg" && parent && namespaceOf(parent) === SVG) return "group";
  if (tag === "a") return hasAttr(element, "href") || element.hasAttribute("xlink:href") ? "link" : "group";
  if (SVG_SHAPES.has(tag)) {
    const title = svgChildOf(element, "title");
    const named = hasOwnLabel(element) || (title && textContentOf(title).trim());
    if (!named) return "none";
    return tag === "g" ? "group" : tag === "use" ? "graphics-object" : "graphics-symbol";
  }
  return SVG_ROLES[tag] || "none";
};

/** @param {Element} element */
const nativeRole = (element) => {
  const namespace = namespaceOf(element);
  const tag = localNameOf(element);
  if (namespace === HTML) {
    const contextual = BY_TAG[tag];
    const role = contextual ? contextual(element) : TAG_ROLES[tag] || "generic";
    return role === "generic" && hasAttr(element, "popover") ? "group" : role;
  }
  if (namespace === SVG) return svgRole(element);
  if (namespace === MATHML) return tag === "math" ? "math" : "generic";
  return "generic";
};

/** @param {Element} element @param {boolean} namesCount */
const hasGlobalAria = (element, namesCount = true) => {
  if (!(kindsOf(element) & ARIA)) return false;
  for (const name of GLOBAL_ARIA) {
    if ((namesCount || !NAMING_ARIA.has(name)) && hasAttr(element, name) && attr(element, name) !== "") return true;
  }
  return false;
};

const NAMING_ARIA = new Set(["aria-label", "aria-labelledby"]);

const NEEDS_NAME = new Set(["region", "form"]);

/** @param {Element} element */
const explicitRole = (element) => {
  const value = attr(element, "role");
  if (!value) return "";
  for (const token of value.toLowerCase().split(/\s+/)) {
    if (!ARIA_ROLES.has(token)) continue;
    const role = SYNONYMS[token] || token;
    if (NEEDS_NAME.has(role) && !hasLabelOrTitle(element)) continue;
    return role;
  }
  return "";
};

// Parts of a composite widget have their role only inside that widget.
/** @type {Record<string, Set<string>>} */
const CONTEXTS = {
  listitem: new Set(["list", "directory", "group"]),
  option: new Set(["listbox", "combobox", "menu"]),
  treeitem: new Set(["tree", "treegrid"]),
};

const TRANSPARENT = new Set(["generic", "none", "group", "paragraph"]);

/** @param {Element} element @param {string} role */
const isInContext = (element, role) => {
  const wanted = CONTEXTS[role];
  for (let node = ownerOrParentOf(element); node; node = ownerOrParentOf(node)) {
    const above = roleOf(node);
    if (wanted.has(above) || above === role) return true;
    if (!TRANSPARENT.has(above)) return false;
  }
  return false;
};

const SELF_CONTAINED = new Set(
  "button checkbox img menuitemcheckbox menuitemradio meter option progressbar radio scrollbar separator slider switch tab".split(
    " ",
  ),
);

const CONTROL_ROLES = new Set(
  "button checkbox combobox link menuitem menuitemcheckbox menuitemradio radio searchbox slider spinbutton switch textbox".split(
    " ",
  ),
);

// Children of these roles are presentational unless they are controls themselves. rove alone gives a summary the role of a
// button, and an SVG is a picture only where it says so.
/** @param {Element} element */
export const isPresentationalChild = (element) => {
  if (isFocusable(element) || CONTROL_ROLES.has(explicitRole(element))) return false;
  for (let node = parentElementOf(element); node; node = parentElementOf(node)) {
    if (SELF_CONTAINED.has(roleOf(node)) && (hasAttr(node, "role") || (isHtml(node) && !isTag(node, "summary"))))
      return true;
    if (isFocusable(node)) return false;
  }
  return false;
};

// Outside its list or tree an item has no role, but what labels it is still its name.
/** @param {Element} element */
export const isItemWithoutContext = (element) =>
  isTag(element, "li") || isTag(element, "dl") || explicitRole(element) in CONTEXTS;

/** @param {Element} element */
const computeRole = (element) => {
  const explicit = hasAttr(element, "role") ? explicitRole(element) : "";
  if (!explicit) return nativeRole(element);
  if (explicit === "none" && (isFocusable(element) || hasGlobalAria(element))) return nativeRole(element);
  if (explicit === "listitem" && isTag(element, "li")) return explicit;
  if (explicit in CONTEXTS && !isInContext(element, explicit)) return nativeRole(element);
  return explicit;
};

// Within one pass the page cannot change, so each role is computed once.
/** @type {WeakMap<Element, string>} */
let roleMemo = new WeakMap();

/** @param {Element} element */
export const roleOf = (element) => {
  let role = roleMemo.get(element);
  if (role === undefined) {
    role = computeRole(element);
    roleMemo.set(element, role);
  }
  return role;
};

export const resetRoles = () => {
  roleMemo = new WeakMap();
  tableRoles = new WeakMap();
};
