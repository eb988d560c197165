// The walk over the flattened tree: one visit per rendered element, emitting rows.

const SKIPPED = new Set([...NEVER_SHOWN, "area", "map", "noframes", "noembed"]);
const SVG_SKIPPED = new Set([
  "defs",
  "title",
  "desc",
  "metadata",
  "style",
  "script",
  "symbol",
  "clipPath",
  "mask",
  "linearGradient",
  "radialGradient",
  "filter",
  "pattern",
  "marker",
]);
const ONE_LINERS = new Set(
  (
    "button link heading tab menuitem menuitemcheckbox menuitemradio option checkbox radio switch tooltip treeitem " +
    "doc-backlink doc-biblioref doc-glossref doc-noteref doc-subtitle"
  ).split(" "),
);
const CONTAINERS = new Set(
  (
    "alert alertdialog application article banner blockquote complementary contentinfo definition deletion dialog directory " +
    "document feed grid insertion list listbox listitem log main marquee math menu menubar navigation note radiogroup region row " +
    "search status table tablist tabpanel term timer toolbar tree treegrid"
  ).split(" "),
);
const CONTAINERS_IF_NAMED = new Set([
  "group",
  "form",
  "figure",
  "graphics-document",
  "graphics-object",
  "graphics-symbol",
  "img",
  "paragraph",
]);
const LEAVES = new Set([
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
const CELL_ROLES = new Set(["cell", "gridcell", "columnheader", "rowheader"]);
const ITEM_ROLES = new Set(["listitem", "row", "option", "treeitem", "menuitem", "article", "tab"]);
const VALUE_ROLES = new Set(["textbox", "searchbox", "combobox", "slider", "spinbutton"]);
const NESTED_IN_ITEMS = new Set([
  "menu",
  "tree",
  "listbox",
  "tablist",
  "dialog",
  "textbox",
  "searchbox",
  "combobox",
]);

const MAX_NESTING = 500;
const GROUP_SIZE = 12;

// Layouts whose children follow each other down the page.
const GROUPING = new Set(["block", "table-row-group", "table", "flow-root", "list-item"]);

let limits = { nodes: 0, cap: 0, children: 0 };
let groups = [];
let frames = [];
let overlays = [];
let modal = null;

// `node` is a text node, or an element that holds nothing but text.
const visitText = (node, data, context) => {
  if (context.quiet) return noteQuietText(data, node, context);
  if (!context.seen) return;
  const facts = context.facts;
  const blank = !data.trim();
  if (blank && !facts.keepsLines) {
    if (run !== null && data) glueText(" ");
    return;
  }
  const reason = unseenText(node, context);
  const long = data.length > MAX_TEXT * 3 ? clip(data, MAX_TEXT * 3) : data;
  const text = facts.keepsLines ? (facts.keepsSpaces ? long : long.replace(/[ \t]+/g, " ")) : collapse(long);
  addText(facts.masksText ? "•".repeat(text.length) : text, context, reason, node);
  if (long !== data) run.dropped = (run.dropped || 0) + data.length - long.length;
  if (facts.keepsSpaces) run.preformatted = true;
  if (context.inView === 1) run.inView = true;
  else if (context.inView === 0 && !run.inView) run.inView = isTextInView(node);
};

const isTextInView = (node) => {
  RANGE.selectNodeContents(node);
  return viewOf(RANGE.getBoundingClientRect()) !== 2;
};

// Inside an element that is one line, text is already in the name; what of it cannot be seen is noted for the mark.
const noteQuietText = (data, node, context) => {
  if (!context.owner || !data.trim()) return;
  const owner = context.owner;
  if (!context.seen) return;
  const reason = unseenText(node, context);
  if (context.apart && context.apart !== owner.apart && !reason)
    owner.apartText = (owner.apartText || "") + " " + clip(data, 200);
  else if (reason) (owner.unseen = owner.unseen || []).push([reason, squash(clip(data, 300))]);
  else owner.seenText = true;
};

const addPseudo = (element, which, context) => {
  if (!context.seen) return;
  const style = getComputedStyle(element, which);
  if (style.display === "none" || style.visibility !== "visible") return;
  const text = parseContent(style.content, true);
  noteAlternative(style.content, text, context);
  // Icon fonts live in the private use area and mean nothing as text.
  if (!/[^\s\uE000-\uF8FF]/.test(text)) return;
  const reason = unseenPseudo(style, context);
  if (context.quiet) {
    if (reason && context.owner) (context.owner.unseen = context.owner.unseen || []).push([reason, squash(text)]);
    return;
  }
  if (isBlockish(style.display)) glueText(" ");
  addText(text, context, reason);
  if (isBlockish(style.display)) glueText(" ");
};

// What stands for words or a picture, and is heard but not seen.
const noteAlternative = (content, shown, context) => {
  const text = hasAlternative(content) ? parseContent(content) : "";
  if (!text.trim() || text === shown) return;
  if (!context.quiet) addText(text, context, "screen-reader text");
  else if (context.owner) (context.owner.unseen = context.owner.unseen || []).push(["screen-reader text", squash(text)]);
};

const unseenPseudo = (style, context) => {
  if (context.reason) return context.reason;
  if (Number(style.opacity) < FAINT) return "transparent";
  if (parseFloat(style.fontSize) < TINY_FONT) return "tiny";
  if (style.position === "absolute" && outsideBox(style)) return "off-screen";
  const background = parseColour(style.backgroundColor);
  const behind = over(background, context.background);
  const facts = { colour: textColour(style), decoration: decorationOf(style), firstLine: null };
  return fadedColour(facts, {
    opacity: context.opacity,
    background: behind,
    pictured: background[3] > 0.95 ? null : context.pictured,
    ink: null,
    filtered: null,
    blend: "",
  });
};

const outsideBox = (style) =>
  parseFloat(style.left) < -999 || parseFloat(style.top) < -999 || parseFloat(style.textIndent) < -99;

const walkChildren = (element, context, nesting) => {
  const facts = context.facts;
  if (facts.skipsContent) return;
  if (facts.before) addPseudo(element, "::before", context);
  if (facts.tag === "details" && !hasAttr(element, "open")) walkClosedDetails(element, context, nesting);
  else if (nesting > MAX_NESTING) addDeepText(element, context);
  else walkAllChildren(element, context, nesting);
  if (facts.after) addPseudo(element, "::after", context);
};

const walkAllChildren = (element, context, nesting) => {
  const facts = context.facts;
  const count = childCountOf(element);
  if (count > limits.children) return walkManyChildren(element, context, nesting);
  if (facts.hosting || facts.tag === "slot" || owners.size !== 0) {
    const list = flattenedChildren(element);
    if (list) {
      for (const child of list) visit(child, context, nesting, element);
      return;
    }
  }
  if (count === 0 && isSettled(context)) return visitOnlyText(element, context);
  if (count >= GROUP_SIZE) return walkGroup(element, context, nesting);
  for (let child = firstChildOf(element); child !== null; child = nextSiblingOf(child))
    visit(child, context, nesting, element);
};

const walkGroup = (element, context, nesting) => {
  const group = startGroup(element);
  context.grouped = GROUPING.has(context.facts.display);
  let index = 0;
  for (let child = firstChildOf(element); child !== null; child = nextSiblingOf(child)) {
    const type = nodeTypeOf(child);
    if (type === 3) visitText(child, textDataOf(child), context);
    else if (type === 1) {
      const before = rows.length;
      visitElement(child, context, nesting, element);
      noteItem(group, before, index++);
    }
  }
  endGroup(group);
};

// Neither what can be seen nor what is in the window depends on where each text node stands.
const isSettled = (context) => !context.doubt && (context.inView !== 0 || context.quiet);

// An element without elements: its text as a whole, with no object made for each text node.
const visitOnlyText = (element, context) => {
  const data = textContentOf(element);
  if (data) visitText(element, data, context);
};

const walkClosedDetails = (element, context, nesting) => {
  const summary = firstChildTag(element, "summary");
  if (summary) visit(summary, context, nesting, element);
};

const addDeepText = (element, context) => {
  const text = squash(clip(textContentOf(element), MAX_TEXT));
  if (!text || context.quiet) return;
  flushText();
  rows.push({
    depth: context.depth,
    flags: FOLD,
    ref: refNumber(element),
    line: `… nested too deeply to show; begins ${quote(text, 200)}`,
  });
};

// Groups remember where each child's rows start, so that long lists can be cut between children.
const startGroup = (element) => ({ element, items: [], children: [], last: null });
const noteItem = (group, before, index) => {
  if (rows.length <= before) return;
  group.items.push(rows[before]);
  group.children.push(index);
};
const endGroup = (group) => {
  group.last = rows[rows.length - 1];
  if (group.items.length >= GROUP_SIZE) groups.push(group);
};

const walkWindow = (element, context, nesting, group, from, to) => {
  let child = from === 0 ? firstElementOf(element) : childrenOf(element)[from];
  for (let index = from; child && index < to; index++, child = nextElementOf(child)) {
    const before = rows.length;
    visit(child, context, nesting, element);
    noteItem(group, before, index);
  }
};

const addFold = (element, context, from, to) => {
  if (to <= from || context.quiet) return;
  flushText();
  rows.push({
    depth: context.depth,
    flags: FOLD,
    ref: refNumber(element),
    line: `… ${thousands(to - from)} more`,
    from,
    to,
  });
};

// A list too long to walk: its beginning, and what is near the window.
const walkManyChildren = (element, context, nesting) => {
  const total = childCountOf(element);
  const children = childrenOf(element);
  const cap = limits.children;
  const group = startGroup(element);
  const seenAt = childAtWindow(children, total);
  const near = Math.max(cap >> 1, Math.min(seenAt - 50, total - (cap >> 1)));
  if (seenAt < cap) {
    walkWindow(element, context, nesting, group, 0, cap);
    addFold(element, context, cap, total);
  } else {
    walkWindow(element, context, nesting, group, 0, cap >> 1);
    addFold(element, context, cap >> 1, near);
    walkWindow(element, context, nesting, group, near, near + (cap >> 1));
    addFold(element, context, near + (cap >> 1), total);
  }
  endGroup(group);
};

// Children of a long list follow each other down the page, so the first one in the window is found by halving.
const childAtWindow = (children, total) => {
  let low = 0;
  let high = total - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rectOf(children[middle]).bottom < 0) low = middle + 1;
    else high = middle;
  }
  return low;
};

