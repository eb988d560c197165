// Rows by kind of element: one line, a container, a cell, something pressable, a label that stands in for its control.

// An area can be seen, or not, as far as its picture can.
const emitAreas = (image, context, inner) => {
  if (context.quiet) return;
  for (const area of areasOf(image)) {
    const naming = nameOf(area, "link");
    const row = newRow(image, "link", naming, STRONG, context, inner);
    row.ref = refNumber(area);
    row.element = area;
    row.line = head("link", naming.name);
    pushRow(row);
  }
};

const emit = (element, role, strength, facts, context, inner, nesting) => {
  if (strength === WEAK && !context.quiet && holdsLookalikes(element)) {
    inner.pointer = false;
    strength = 0;
  }
  if ((facts.tag === "legend" || facts.tag === "caption") && isShownAsName(element, context)) {
    inner.quiet = true;
    inner.owner = inner.owner || { apart: inner.apart };
    return walkChildren(element, inner, nesting + 1);
  }
  if (context.quiet && !strength && !isNotInName(element, role, context))
    return walkChildren(element, inner, nesting + 1);
  if (context.quiet && strength === WEAK) return walkChildren(element, inner, nesting + 1);
  if (context.quiet) {
    inner.quiet = false;
    inner.owner = null;
  }
  if (role === "generic" && !strength && !(kindsOf(element) & ARIA)) return walkChildren(element, inner, nesting + 1);
  if (role === "iframe") return emitFrame(element, context, inner);
  if (!strength && TABLE_PARTS.has(role) && isLayoutPart(element)) return walkChildren(element, inner, nesting + 1);
  if (CELL_ROLES.has(role) && !strength && saysMoreThanItsWords(element, role))
    return emitOneLiner(element, role, 0, context, inner, nesting);
  if (CELL_ROLES.has(role) && !strength) return emitPlainCell(element, role, context, inner, nesting);
  if (LEAVES.has(role) && isLeaf(element, role)) return emitLeaf(element, role, strength, context, inner, nesting);
  if (ONE_LINERS.has(role)) return emitOneLiner(element, role, strength, context, inner, nesting);
  if (CONTAINERS.has(role)) return emitContainer(element, role, strength, context, inner, nesting);
  if (strength) return emitClickable(element, role, strength, context, inner, nesting);
  if (CONTAINERS_IF_NAMED.has(role) || (kindsOf(element) & ARIA && isLabelled(element))) {
    return emitIfNamed(element, role, context, inner, nesting);
  }
  walkChildren(element, inner, nesting + 1);
};

const isLabelled = (element) => hasAttr(element, "aria-label") || hasAttr(element, "aria-labelledby");

// What a one-line parent could not take into its name is shown below it.
const isNotInName = (element, role, context) => {
  if (role === "iframe") return true;
  const owner = context.owner;
  if (owner !== null && owner.control === element) return true;
  const named = owner !== null && owner.naming && owner.naming.source === "content";
  // Of these only the caption went into the name.
  if (captionOf(element) !== null) return true;
  if (ARRANGEMENTS.has(role)) return !named || OPENING.test(owner.role);
  if (NESTED_IN_ITEMS.has(role)) return true;
  if (!named || !LEFT_OUT_OF_NAMES.has(role)) return false;
  if (owner.role === "generic" || owner.role === "none" || namespaceOf(element) === SVG) return false;
  return role !== "img" && role !== "separator";
};

// How words are arranged is not told where they are a name; but what opens from an item is no part of its name.
const ARRANGEMENTS = new Set(["group", "list"]);
const OPENING = /^(?:treeitem|menuitem)/;

// A legend or caption is already the name in its group's line.
const isShownAsName = (element, context) => {
  const parent = parentElementOf(element);
  return parent !== null && !hasOwnLabel(parent) && captionOf(parent) === element && !context.apart;
};

const TABLE_PARTS = new Set(["table", "row", "cell"]);

// An editable or widget role on a plain element may hold markup of its own; a native control or image never does.
const isLeaf = (element, role) => {
  if (namespaceOf(element) === SVG) return false;
  if (role === "img" || role === "combobox" || role === "slider" || role === "progressbar" || role === "meter") {
    return (
      childCountOf(element) === 0 ||
      /^(?:img|select|input|progress|meter)$/.test(localNameOf(element)) ||
      (role !== "combobox" && role !== "img")
    );
  }
  return true;
};

const rowFlags = (element, strength, inner) => {
  let flags = strength ? PRESS : 0;
  const view = inner.inView === 0 ? viewOf(rectOf(element)) : inner.inView;
  if (view !== 2) flags |= IN_VIEW;
  if (element === activeElement && !isTag(element, "body")) flags |= FOCUSED;
  return flags;
};

