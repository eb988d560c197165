// Tables: what their parts are called, and which of them only arrange the page.

// Cells of one row ask for the same table: remembered per row.
let tableRoles = new WeakMap();

const tableRoleOf = (element) => {
  const parent = holderOf(element);
  if (!parent) return "";
  const known = tableRoles.get(parent);
  if (known !== undefined) return known;
  const role = tableRoleAt(parent);
  tableRoles.set(parent, role);
  return role;
};

const tableRoleAt = (node) => {
  const explicit = hasAttr(node, "role") ? explicitRole(node) : "";
  if (TABLES.has(explicit)) return explicit;
  if (isTag(node, "table")) return roleOf(node);
  return tableRoleOf(node);
};

// A table without headers that holds, or is held by, another one only arranges the page.
let layoutTables = new WeakMap();
let tablesAreNested = false;

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

const isLayoutPart = (element) => {
  if (!tablesAreNested) return false;
  const tag = localNameOf(element);
  if (tag === "table") return isHtml(element) && isLayoutTable(element);
  if (tag !== "tr" && tag !== "td") return false;
  return !hasAttr(element, "role") && arePartsOfLayout(element);
};

// Siblings are parts of the same table.
let partsIn = null;
let partsOfLayout = false;
const arePartsOfLayout = (element) => {
  const parent = parentNodeOf(element);
  if (parent === null || parent !== partsIn) {
    const table = closestOf(element, "table");
    partsOfLayout = table !== null && isLayoutTable(table);
    partsIn = parent;
  }
  return partsOfLayout;
};

const isGrid = (role) => role === "grid" || role === "treegrid";

const TABLES = new Set(["table", "grid", "treegrid"]);

const isInRow = (cell) => {
  const row = holderOf(cell);
  return row !== null && roleOf(row) === "row";
};

const cellRole = (element) => cellRoleIn(tableRoleOf(element), isInRow(element) ? "row" : "");

const cellRoleIn = (table, parentRole) => {
  if (parentRole !== "row" || !TABLES.has(table)) return "generic";
  return isGrid(table) ? "gridcell" : "cell";
};

// Without a scope, a header beside data heads its row; one among headers heads its column.
const headerCellRole = (element) => {
  if (!TABLES.has(tableRoleOf(element)) || !isInRow(element)) return "generic";
  const scope = (attr(element, "scope") || "").toLowerCase();
  if (scope === "row" || scope === "rowgroup") return "rowheader";
  if (scope === "col" || scope === "colgroup") return "columnheader";
  const row = parentElementOf(element);
  for (let cell = firstElementOf(row); cell; cell = nextElementOf(cell)) {
    if (localNameOf(cell) === "td") return "rowheader";
  }
  return "columnheader";
};

const inTableRole = (role) => (element) => (TABLES.has(tableRoleOf(element)) ? role : "generic");