const visit = (node, context, nesting, parent) => {
  const type = nodeTypeOf(node);
  if (type === 3) visitText(node, textDataOf(node), context);
  else if (type === 1) visitElement(node, context, nesting, parent);
};

const visitElement = (node, context, nesting, parent) => {
  if (++limits.nodes > limits.cap) {
    limits.left = (limits.left || 0) + 1;
    return;
  }
  limits.last = node;
  if (owned.size !== 0 && owned.has(node) && !(owners.get(parent) || []).includes(node)) return;
  if (node === modal && context.behind) return;
  const namespace = namespaceOf(node);
  const html = namespace === HTML;
  const tag = localNameOf(node);
  if (html ? SKIPPED.has(tag) : namespace === SVG && SVG_SKIPPED.has(tag)) {
    if (tag !== "map") return;
  }
  if (tag === "br" && html) {
    if (run) run.text += "\n";
    return;
  }
  const facts = styleOf(node, context.facts, tag, html);
  if (facts.none) {
    if (facts.outside) noteClosedHost(parent);
    return;
  }
  if (facts.hosting && isLikelyHost(node, facts)) noteClosedHost(node);
  visitRendered(node, facts, context, nesting);
};

// Without a role attribute the tag decides; parts of a table also by what the walk came through.
const roleByTag = (element, tag, context) => {
  const contextual = BY_TAG[tag];
  if (contextual === undefined) return TAG_ROLES[tag] || "generic";
  if (context.table === null || owned.size !== 0) return roleOf(element);
  if (tag === "td") return cellRoleIn(context.table, context.role);
  if (tag === "tr") return TABLES.has(context.table) ? "row" : "generic";
  return tag === "a" || tag === "li" ? contextual(element) : roleOf(element);
};