// Whether its words are no text node, which would be looked at by itself.
const writesItself = (role, facts) => TEXT_ENTRY.has(role) || (role === "button" && facts.tag === "input");

const newRow = (element, role, naming, strength, context, inner) => {
  const reason =
    unseenElement(element, inner) || (inner.facts && writesItself(role, inner.facts) ? fadedColour(inner.facts, inner) : "");
  const mark = reason || inner.apart;
  return {
    depth: context.depth,
    flags: rowFlags(element, strength, inner) | (mark ? UNSEEN : 0) | (ITEM_ROLES.has(role) ? ITEM : 0),
    ref: strength ? refNumber(element) : 0,
    line: "",
    marks: markFor(mark),
    naming,
    apart: inner.apart,
    element,
    role,
    reason,
  };
};

const below = (inner, context) => {
  inner.depth = context.depth + 1;
  inner.quiet = false;
  inner.owner = null;
  return inner;
};

const emitFrame = (element, context, inner) => {
  const rect = rectOf(element);
  // Its window counts too: a frame may be all border.
  if (Math.min(rect.width, rect.height, clientWidthOf(element), clientHeightOf(element)) < 2) return;
  const naming = nameOf(element, "iframe");
  const row = newRow(element, "iframe", naming, STRONG, context, inner);
  row.line = head("iframe", naming.name) + nameMark(element, naming);
  row.flags = (row.flags & ~PRESS) | FRAME | STRUCTURE;
  pushRow(row);
  frames.push(row.ref);
};

const EXEMPT_WHEN_FAINT = new Set(["checkbox", "radio", "file", "range", "color", "date"]);

const emitLeaf = (element, role, strength, context, inner, nesting) => {
  if (role === "img" || role === "doc-cover") return emitImage(element, role, strength, context, inner);
  if ((role === "object" || role === "embed") && !strength) return walkChildren(element, inner, nesting + 1);
  const naming = nameOf(element, role);
  const given =
    strength || VALUE_ROLES.has(role) || role === "canvas" || role === "video" || role === "audio" ? STRONG : 0;
  const row = newRow(element, role, naming, given, context, inner);
  row.line = compose(element, role, role, naming, given);
  pushRow(row);
};

const emitImage = (element, role, strength, context, inner) => {
  if (context.quiet && !strength) return;
  const naming = nameOf(element, role);
  const rect = rectOf(element);
  if (!naming.name && !strength && (rect.width < 24 || rect.height < 24)) return;
  const row = newRow(element, role, naming, strength, context, inner);
  row.line = compose(element, role, role, naming, STRONG);
  if (rect.width <= 2 && rect.height <= 2 && !row.reason) {
    row.marks += markFor("1px image");
    row.flags |= UNSEEN;
  }
  if (naming.name || strength || row.line.length > 3) pushRow(row);
};

const emitOneLiner = (element, role, strength, context, inner, nesting) => {
  if (inner.facts.tag === "input" && isToggleShownElsewhere(element)) return;
  const naming = nameOf(element, role);
  const row = newRow(element, role, naming, strength, context, inner);
  exemptFaintToggle(element, row);
  row.line = compose(element, role, role, naming, strength);
  if (role === "heading" || role === "tab") row.flags |= STRUCTURE;
  pushRow(row);
  const index = rows.length - 1;
  if (role === "link") noteHref(row, element);
  const fromContent = naming.source === "content";
  const children = below(inner, context);
  children.quiet = fromContent || naming.source === "label" || naming.source === "caption";
  children.owner = row;
  walkChildren(element, children, nesting + 1);
  flushText();
  finishOneLiner(row, index, fromContent);
  // Words below tell more than a guess would.
  if (!naming.name && rows.length > index + 1) row.line = compose(element, role, role, naming, 0);
  if (!strength && !naming.name && rows.length === index + 1) rows.pop();
};

const exemptFaintToggle = (element, row) => {
  if (row.reason === "transparent" && isTag(element, "input") && EXEMPT_WHEN_FAINT.has(inputType(element))) {
    row.marks = row.marks.replace(markFor(row.reason), "");
    row.flags &= ~UNSEEN;
  }
};

// The state of a toggle is shown on its visible label, which is what a person presses.
const isToggleShownElsewhere = (element) =>
  isTag(element, "input") &&
  STAND_IN_TYPES.has(inputType(element)) &&
  visibleLabelOf(element) !== null &&
  isUnseenControl(element);

