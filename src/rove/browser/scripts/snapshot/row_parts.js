// Parts that rows of all kinds share: their flags and marks, and what becomes of them once their children are known.

import { isEditingHost, isTag } from "../dom/elements.js";
import { rectOf } from "../dom/natives.js";
import { refNumber } from "../dom/refs.js";
import { letterCount, MAX_NAME, quote, squash } from "../dom/text.js";
import { activeElement, idrefs } from "../dom/tree.js";
import { inputType, TEXT_ENTRY, valueOfControl } from "../roles/controls.js";
import { showsPicture } from "../visibility/backgrounds.js";
import { contextInside } from "../visibility/contexts.js";
import { unseenElement, unseenPicture, unseenTexts, unseenValue } from "../visibility/text_visibility.js";
import { viewOf } from "../visibility/viewport.js";
import { firstUnseen, guessedName, markFor } from "./lines.js";
import { isListener, WEAK } from "./press_targets.js";
import { CELL_ROLES, ITEM_ROLES, KEPT_WHEN_EMPTY, STYLED_INPUT_TYPES } from "./row_roles.js";
import {
  cutMark,
  dropRowKeepChildren,
  FOCUSED,
  FOLD,
  flushText,
  IN_VIEW,
  ITEM,
  inlineFirstText,
  isTextOnly,
  PRESS,
  rows,
  TEXT,
  UNSEEN,
} from "./rows.js";

/** @param {Element} element @param {number} strength @param {VisibilityContext} inner */
const rowFlags = (element, strength, inner) => {
  let flags = strength ? PRESS : 0;
  const view = inner.inView === 0 ? viewOf(rectOf(element)) : inner.inView;
  if (view !== 2) flags |= IN_VIEW;
  if (element === activeElement && !isTag(element, "body")) flags |= FOCUSED;
  return flags;
};

// Whether its text is not a text node, which would be checked by itself.
/** @param {string} role @param {StyleRecord} facts */
const hasOwnText = (role, facts) =>
  TEXT_ENTRY.has(role) || (role === "button" && facts.tag === "input") || facts.tag === "optgroup";

/** @param {Element} element @param {string} role @param {VisibilityContext} inner */
const unseenReason = (element, role, inner) => {
  if (role === "img") return unseenPicture(element, inner);
  const reason = unseenElement(element, inner);
  return reason || (inner.facts && hasOwnText(role, inner.facts) ? unseenValue(element, inner) : "");
};

/** @param {Element} element @param {string} role @param {Naming} naming @param {number} strength @param {VisibilityContext} context @param {VisibilityContext} inner @returns {ElementRow} */
export const newRow = (element, role, naming, strength, context, inner) => {
  const reason = unseenReason(element, role, inner);
  const mark = reason || inner.inert;
  /** @type {ElementRow} */
  const row = {
    depth: context.depth,
    flags: rowFlags(element, strength, inner) | (mark ? UNSEEN : 0) | (ITEM_ROLES.has(role) ? ITEM : 0),
    ref: strength ? refNumber(element) : 0,
    line: "",
    marks: markFor(mark),
    naming,
    inert: inner.inert,
    background: inner.backgroundImage ? undefined : inner.background,
    element,
    role,
    reason,
    outer: context.namer,
  };
  if (naming.pieces && naming.pieces.length !== 0 && !reason) markPieces(row, naming.pieces);
  return row;
};

// Marks the parts of a name that are not text on the page: hidden pictures, and attributes with their source.
/** @param {ElementRow} row @param {NamePiece[]} pieces */
const markPieces = (row, pieces) => {
  for (const piece of pieces) {
    if (piece.source === "title") continue; // the name as a whole is marked so
    const reason = unseenPiece(piece);
    const source = PIECE_SOURCES[piece.source] || "";
    if (!reason && !source) row.hasSeenText = true;
    else if (row.naming.name.includes(piece.text.slice(0, 40)) && !isMarkedAsReference(row.naming)) {
      piece.mark = pieceMark(piece.text, row.naming.name, reason, source);
      row.marks += piece.mark;
    }
  }
};

/** @type {Record<string, string>} */
const PIECE_SOURCES = { "aria-label": "aria", "svg-title": "title" };

/** @param {Naming} naming */
const isMarkedAsReference = (naming) => naming.source === "labelledby" && naming.hiddenSource;