const visitRendered = (element, facts, context, nesting) => {
  const inner = enter(element, facts, context);
  if (facts.placed || facts.moved || facts.overlaps || facts.tag === "rect") noteOverlay(element, facts, inner);
  const tag = facts.tag;
  if (tag === "input" && inputType(element) === "hidden") return;
  if (tag === "label" && facts.html && visitLabel(element, facts, context, inner, nesting)) return;
  if (tag === "svg" && !context.pointer && !context.quiet && !facts.html && namespaceOf(element) === SVG)
    inner.shapes = holdsShapes(element);
  const kinds = kindsOf(element);
  const role = facts.html && !(kinds & ROLE) ? roleByTag(element, tag, context) : roleOf(element);
  inner.role = role;
  if (tag === "table" || TABLES.has(role)) inner.table = role;
  const strength = facts.visible ? pressStrength(element, role, facts, context) : 0;
  if (facts.breaks) flushText();
  else if (!facts.inline) glueText(" ");
  if (!facts.visible) walkChildren(element, inner, nesting + 1);
  else emit(element, role, strength, facts, context, inner, nesting);
  if (tag === "img" && facts.visible && hasAttr(element, "usemap")) emitAreas(element, context, inner);
  if (facts.breaks) flushText();
  else if (!facts.inline) glueText(" ");
};
