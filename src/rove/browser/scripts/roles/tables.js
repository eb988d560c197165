// Tables: roles of their cells, and tables that only lay out the page.

import { hasAttr } from "../dom/attributes.js";
import { isHtml } from "../dom/elements.js";
import { closestOf, localNameOf, parentNodeOf, queryOne } from "../dom/natives.js";

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
