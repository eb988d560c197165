// One pass over the document: everything the other side needs, in columns.

const DEFAULT_CAPS = { nodes: 30000, children: 2500 };

const beginPass = (options) => {
  roleMemo = new WeakMap();
  partsIn = null;
  pageOrigin = location.origin + "/";
  tableRoles = new WeakMap();
  layoutTables = new WeakMap();
  groupsAreDisabled = queryOne(document, '[aria-disabled="true" i]') !== null;
  tablesAreNested = queryOne(document, "td table") !== null;
  kindsFor = null;
  closedHosts = [];
  gatherSemantics();
  slottedInto = new Set();
  for (const child of queryAll(document, "[slot]")) slottedInto.add(parentNodeOf(child));
  notedKinds = new Map();
  labelIndexes = new Map();
  forgetCounters();
  insides = new Map();
  stripped = 0;
  hrefsAreWanted = Boolean(options.links);
  groups = [];
  frames = [];
  overlays = [];
  limits = {
    nodes: 0,
    cap: options.maxNodes || DEFAULT_CAPS.nodes,
    children: options.maxChildren || DEFAULT_CAPS.children,
    left: 0,
  };
  startRows();
  activeElement = deepActiveElement();
  collectOwned(document);
  measurePage();
  prepareStyles();
  findShrunkFonts();
  findHighlights();
  modal = topModal();
};

const topModal = () => {
  const open = queryAll(document, "dialog:modal");
  if (!open.length) return null;
  for (const dialog of open) if (activeElement && containsNode(dialog, activeElement)) return dialog;
  return open[open.length - 1];
};

const wholePage = () => {
  const body = bodyOf(document) || rootElementOf(document);
  const context = contextAt(body);
  context.table = tableRoleOf(body);
  if (modal) {
    visitRendered(modal, readStyle(modal), contextAt(modal), 1);
    flushText();
    rows.push({ depth: 0, flags: STRUCTURE, ref: 0, line: "behind the dialog (inert)", naming: NO_NAME });
    context.depth = 1;
    context.behind = true;
  }
  const facts = styleOf(body, context.facts);
  if (!facts.none) {
    const inner = enter(body, facts, context);
    inner.behind = context.behind;
    if (roleOf(body) !== "generic" || isEditingHost(body)) visitRendered(body, facts, context, 1);
    else walkChildren(body, inner, 1);
  }
  flushText();
  if (limits.left) addMissedControls(context);
  if (modal && rows[rows.length - 1].line === "behind the dialog (inert)") rows.pop();
};

const CONTROLS = "a[href],button,input,select,textarea,summary,[role=button],[role=link],[onclick],[tabindex]";
const MISSED_CONTROLS = 60;

// When a page is too large to walk, what can be pressed at its end (next page, submit) is shown all the same.
const addMissedControls = (context) => {
  const controls = queryAll(document, CONTROLS);
  let first = controls.length;
  while (first > 0 && controls.length - first < MISSED_CONTROLS && comesBefore(limits.last, controls[first - 1]))
    first -= 1;
  if (first === controls.length) return;
  rows.push({ depth: context.depth, flags: STRUCTURE, ref: 0, line: "… at the end of the page:" });
  limits.cap += 20000;
  for (let i = first; i < controls.length; i++) {
    const around = contextAt(controls[i]);
    around.depth = context.depth + 1;
    around.quiet = false;
    visit(controls[i], around, 1, parentElementOf(controls[i]));
    flushText();
  }
};

// The first line of a scoped snapshot is the target itself, with its role and name whatever they are.
const scoped = (element, options) => {
  const row = ownRow(element, isPresentationalChild(element) ? "none" : roleOf(element));
  rows.push(row);
  const context = contextAt(element);
  const facts = readStyle(element);
  if (facts.none) return;
  const inner = enter(element, facts, context);
  inner.depth = 1;
  if (
    isTag(element, "select") ||
    isEditingHost(element) ||
    (VALUE_ROLES.has(row.role) && isHtml(element) && /^(?:input|textarea)$/.test(localNameOf(element)))
  )
    return;
  if (row.role === "iframe") {
    row.flags |= FRAME;
    frames.push(row.ref);
    return;
  }
  if (options.from !== undefined && options.from !== null) walkSlice(element, inner, options);
  else walkChildren(element, inner, 1);
  flushText();
  const only = rows[1];
  if (rows.length === 2 && only.flags & TEXT && !only.mark && squash(only.text) === row.naming.name) rows.pop();
};

const walkSlice = (element, inner, options) => {
  const total = childCountOf(element);
  const to = Math.min(total, options.from + (options.limit || 50));
  const group = startGroup(element);
  walkWindow(element, inner, 1, group, options.from, to);
  endGroup(group);
  addFold(element, inner, to, total);
};

const ownRow = (element, role = roleOf(element)) => {
  if (rootNodeOf(element) !== document) shadowsWereMet = true;
  const named = nameOf(element);
  const naming = role === "none" && named.source === "content" ? NO_NAME : named;
  const context = contextAt(element);
  const facts = readStyle(element);
  const inner = facts.none ? context : enter(element, facts, context);
  const row = newRow(element, role, naming, STRONG, context, inner);
  row.depth = 0;
  row.line = compose(element, role, role, naming, PRESS_ROLES.has(role) ? STRONG : 0, true);
  if ((facts.none && !isTag(element, "area")) || isHiddenByStyle(element)) row.marks += " (not rendered)";
  else if (modal && !inner.apart && !pathOf(element).includes(modal)) row.marks += markFor("inert");
  row.flags &= ~PRESS;
  if (PRESS_ROLES.has(role)) row.flags |= PRESS;
  if (role === "link") noteHref(row, element);
  return row;
};