/** @param {NamePiece} piece */
const unseenPiece = ({ element, source }) => {
  if (source === "fallback") return "not rendered";
  const inside = contextInside(element);
  const reason = inside.seen ? unseenPicture(element, inside) : "";
  return reason || (source === "labelledby" ? firstUnseen(idrefs(element, "aria-labelledby")) : "");
};

/** @param {string} text @param {string} name @param {string} reason @param {string} source */
const pieceMark = (text, name, reason, source) => {
  if (text === name) return reason ? markFor(reason) : ` (${source})`;
  return reason ? ` (invisible part: ${quote(text, 120)}, ${reason})` : ` (${source} part: ${quote(text, 120)})`;
};

// Notes text of a name that is not visible, for every row around whose name has it too.
/** @param {NameOwner} owner @param {string} reason @param {string} text @param {boolean} [hasRow] */
export const noteUnseen = (owner, reason, text, hasRow = false) => {
  for (let each = /** @type {NameOwner | null | undefined} */ (owner); each; each = each.outer) {
    const isInside = hasRow || each !== owner;
    if (isInside && !each.naming?.name?.includes(text.slice(0, 40))) continue;
    each.unseen ??= [];
    each.unseen.push([reason, text, isInside]);
  }
};

/** @param {VisibilityContext} inner @param {VisibilityContext} context */
export const asChildContext = (inner, context) => {
  inner.depth = context.depth + 1;
  inner.isInName = false;
  inner.owner = null;
  return inner;
};

/** @param {Element} element @param {ElementRow} row */
export const unmarkTransparentToggle = (element, row) => {
  if (row.reason === "transparent" && isTag(element, "input") && STYLED_INPUT_TYPES.has(inputType(element))) {
    row.marks = row.marks.replace(markFor(row.reason), "");
    row.flags &= ~UNSEEN;
  }
};

// Which part of a name is struck through, such as the old one of two prices.
/** @param {NameOwner} row */
const struckMark = (row) =>
  row.hasUnstruckText
    ? ` (struck through: ${(row.struckText || []).map((text) => quote(text, 120)).join(" ")})`
    : " (struck through)";

/** @param {ElementRow} row @param {number} index @param {boolean} fromContent */
export const finishOneLiner = (row, index, fromContent) => {
  if (fromContent) shortenName(row, index);
  markUnseenParts(row, row.hasSeenText || !fromContent);
  if (row.struckText) row.marks += struckMark(row);
  if (row.colours && row.naming.name) row.marks += ` (${row.colours.slice(0, 4).join(", ")})`;
  if (row.inertText && /[^\s\uE000-\uF8FF]/.test(row.inertText))
    row.marks += ` (aria-hidden: ${quote(squash(row.inertText), 120)})`;
  const only = rows[index + 1];
  if (!fromContent && only && only.flags & TEXT && rows.length === index + 2) {
    const text = only.text || "";
    if (only.mark === "aria-hidden" && !/[\p{L}\p{N}]/u.test(text)) rows.pop();
    else if (!only.mark && !only.cut && nameIncludes(text, row.naming.name)) {
      rows.pop();
      if (squash(text).toLowerCase() === row.naming.name.toLowerCase())
        row.line = row.line.replace(/ \((?:aria|title)\)/, "");
    } else inlineFirstText(index);
  }
};

// Takes out of a name what a row inside tells, and what is cut off at its end.
/** @param {ElementRow} row @param {number} index */
const shortenName = (row, index) => {
  if (row.reason || !row.hasSeenText) return;
  const inside = rows.slice(index + 1);
  if (inside.length) takeOutPieces(row, inside);
  if (!row.unseen) return;
  if (inside.length) row.unseen = row.unseen.filter(([, text, isInside]) => !(isInside && takeOut(row, text)));
  markCutOffEnd(row, row.unseen);
};

// Labels of elements inside that have rows of their own.
/** @param {ElementRow} row @param {Row[]} inside */
const takeOutPieces = (row, inside) => {
  for (const piece of row.naming.pieces || []) {
    const mark = piece.mark && inside.some((each) => each.element === piece.element) ? piece.mark : "";
    if (mark && takeOut(row, piece.text)) row.marks = row.marks.replace(mark, "");
  }
};

