// Rows by kind of element: one line, a container, a cell, something pressable, a label that is pressed for its control.

import { ARIA, hasAttr, isRendered, isTag, kindsOf } from "../dom/elements.js";
import { clientHeightOf, clientWidthOf, queryOne, rectOf, textContentOf } from "../dom/natives.js";
import { refNumber } from "../dom/refs.js";
import { clean } from "../dom/text.js";
import { areasOf, shadowOf } from "../dom/tree.js";
import { TEXT_ENTRY } from "../roles/controls.js";
import { NO_NAME, nameOf } from "../roles/names.js";
import { hasOwnLabel, isLayoutPart, roleOf } from "../roles/roles.js";
import { toggleLook } from "../roles/states.js";
import { composeLine, guessedName, isUnreadable, nameMark, noteHref, roleAndName } from "./lines.js";
import {
  hasControlInside,
  hasSimilarChildren,
  hiddenControlOf,
  holds,
  isHiddenControl,
  STRONG,
  WEAK,
} from "./press_targets.js";
import {
  asChildContext,
  finishCell,
  finishComplexClickable,
  finishContainer,
  finishOneLiner,
  markUnseenValue,
  newRow,
  unmarkTransparentToggle,
} from "./row_parts.js";
import {
  CELL_ROLES,
  CONTAINERS,
  CONTAINERS_IF_NAMED,
  clickableName,
  clickableRole,
  containerName,
  hasMoreThanText,
  isDescribed,
  isLabelled,
  isLeaf,
  isNotInName,
  isShownAsName,
  isShownByLabel,
  LEAVES,
  MAY_SHOW_TEXT,
  ONE_LINERS,
  TABLE_PARTS,
  VALUE_ROLES,
} from "./row_roles.js";
import {
  addFieldText,
  addListMark,
  endParagraph,
  FRAME,
  flushText,
  frames,
  hasNoText,
  inlineFirstText,
  isTextOnly,
  PRESS,
  pushRow,
  rows,
  STRUCTURE,
  TEXT,
  UNSEEN,
} from "./rows.js";

// An area is as visible as its picture.
/** @param {Element} image @param {VisibilityContext} context @param {VisibilityContext} inner */
export const addAreaRows = (image, context, inner) => {
  if (context.isInName) return;
  for (const area of areasOf(image)) {
    const naming = nameOf(area, "link");
    const row = newRow(image, "link", naming, STRONG, context, inner);
    row.ref = refNumber(area);
    row.element = area;
    row.line = roleAndName("link", naming.name);
    pushRow(row);
  }
};

// Without a summary, the browser shows a word of its own. While closed, the element is nothing but that word.
/** @param {Element} details @param {VisibilityContext} context */
export const addDefaultSummaryRow = (details, context) => {
  if (context.isInName || !context.seen) return;
  const isOpen = hasAttr(details, "open");
  const row = newRow(details, "button", NO_NAME, isOpen ? 0 : STRONG, context, context);
  row.line = `button "Details" ${isOpen ? "expanded" : "expanded=false"}`;
  pushRow(row);
};