const keptInMode = (row, options) => {
  if (options.mode === "viewport") return Boolean(row.flags & IN_VIEW) || Boolean(row.flags & FOLD);
  return row.flags & (PRESS | FRAME | FOLD) || (row.flags & STRUCTURE && row.role !== "list");
};

// Only what can be pressed, under the headings and landmarks that place it.
const narrowRows = (options) => {
  if (options.depth !== null && options.depth !== undefined) cutDepth(options.depth);
  if (options.mode !== "interactive" && options.mode !== "viewport") return;
  const keep = new Array(rows.length).fill(false);
  const ancestors = [];
  rows.forEach((row, index) => {
    while (ancestors.length && rows[ancestors[ancestors.length - 1]].depth >= row.depth) ancestors.pop();
    if (
      keptInMode(row, options) &&
      (options.mode === "viewport" || row.flags & (PRESS | FRAME | FOLD) || row.role === "heading" || index === 0)
    ) {
      keep[index] = true;
      for (const above of ancestors) if (rows[above].flags & (STRUCTURE | PRESS | ITEM)) keep[above] = true;
    }
    ancestors.push(index);
  });
  rows = reindent(rows.filter((row, index) => keep[index] || (row.dropped = false)));
};

const reindent = (kept) => {
  const stack = [];
  for (const row of kept) {
    while (stack.length && stack[stack.length - 1] >= row.depth) stack.pop();
    const depth = stack.length;
    stack.push(row.depth);
    row.depth = depth;
  }
  return kept;
};

const cutDepth = (depth) => {
  const kept = [];
  let hidden = 0;
  for (const row of rows) {
    if (row.depth <= depth) kept.push(row);
    else hidden += 1;
  }
  rows = kept;
  limits.cutByDepth = hidden;
};

// Where a row ended up among those that are told; a row that was dropped has no place.
const placeOf = (row) => (row.place !== undefined && rows[row.place] === row ? row.place : -1);

const groupColumns = () => {
  const columns = [];
  for (const group of groups) {
    const last = placeOf(group.last);
    if (last < 0) continue;
    const starts = [];
    const children = [];
    // Most lists show every child, so the child's number is the position and need not be sent.
    let dense = true;
    for (let i = 0; i < group.items.length; i++) {
      const place = placeOf(group.items[i]);
      if (place < 0) continue;
      if (group.children[i] !== starts.length) dense = false;
      starts.push(place);
      children.push(group.children[i]);
    }
    if (starts.length < GROUP_SIZE) continue;
    columns.push({
      ref: refNumber(group.element),
      total: childCountOf(group.element),
      end: last + 1,
      starts: starts.join(" "),
      children: dense ? null : children.join(" "),
    });
  }
  return columns;
};

const boxOf = (row) => {
  const element = row.element;
  if (!element) return null;
  const rect = rectOf(element);
  return [Math.round(rect.left), Math.round(rect.top), Math.round(rect.width), Math.round(rect.height)];
};

// Columns travel as text, one value after another: the protocol takes long for every value of a list.
const columnsOf = (options) => {
  const count = rows.length;
  const depths = new Array(count);
  const flags = new Array(count);
  const refs = new Array(count);
  const folds = {};
  const boxes = options.boxes ? [] : null;
  let lines = "";
  let hrefs = "";
  for (let index = 0; index < count; index++) {
    const row = rows[index];
    row.place = index;
    depths[index] = row.depth;
    flags[index] = row.flags;
    refs[index] = row.ref;
    lines += index === 0 ? finishLine(row) : "\n" + finishLine(row);
    if (row.href) hrefs += (hrefs && "\n") + index + " " + row.href;
    if (row.from !== undefined) folds[index] = [row.from, row.to];
    if (boxes) boxes.push(row.ref ? boxOf(row) : null);
  }
  return { depths: depths.join(" "), flags: flags.join(" "), refs: refs.join(" "), lines, hrefs, folds, boxes };
};

// document.open() leaves a document without any element, for a moment or for good.
const emptyPage = () => ({
  depths: [], flags: [], refs: [], lines: [], hrefs: {}, folds: {}, groups: [], frames: [],
  url: location.href, origin: self.origin, title: '""', width: innerWidth, height: innerHeight, scrollX: 0, scrollY: 0,
  pageWidth: 0, pageHeight: 0, stripped: 0, nextRef: nextRefNumber, notWalked: 0, cutByDepth: 0, closedHosts: 0,
});

const takeSnapshot = (options = {}) => {
  if (!rootElementOf(document)) return emptyPage();
  beginPass(options);
  const root = options.root ? elementOfRef(options.root) : null;
  if (options.root && !root) return { gone: options.root };
  if (root) scoped(root, options);
  else wholePage();
  markCovered();
  narrowRows(options);
  const result = columnsOf(options);
  result.groups = groupColumns();
  return Object.assign(result, {
    url: location.href,
    origin: self.origin,
    title: quote(titleOf(document), 200),
    width: innerWidth,
    height: innerHeight,
    scrollX: Math.round(scrollX),
    scrollY: Math.round(scrollY),
    pageHeight: Math.round(pageHeight),
    pageWidth: Math.round(pageWidth),
    stripped,
    nextRef: nextRefNumber,
    frames,
    notWalked: limits.left,
    cutByDepth: limits.cutByDepth || 0,
    closedHosts: closedHosts.length,
  });
};