const finishOneLiner = (row, index, fromContent) => {
  if (row.unseen && !row.reason) {
    const said = [...new Set(row.unseen.map(([reason]) => reason))].join(", ");
    if (row.seenText || !fromContent)
      row.marks += ` (invisible part: ${row.unseen.map(([, text]) => quote(text, 120)).join(" ")}, ${said})`;
    else row.marks += markFor(row.unseen[0][0]);
    row.flags |= UNSEEN;
  }
  if (row.apartText && /[^\s\uE000-\uF8FF]/.test(row.apartText))
    row.marks += ` (aria-hidden: ${quote(squash(row.apartText), 120)})`;
  const only = rows[index + 1];
  if (!fromContent && only && only.flags & TEXT && rows.length === index + 2) {
    if (only.mark === "aria-hidden" && !/[\p{L}\p{N}]/u.test(only.text)) rows.pop();
    else if (!only.mark && saysTheSame(only.text, row.naming.name)) {
      rows.pop();
      if (squash(only.text).toLowerCase() === row.naming.name.toLowerCase())
        row.line = row.line.replace(/ \((?:aria|title)\)/, "");
    } else inlineFirstText(index);
  }
};

const saysTheSame = (text, name) => name.toLowerCase().includes(squash(text).toLowerCase());

const emitContainer = (element, role, strength, context, inner, nesting) => {
  const naming = containerName(element, role);
  const row = newRow(element, role, naming, strength, context, inner);
  row.line = compose(element, role, role, naming, 0);
  if (role !== "listitem" && role !== "row") row.flags |= STRUCTURE;
  pushRow(row);
  const index = rows.length - 1;
  walkChildren(element, below(inner, context), nesting + 1);
  flushText();
  finishContainer(row, index, role, strength);
};

// Containers that take a name from content (a row) show that content as their children instead.
const containerName = (element, role) => {
  if (isUnnamed(element) || (NAMED_BY_CONTENT.has(role) && !hasAnyAttribute(element))) return NO_NAME;
  const naming = nameOf(element, role);
  return naming.source === "content" ? NO_NAME : naming;
};

const ONLY_NAMED_BY_ATTRIBUTE = new Set(
  "article aside dd div dl dt footer header li main nav ol p section span tbody tr ul".split(" "),
);

const isUnnamed = (element) =>
  !(kindsOf(element) & (ARIA | TITLE | ROLE | FIELD)) &&
  ONLY_NAMED_BY_ATTRIBUTE.has(localNameOf(element)) &&
  isHtml(element);

const KEPT_WHEN_EMPTY = new Set(["alert", "status", "dialog", "alertdialog", "tabpanel"]);

const finishContainer = (row, index, role, strength) => {
  const count = rows.length - index - 1;
  if (count === 0) {
    if (!strength && !row.naming.name && !(KEPT_WHEN_EMPTY.has(role) && row.marks)) rows.pop();
    return;
  }
  if (role === "row") return finishTableRow(row, index);
  if (
    role === "listitem" &&
    !strength &&
    !row.naming.name &&
    count === 1 &&
    !(rows[index + 1].flags & TEXT) &&
    !row.marks
  )
    return dropRowKeepChildren(index);
  inlineFirstText(index);
};

const finishTableRow = (row, index) => {
  const first = rows[index + 1];
  if (first.headers && rows.length === index + 2) row.line = row.line.replace(/^row/, "headers");
  inlineFirstText(index);
};

// A cell that is chosen or cannot be, or is called something else than it shows. That it cannot be written is said of
// the whole grid, mostly.
const saysMoreThanItsWords = (element, role) => {
  if (!(kindsOf(element) & TELLS)) return false;
  const states = statesOf(element, role);
  if (states && states !== " readonly") return true;
  const label = squash(attr(element, "aria-label") || "");
  return label !== "" && label !== squash(textContentOf(element));
};

// Cells of plain text next to each other become one text, in order; cells with something to press keep it as rows.
const emitPlainCell = (element, role, context, inner, nesting) => {
  flushText();
  const start = rows.length;
  walkChildren(element, inner, nesting + 1);
  flushText();
  const made = rows.length - start;
  const plain = made === 0 || (made === 1 && rows[start].flags & TEXT && !rows[start].mark);
  if (!plain || context.quiet) return;
  const previous = rows[start - 1];
  const text = made ? rows[start].text : "";
  if (previous && previous.cellDepth === context.depth && start - 1 >= 0) {
    previous.text += " | " + text;
    if (made) previous.flags |= rows.pop().flags & IN_VIEW;
    previous.headers = previous.headers && role === "columnheader";
  } else if (made) {
    rows[start].cellDepth = context.depth;
    rows[start].headers = role === "columnheader";
  }
};