// Adds the rows of one element. Returns a function to call after its children have been walked, or null where they must
// not be walked.
/** @param {Element} element @param {string} role @param {number} strength @param {StyleRecord} facts @param {VisibilityContext} context @param {VisibilityContext} inner */
export const addElementRows = (element, role, strength, facts, context, inner) => {
  if (isTextOnly) return addPlainText(element, role, context, inner);
  if (strength === WEAK && !context.isInName && hasSimilarChildren(element)) {
    inner.pointer = false;
    strength = 0;
  }
  if ((facts.tag === "legend" || facts.tag === "caption") && isShownAsName(element, context)) {
    inner.isInName = true;
    inner.owner = inner.owner || { inert: inner.inert };
    return NOTHING_AFTER;
  }
  if (context.isInName && !strength && !isNotInName(element, role, context)) return NOTHING_AFTER;
  if (context.isInName && strength === WEAK) return NOTHING_AFTER;
  if (context.isInName) {
    inner.isInName = false;
    inner.owner = null;
  }
  if (role === "generic" && !strength && !(kindsOf(element) & ARIA)) return NOTHING_AFTER;
  if (role === "iframe") return addFrameRow(element, context, inner);
  if (!strength && TABLE_PARTS.has(role) && isLayoutPart(element)) return NOTHING_AFTER;
  if (CELL_ROLES.has(role) && !strength && hasMoreThanText(element, role))
    return addOneLineRow(element, role, 0, context, inner);
  if (CELL_ROLES.has(role) && !strength && isIconCell(element, role, facts))
    return addClickableRow(element, role, STRONG, context, inner);
  if (CELL_ROLES.has(role) && !strength) return addCellRow(role, context);
  if (LEAVES.has(role) && isLeaf(element, role)) return addLeafRow(element, role, strength, context, inner);
  if (MAY_SHOW_TEXT.has(role)) return addValueRow(element, role, strength, context, inner);
  if (ONE_LINERS.has(role)) return addOneLineRow(element, role, strength, context, inner);
  if (CONTAINERS.has(role)) return addContainerRow(element, role, strength, context, inner);
  if (strength) return addClickableRow(element, role, strength, context, inner);
  if (CONTAINERS_IF_NAMED.has(role) || (kindsOf(element) & ARIA && isLabelled(element)))
    return addRowIfNamed(element, role, context, inner);
  return NOTHING_AFTER;
};

const NOTHING_AFTER = () => {};

/** @param {Element} element @param {string} role @param {VisibilityContext} context @param {VisibilityContext} inner */
const addPlainText = (element, role, context, inner) => {
  // What assistive technology leaves out is seen all the same.
  inner.inert = "";
  if (role === "iframe") return addFrameRow(element, context, inner);
  if (isTag(element, "select")) addFieldText(element, inner);
  if (hasNoText(element) || isTag(element, "select")) return null;
  if (CELL_ROLES.has(role)) return addCellRow(role, context);
  addListMark(element, inner);
  return role === "row" ? endTableRow : () => endParagraph(element);
};

// The next cell begins a line of its own.
const endTableRow = () => {
  flushText();
  const last = rows[rows.length - 1];
  if (last) last.cellDepth = undefined;
};

// Its client area counts too: a frame may consist of its border only.
/** @param {Element} element */
export const isTinyFrame = (element) => {
  const rect = rectOf(element);
  return Math.min(rect.width, rect.height, clientWidthOf(element), clientHeightOf(element)) < 2;
};
/** @param {Naming} naming */
const readableName = (naming) => (isUnreadable(naming.name) ? { ...naming, name: "" } : naming);

/** @param {Element} element @param {VisibilityContext} context @param {VisibilityContext} inner */
const addFrameRow = (element, context, inner) => {
  if (isTinyFrame(element)) return null;
  const naming = nameOf(element, "iframe");
  const row = newRow(element, "iframe", naming, STRONG, context, inner);
  row.line = roleAndName("iframe", naming.name) + nameMark(element, naming);
  row.flags = (row.flags & ~PRESS) | FRAME | STRUCTURE;
  pushRow(row);
  frames.push(row.ref);
  return null;
};

/** @param {Element} element @param {string} role @param {number} strength @param {VisibilityContext} context @param {VisibilityContext} inner */
const addLeafRow = (element, role, strength, context, inner) => {
  if (role === "img" || role === "doc-cover") return addImageRow(element, role, strength, context, inner);
  if ((role === "object" || role === "embed") && !strength) return NOTHING_AFTER;
  const naming = nameOf(element, role);
  const given =
    strength || VALUE_ROLES.has(role) || role === "canvas" || role === "video" || role === "audio" ? STRONG : 0;
  const row = newRow(element, role, naming, given, context, inner);
  row.line = composeLine(element, role, role, naming, given);
  if (TEXT_ENTRY.has(role)) markUnseenValue(row);
  pushRow(row);
  return null;
};