// Whether a part of the name could be taken out of the row's line.
/** @param {ElementRow} row @param {string} part */
const takeOut = (row, part) => {
  const name = row.shortName ?? row.naming.name;
  const at = name.lastIndexOf(part);
  return at >= 0 && rename(row, squash(`${name.slice(0, at)} ${name.slice(at + part.length)}`));
};

/** @param {ElementRow} row @param {string} name */
const rename = (row, name) => {
  const shown = quote(row.shortName ?? row.naming.name, MAX_NAME);
  if (!/[\p{L}\p{N}]/u.test(name) || !row.line.includes(shown)) return false;
  row.line = row.line.replace(shown, () => quote(name, MAX_NAME));
  row.shortName = name;
  return true;
};

/** @param {ElementRow} row @param {UnseenPart[]} unseen */
const markCutOffEnd = (row, unseen) => {
  let name = row.shortName ?? row.naming.name;
  let first = unseen.length;
  while (first > 0 && unseen[first - 1][0] === "clipped" && name.endsWith(unseen[first - 1][1])) {
    first -= 1;
    name = name.slice(0, -unseen[first][1].length).trimEnd();
  }
  if (first === unseen.length || !rename(row, `${name}…`)) return;
  const end = unseen.slice(first).map(([, text]) => text);
  row.marks += cutMark([end.join(" ")]);
  row.unseen = unseen.slice(0, first);
  row.flags |= UNSEEN;
};

/** @param {ElementRow} row @param {boolean} hasSeenPart */
const markUnseenParts = (row, hasSeenPart) => {
  if (!row.unseen?.length || row.reason) return;
  const reasons = [...new Set(row.unseen.map(([reason]) => reason))].join(", ");
  if (hasSeenPart) row.marks += ` (invisible part: ${row.unseen.map(quotePart).join(" ")}, ${reasons})`;
  else row.marks += markFor(showsPicture(row.element) ? "screen-reader text" : row.unseen[0][0]);
  row.flags |= UNSEEN;
};

// For a row whose content is not walked: the parts of its name or value that are not visible.
/** @param {ElementRow} row */
export const markUnseenContent = (row) => {
  if (row.naming.source !== "content") return markUnseenValue(row);
  if (row.reason) return;
  const { name } = row.naming;
  const unseen = unseenTexts(row.element).filter(([, text]) => name.includes(squash(text).slice(0, 40)));
  if (!unseen.length) return;
  row.unseen = unseen;
  const length = unseen.reduce((sum, [, text]) => sum + letterCount(text), 0);
  markUnseenParts(row, row.hasSeenText || length < letterCount(name) - 1);
};

// The text of an editable element is its value, which is not walked.
/** @param {ElementRow} row */
export const markUnseenValue = (row) => {
  if (row.reason || !(TEXT_ENTRY.has(row.role) || isEditingHost(row.element)) || valueOfControl(row.element) !== null)
    return;
  row.unseen = unseenTexts(row.element);
  if (row.unseen.length !== 0) markUnseenParts(row, true);
};

/** @param {UnseenPart} part */
const quotePart = ([reason, text]) => quote(text, reason === "clipped" ? MAX_CUT_IN_NAME : 120);

// The name has all of it, so its beginning tells enough.
const MAX_CUT_IN_NAME = 24;

/** @param {string} text @param {string} name */
const nameIncludes = (text, name) => name.toLowerCase().includes(squash(text).toLowerCase());

// A box without a size of its own says nothing of what is placed around it and seen.
/** @param {ElementRow} row @param {number} index */
const unmarkBoxOfSeenRows = (row, index) => {
  if (!GEOMETRY_REASONS.has(row.reason) || !rows.slice(index + 1).some((each) => !(each.flags & UNSEEN))) return;
  row.marks = row.marks.replace(markFor(row.reason), "");
  row.reason = "";
  if (!row.inert) row.flags &= ~UNSEEN;
};
const GEOMETRY_REASONS = new Set(["no size", "scaled away", "clipped", "off-screen", "screen-reader text"]);