const HOLDS_MORE =
  "a[href],button,input:not([type=hidden]),select,textarea,[tabindex]:not([tabindex='-1']),[onclick],[role=button],[role=link],[role=checkbox],[role=option],[role=menuitem],ul,ol,table,iframe,[contenteditable]";
const MAX_CLICKABLE_TEXT = 200;

const clickableName = (element, role) => {
  const naming = nameOf(element, role);
  if (naming.name) return naming;
  const walk = newTraversal("reference");
  const name = squash(alternativeOf(element, walk, "reference"));
  return { name, source: name ? "content" : "", hiddenSource: false, titled: walk.titled };
};

const clickableWord = (element, role) => {
  if (isEditingHost(element)) return "textbox";
  if (namespaceOf(element) === SVG && SHAPES.has(localNameOf(element))) return localNameOf(element);
  return role === "generic" || role === "none" || role === "paragraph" ? "clickable" : role;
};

// Pressable though the markup gives it no role that says so.
const emitClickable = (element, role, strength, context, inner, nesting) => {
  const shown = clickableWord(element, role);
  const editable = shown === "textbox";
  const complex =
    !editable &&
    (queryOne(element, HOLDS_MORE) !== null ||
      shadowOf(element) !== null ||
      textContentOf(element).length > MAX_CLICKABLE_TEXT * 3);
  const naming = complex || editable ? nameOf(element, role) : clickableName(element, role);
  const row = newRow(element, role, naming, strength, context, inner);
  row.line = compose(element, shown, editable ? "textbox" : role, naming, complex ? 0 : strength);
  pushRow(row);
  const index = rows.length - 1;
  if (editable) return;
  const children = below(inner, context);
  children.quiet = !complex && naming.source === "content";
  children.owner = row;
  walkChildren(element, children, nesting + 1);
  flushText();
  if (complex) finishComplexClickable(element, row, index, strength);
  else finishOneLiner(row, index, naming.source === "content");
};

// A pointer area that only wraps things pressable in themselves says nothing new.
const finishComplexClickable = (element, row, index, strength) => {
  const children = rows.slice(index + 1);
  if (!children.length) {
    row.line += guessIfNameless(element, row.naming, strength);
    return;
  }
  if (strength === WEAK && children.every((child) => child.flags & (PRESS | FOLD)) && !row.naming.name)
    return dropRowKeepChildren(index);
  inlineFirstText(index);
};

const emitIfNamed = (element, role, context, inner, nesting) => {
  const naming = containerName(element, role);
  if (!naming.name) {
    if (kindsOf(element) & ARIA && (hasAttr(element, "aria-describedby") || hasAttr(element, "aria-description")))
      return emitContainer(element, role, 0, context, inner, nesting);
    return walkChildren(element, inner, nesting + 1);
  }
  if (role === "paragraph" || role === "generic") return emitContainer(element, role, 0, context, inner, nesting);
  emitContainer(element, role, 0, context, inner, nesting);
};

// A label's words are its control's name; if the control itself cannot be seen, the label is what is pressed.
const visitLabel = (label, facts, context, inner, nesting) => {
  if (!facts.visible || context.quiet) return false;
  const control = standsInFor(label);
  if (control) {
    emitStandIn(label, control, context, inner, nesting);
    return true;
  }
  const labelled = label.control;
  if (!labelled || !isRendered(labelled) || isUnseenControl(labelled)) return false;
  if (roleOf(labelled) === "none" || hasOwnLabel(labelled)) return false;
  if (facts.breaks) flushText();
  const owner = {
    seenText: false,
    apart: inner.apart,
    marks: "",
    flags: 0,
    role: "label",
    naming: { source: "content" },
    control: labelled,
  };
  inner.quiet = true;
  inner.owner = owner;
  walkChildren(label, inner, nesting + 1);
  for (const [reason, text] of owner.unseen || []) {
    const row = { depth: inner.depth, flags: TEXT | UNSEEN, ref: 0, text: clean(text), missing: 0, mark: reason, line: "" };
    rows.push(row);
  }
  return true;
};

const emitStandIn = (label, control, context, inner, nesting) => {
  const role = roleOf(control);
  const naming = nameOf(control, role);
  const row = newRow(label, role, naming, STRONG, context, inner);
  row.line = compose(control, role, role, naming, 0) + guessIfNameless(label, naming, STRONG);
  pushRow(row);
  const children = below(inner, context);
  children.quiet = true;
  children.owner = row;
  children.pointer = true;
  walkChildren(label, children, nesting + 1);
  finishOneLiner(row, rows.indexOf(row), true);
};