/** @param {Element} element @param {string} role @param {number} strength @param {VisibilityContext} context @param {VisibilityContext} inner */
const addImageRow = (element, role, strength, context, inner) => {
  if (context.isInName && !strength) return null;
  const naming = nameOf(element, role);
  const rect = rectOf(element);
  if (!naming.name && !strength && (rect.width < 24 || rect.height < 24)) return null;
  const row = newRow(element, role, naming, strength, context, inner);
  row.line = composeLine(element, role, role, naming, STRONG);
  if (naming.name || strength || row.line.length > 3) pushRow(row);
  return null;
};

/** @param {Element} element @param {string} role @param {number} strength @param {VisibilityContext} context @param {VisibilityContext} inner */
const addOneLineRow = (element, role, strength, context, inner) => {
  if (inner.facts.tag === "input" && isShownByLabel(element)) return null;
  const naming = readableName(nameOf(element, role));
  const row = newRow(element, role, naming, strength, context, inner);
  unmarkTransparentToggle(element, row);
  row.line = composeLine(element, role, role, naming, strength);
  if (role === "button" && !naming.name) row.marks += lookMark(element);
  if (role === "heading" || role === "tab") row.flags |= STRUCTURE;
  pushRow(row);
  const index = rows.length - 1;
  if (role === "link") noteHref(row, element);
  const fromContent = naming.source === "content";
  const children = asChildContext(inner, context);
  children.isInName = fromContent;
  children.owner = row;
  if (children.isInName) children.namer = row;
  return () => {
    flushText();
    finishOneLiner(row, index, fromContent);
    // Text below tells more than a guessed name.
    if (!naming.name && rows.length > index + 1) row.line = composeLine(element, role, role, naming, 0);
    if (!strength && !naming.name && rows.length === index + 1) rows.pop();
  };
};

/** @param {Element} element @param {string} role @param {number} strength @param {VisibilityContext} context @param {VisibilityContext} inner */
const addContainerRow = (element, role, strength, context, inner) => {
  const naming = containerName(element, role);
  const row = newRow(element, role, naming, strength, context, inner);
  row.line = composeLine(element, role, role, naming, 0);
  if (role !== "listitem" && role !== "row") row.flags |= STRUCTURE;
  pushRow(row);
  const index = rows.length - 1;
  asChildContext(inner, context);
  return () => {
    flushText();
    finishContainer(row, index, role, strength);
  };
};

// A bar or slider with text inside: its value, then that text.
/** @param {Element} element @param {string} role @param {number} strength @param {VisibilityContext} context @param {VisibilityContext} inner */
const addValueRow = (element, role, strength, context, inner) => {
  const naming = nameOf(element, role);
  const row = newRow(element, role, naming, strength, context, inner);
  row.line = composeLine(element, role, role, naming, strength);
  pushRow(row);
  const index = rows.length - 1;
  asChildContext(inner, context);
  return () => {
    flushText();
    inlineFirstText(index);
  };
};

// Neighbouring cells that contain only text become one row of text; cells with something to press keep rows of their
// own.
/** @param {string} role @param {VisibilityContext} context */
const addCellRow = (role, context) => {
  flushText();
  const start = rows.length;
  return () => finishCell(role, context, start);
};

/** @param {Element} element */
const lookMark = (element) => {
  const look = toggleLook(element);
  return look ? ` (looks ${look})` : "";
};
// A cell with nothing but an icon, such as a tick: its listener may be anywhere above.
/** @param {Element} element @param {string} role @param {StyleRecord} facts */
const isIconCell = (element, role, facts) =>
  (role === "gridcell" || facts.pointer) &&
  queryOne(element, "svg,i") !== null &&
  !textContentOf(element).trim() &&
  queryOne(element, COMPLEX_CONTENT) === null &&
  !clickableName(element, role).name;

const COMPLEX_CONTENT =
  "a[href],button,input:not([type=hidden]),select,textarea,[tabindex]:not([tabindex='-1']),[onclick],[role=button],[role=link],[role=checkbox],[role=option],[role=menuitem],ul,ol,table,iframe,[contenteditable]";

const MAX_CLICKABLE_TEXT = 200;