/** @param {ElementRow} row @param {number} index @param {string} role @param {number} strength */
export const finishContainer = (row, index, role, strength) => {
  unmarkBoxOfSeenRows(row, index);
  if (role === "row") dropBlankEnd(rows[rows.length - 1], rows.length > index + 1);
  const count = rows.length - index - 1;
  if (count === 0) {
    const isMarked = row.marks && !GEOMETRY_REASONS.has(row.reason);
    if (!strength && !row.naming.name && !(KEPT_WHEN_EMPTY.has(role) && isMarked)) rows.pop();
    return;
  }
  if (role === "row") return finishTableRow(row, index);
  if (count === 1 && !strength && finishAroundText(row, index, role)) return;
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

// Text that tells as much as the row around it, or less. Returns whether one of the two was taken out.
/** @param {ElementRow} row @param {number} index @param {string} role */
const finishAroundText = (row, index, role) => {
  const text = rows[index + 1];
  if (!(text.flags & TEXT)) return false;
  if (role === "deletion" && text.struck && !row.naming.name && !row.marks) dropRowKeepChildren(index);
  else if (role === "img" && row.naming.name && !text.mark && !/[\p{L}\p{N}]/u.test(text.text || "")) rows.pop();
  else return false;
  return true;
};

const BLANK_END = /(?: \| )+$/;

// Blank cells at the end of a row shift nothing.
/** @param {Row} last @param {boolean} isInside */
const dropBlankEnd = (last, isInside) => {
  if (last.isBlank) rows.pop();
  else if (isInside && last.cellDepth !== undefined && last.text) last.text = last.text.replace(BLANK_END, "");
};

/** @param {ElementRow} row @param {number} index */
const finishTableRow = (row, index) => {
  const first = rows[index + 1];
  if (first.headers && rows.length === index + 2) row.line = row.line.replace(/^row/, "headers");
  inlineFirstText(index);
};

/** @param {Row} previous @param {Row} cell */
const joinCell = (previous, cell) => {
  previous.flags |= cell.flags & IN_VIEW;
  const nodes = [...(previous.nodes || [previous.node]), ...(cell.nodes || [cell.node])];
  previous.nodes = nodes.filter((node) => node !== undefined);
  if (cell.cut) previous.cut = [...(previous.cut || []), ...cell.cut];
};

/** @param {string} role @param {VisibilityContext} context @param {number} start */
export const finishCell = (role, context, start) => {
  flushText();
  let made = rows.length - start;
  const plain = made === 0 || (made === 1 && rows[start].flags & TEXT && !rows[start].mark && !rows[start].struck);
  if (!plain || context.isInName) return;
  const previous = rows[start - 1];
  const text = made ? rows[start].text : "";
  // A blank cell keeps the cells after it in their columns.
  if (!made && context.role === "row" && previous?.cellDepth !== context.depth) {
    rows.push({ depth: context.depth, flags: TEXT, ref: 0, text: "", missing: 0, line: "", isBlank: true });
    made = 1;
  }
  if (previous && previous.cellDepth === context.depth && start - 1 >= 0) {
    previous.text += (isTextOnly ? "\t" : " | ") + text;
    if (text) previous.isBlank = false;
    if (made) joinCell(previous, /** @type {Row} */ (rows.pop()));
    previous.headers = previous.headers && role === "columnheader";
  } else if (made) {
    rows[start].cellDepth = context.depth;
    rows[start].headers = role === "columnheader";
  }
};

/** @param {Row} row */
const isPressed = (row) => (row.flags & (PRESS | FOLD)) !== 0;

const MAX_COUNT = 12;

// Whether rows are all pressed themselves, but for a number such as the count of unread messages.
/** @param {Row[]} children */
const addsNothing = (children) =>
  children.some(isPressed) &&
  children.every(
    (child) =>
      isPressed(child) ||
      (child.flags & TEXT && (child.text || "").length <= MAX_COUNT && !/\p{L}/u.test(child.text || "")),
  );

// An area with a pointer cursor that only contains elements which can be pressed themselves adds nothing.
/** @param {Element} element @param {ElementRow} row @param {number} index @param {number} strength */
export const finishComplexClickable = (element, row, index, strength) => {
  const children = rows.slice(index + 1);
  if (!children.length) {
    row.line += guessedName(element, row.naming, strength);
    return;
  }
  if (strength === WEAK && !row.naming.name && addsNothing(children)) return dropRowKeepChildren(index);
  if (CELL_ROLES.has(row.role) && row.line === row.role && !isListener(element) && children.some(isPressed))
    return dropRowKeepChildren(index);
  inlineFirstText(index);
};