// For elements that can be pressed though no role says so.
/** @param {Element} element @param {string} role @param {number} strength @param {VisibilityContext} context @param {VisibilityContext} inner */
const addClickableRow = (element, role, strength, context, inner) => {
  const shown = clickableRole(element, role);
  const editable = shown === "textbox";
  const complex =
    !editable &&
    (holds(element, COMPLEX_CONTENT) ||
      shadowOf(element) !== null ||
      (strength === STRONG && hasControlInside(element, inner.facts.pointer)) ||
      textContentOf(element).length > MAX_CLICKABLE_TEXT * 3);
  const naming = editable
    ? nameOf(element, role)
    : complex
      ? containerName(element, role)
      : readableName(clickableName(element, role));
  const row = newRow(element, role, naming, strength, context, inner);
  row.line = composeLine(element, shown, editable ? "textbox" : role, naming, complex ? 0 : strength);
  row.marks += lookMark(element);
  pushRow(row);
  const index = rows.length - 1;
  if (editable) {
    markUnseenValue(row);
    return null;
  }
  const children = asChildContext(inner, context);
  children.isInName = !complex && naming.source === "content";
  children.owner = row;
  if (children.isInName) children.namer = row;
  return () => {
    flushText();
    if (complex) finishComplexClickable(element, row, index, strength);
    else finishOneLiner(row, index, naming.source === "content");
    if (row.line === "clickable" && rows[rows.length - 1] === row) finishBlank(row, strength);
  };
};

// Nothing is seen of it. A cursor alone makes no control of it, but a listener does.
/** @param {ElementRow} row @param {number} strength */
const finishBlank = (row, strength) => {
  if (strength === WEAK) rows.pop();
  else row.line += ' ~"blank area"';
};

/** @param {Element} element @param {string} role @param {VisibilityContext} context @param {VisibilityContext} inner */
const addRowIfNamed = (element, role, context, inner) => {
  const isNamed = containerName(element, role).name !== "";
  return isNamed || isDescribed(element) ? addContainerRow(element, role, 0, context, inner) : NOTHING_AFTER;
};

// The text of a label is the name of its control; if the control itself is hidden, the label is pressed instead. Null
// where the label is treated like any other element.
/** @param {HTMLLabelElement} label @param {StyleRecord} facts @param {VisibilityContext} context @param {VisibilityContext} inner */
export const addLabelRows = (label, facts, context, inner) => {
  if (!facts.visible || context.isInName || isTextOnly) return null;
  const control = hiddenControlOf(label);
  if (control) return addHiddenControlRow(label, control, context, inner);
  const labelled = label.control;
  if (!labelled || !isRendered(labelled) || isHiddenControl(labelled)) return null;
  if (roleOf(labelled) === "none" || hasOwnLabel(labelled)) return null;
  if (facts.breaks) flushText();
  return addLabelText(labelled, inner);
};

// The text is in the control's line; parts of it that are not visible get rows of their own.
/** @param {Element} labelled @param {VisibilityContext} inner */
const addLabelText = (labelled, inner) => {
  /** @type {NameOwner} */
  const owner = {
    hasSeenText: false,
    inert: inner.inert,
    marks: "",
    flags: 0,
    role: "label",
    naming: { source: "content" },
    control: labelled,
  };
  inner.isInName = true;
  inner.owner = owner;
  return () => {
    for (const [reason, text] of owner.unseen || []) {
      const flags = TEXT | UNSEEN;
      rows.push({ depth: inner.depth, flags, ref: 0, text: clean(text), missing: 0, mark: reason, line: "" });
    }
    for (const text of owner.struckText || [])
      rows.push({ depth: inner.depth, flags: TEXT, ref: 0, text: clean(text), missing: 0, struck: true, line: "" });
  };
};

/** @param {Element} label @param {Element} control @param {VisibilityContext} context @param {VisibilityContext} inner */
const addHiddenControlRow = (label, control, context, inner) => {
  const role = roleOf(control);
  const naming = nameOf(control, role);
  const row = newRow(label, role, naming, STRONG, context, inner);
  row.line = composeLine(control, role, role, naming, 0) + guessedName(label, naming, STRONG);
  pushRow(row);
  const children = asChildContext(inner, context);
  children.isInName = true;
  children.owner = row;
  children.namer = row;
  children.pointer = true;
  return () => finishOneLiner(row, rows.indexOf(row), true);
};
