// One pass over the document: everything that the driver needs, in columns.

import { collectInternals, documentOrigin, isEditingHost, isHtml, isTag, rememberKinds } from "../dom/elements.js";
import {
  bodyOf,
  childCountOf,
  comesBefore,
  containsNode,
  localNameOf,
  queryAll,
  rectOf,
  rootElementOf,
  rootNodeOf,
  textContentOf,
  titleOf,
} from "../dom/natives.js";
import { elementOfRef, nextRefNumber, refNumber, startFreshRefs } from "../dom/refs.js";
import { prepareStyles } from "../dom/style_sheets.js";
import { quote, resetStrippedCharacters, squash, strippedCharacters } from "../dom/text.js";
import {
  closedHosts,
  collectAriaOwns,
  findActiveElement,
  noteShadow,
  ownersByElement,
  parentElementOf,
  pathOf,
  pictureOf,
  resetClosedHosts,
} from "../dom/tree.js";
import { findDisabledGroups } from "../roles/controls.js";
import { resetCounterStyles, resetCounters, resetOrdinals } from "../roles/generated_content.js";
import { isHiddenByStyle, resetLabels } from "../roles/labels.js";
import { NO_NAME, nameOf } from "../roles/names.js";
import { isPresentationalChild, resetRoles, resetTables, roleOf, tableRoleOf } from "../roles/roles.js";
import { resetClippedText } from "../visibility/clipping.js";
import { findShrunkFonts, readStyle, styleOf } from "../visibility/computed_styles.js";
import { contextAt, enter, resetContexts } from "../visibility/contexts.js";
import { collectSurfaces } from "../visibility/surfaces.js";
import { findHighlights } from "../visibility/text_visibility.js";
import { measurePage, pageHeight, pageWidth } from "../visibility/viewport.js";
import { isTinyFrame } from "./element_rows.js";
import { arrangeLayers, coverRow, putBehind } from "./layers.js";
import { composeLine, markFor, noteHref, prepareLinks } from "./lines.js";
import { markCovered, resetPaint } from "./overlays.js";
import { findClickListeners, findListeningParts, PRESS_ROLES, STRONG, tellHoverControls } from "./press_targets.js";
import { keepRefsOfRedrawn } from "./redraws.js";
import { foldRepetition } from "./repetition.js";
import { markUnseenContent, newRow } from "./row_parts.js";
import { VALUE_ROLES } from "./row_roles.js";
import {
  addFieldText,
  addFold,
  addText,
  COVER,
  endGroup,
  FOLD,
  FRAME,
  finishLine,
  flushText,
  frames,
  GROUP_SIZE,
  groups,
  IN_VIEW,
  ITEM,
  longestText,
  PRESS,
  prepareText,
  replaceRows,
  resetGroups,
  rows,
  STRUCTURE,
  setTextRoot,
  startGroup,
  startRows,
  TEXT,
  UNSEEN,
} from "./rows.js";
import { markOddColours } from "./text_rows.js";
import {
  modalDialog,
  startWalk,
  visit,
  visitOrphans,
  visitRendered,
  walkChildren,
  walkLimits,
  walkRange,
} from "./walk.js";

// Rows as columns of text, which the DevTools protocol carries faster than lists of values; and which rows are kept.

/** @param {Row} row @param {SnapshotOptions} options */
const isKeptInMode = (row, options) => {
  if (options.mode === "viewport") return Boolean(row.flags & IN_VIEW) || Boolean(row.flags & FOLD);
  return row.flags & (PRESS | FRAME | FOLD) || (row.flags & STRUCTURE && row.role !== "list");
};

// Keeps elements that can be pressed or are in the viewport, with the headings and landmarks around them.
/** @param {SnapshotOptions} options */
const filterRows = (options) => {
  if (options.depth !== null && options.depth !== undefined) cutDepth(options.depth);
  if (options.mode !== "interactive" && options.mode !== "viewport") return;
  const keep = new Array(rows.length).fill(false);
  /** @type {number[]} */
  const ancestors = [];
  rows.forEach((row, index) => {
    while (ancestors.length && rows[ancestors[ancestors.length - 1]].depth >= row.depth) ancestors.pop();
    if (
      isKeptInMode(row, options) &&
      (options.mode === "viewport" || row.flags & (PRESS | FRAME | FOLD) || row.role === "heading" || index === 0)
    ) {
      keep[index] = true;
      for (const above of ancestors) if (rows[above].flags & (STRUCTURE | PRESS | ITEM)) keep[above] = true;
    }
    ancestors.push(index);
  });
  replaceRows(reindent(rows.filter((_, index) => keep[index])));
};

/** @param {Row[]} kept */
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

/** @param {number} depth */
const cutDepth = (depth) => {
  const kept = [];
  let hidden = 0;
  for (const row of rows) {
    if (row.depth <= depth) kept.push(row);
    else hidden += 1;
  }
  replaceRows(kept);
  walkLimits.cutByDepth = hidden;
};

// The index of a row among the rows that are sent; -1 if it is not sent.
/** @param {Row | null} row */
const placeOf = (row) => (row !== null && row.place !== undefined && rows[row.place] === row ? row.place : -1);

const groupColumns = () => {
  const columns = [];
  for (const group of groups) {
    const last = placeOf(group.last);
    if (last < 0) continue;
    const starts = [];
    const children = [];
    // Most lists show every child, so that the number of the child is its position and need not be sent.
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

/** @param {Row} row */
const rowBoxOf = (row) => {
  const element = row.element;
  if (!element) return null;
  const rect = rectOf(element);
  return [Math.round(rect.left), Math.round(rect.top), Math.round(rect.width), Math.round(rect.height)];
};

/** @param {SnapshotOptions} options */
const columnsOf = (options) => {
  const count = rows.length;
  const depths = new Array(count);
  const flags = new Array(count);
  const refs = new Array(count);
  /** @type {Record<number, (number | undefined)[]>} */
  const folds = {};
  /** @type {(number[] | null)[] | null} */
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
    if (boxes) boxes.push(row.ref ? rowBoxOf(row) : null);
  }
  return { depths: depths.join(" "), flags: flags.join(" "), refs: refs.join(" "), lines, hrefs, folds, boxes };
};

// Within one pass the page cannot change: what is computed for an element is kept until the next pass begins.
/** @param {SnapshotOptions} options */
export const beginPass = (options) => {
  startFreshRefs();
  collectInternals();
  rememberKinds(null, 0);
  resetRoles();
  resetTables();
  resetLabels();
  resetCounters();
  resetCounterStyles();
  resetOrdinals();
  resetContexts();
  resetClippedText();
  resetClosedHosts();
  resetGroups();
  resetPaint();
  resetStrippedCharacters();
  findDisabledGroups();
  prepareLinks(Boolean(options.links));
  startRows(options.text ? LONGEST_PLAIN_TEXT : undefined);
  prepareText(Boolean(options.text), Boolean(options.structure));
  findActiveElement();
  collectAriaOwns(document);
  measurePage();
  prepareStyles();
  findShrunkFonts();
  findHighlights();
  startWalk(options);
};

export const walkPage = () => {
  const body = bodyOf(document) || rootElementOf(document);
  if (!body) return;
  const context = contextAt(body);
  context.table = tableRoleOf(body);
  if (modalDialog) {
    visitRendered(modalDialog, readStyle(modalDialog), contextAt(modalDialog), 1);
    flushText();
    rows.push(coverRow(rows));
    context.depth = 1;
    context.isBehindModal = true;
  }
  const facts = styleOf(body, context.facts);
  if (!facts.none) {
    findListeningParts(body, facts);
    const inner = enter(body, facts, context);
    inner.isBehindModal = context.isBehindModal;
    if (roleOf(body) !== "generic" || isEditingHost(body)) visitRendered(body, facts, context, 1);
    else walkChildren(body, inner, 1);
  }
  flushText();
  if (ownersByElement.size !== 0 && !walkLimits.notVisited) visitOrphans(context);
  if (walkLimits.notVisited) addMissedControls(context);
  if (modalDialog) endModal();
};

const endModal = () => {
  const cover = rows.findIndex((row) => row.flags & COVER);
  for (const row of rows.slice(cover + 1)) putBehind(row);
  if (cover === rows.length - 1) rows.pop();
};

const CONTROL_SELECTOR = "a[href],button,input,select,textarea,summary,[role=button],[role=link],[onclick],[tabindex]";
const MAX_MISSED_CONTROLS = 60;

// When a page is too large to walk, the controls at its end (next page, submit) are shown nevertheless.
/** @param {VisibilityContext} context */
const addMissedControls = (context) => {
  const controls = queryAll(document, CONTROL_SELECTOR);
  let first = controls.length;
  while (
    first > 0 &&
    controls.length - first < MAX_MISSED_CONTROLS &&
    comesBefore(/** @type {Element} */ (walkLimits.last), controls[first - 1])
  )
    first -= 1;
  if (first === controls.length) return;
  rows.push({ depth: context.depth, flags: STRUCTURE, ref: 0, line: "… at the end of the page:" });
  walkLimits.cap += 20000;
  for (let i = first; i < controls.length; i++) {
    const around = contextAt(controls[i]);
    around.depth = context.depth + 1;
    around.isInName = false;
    visit(controls[i], around, 1, parentElementOf(controls[i]));
    flushText();
  }
};

// The first row is the element itself, whatever its role and name.
/** @param {Element} element @param {SnapshotOptions} options */
export const walkElement = (element, options) => {
  collectSurfaces();
  const row = rowOf(element, isPresentationalChild(element) ? "none" : roleOf(element));
  rows.push(row);
  const context = contextAt(element);
  const facts = readStyle(element, context.facts);
  if (facts.none) return;
  const inner = enter(element, facts, context);
  inner.depth = 1;
  if (isHiddenByStyle(element)) inner.reason ||= "not rendered";
  if (
    NEVER_WALKED.has(localNameOf(element)) ||
    isTag(element, "select") ||
    isEditingHost(element) ||
    (VALUE_ROLES.has(row.role) && isHtml(element) && /^(?:input|textarea)$/.test(localNameOf(element)))
  )
    return;
  if (row.role === "iframe") {
    row.flags |= FRAME;
    if (!row.reason && isTinyFrame(element)) {
      row.marks += markFor("no size");
      row.flags |= UNSEEN;
    }
    frames.push(row.ref);
    return;
  }
  if (options.from !== undefined && options.from !== null) walkSlice(element, inner, options.from, options.limit || 50);
  else walkChildren(element, inner, 1);
  flushText();
  const only = rows[1];
  if (rows.length === 2 && only.flags & TEXT && !only.mark && squash(only.text || "") === row.naming.name) rows.pop();
};

// Their content is shown only where they cannot be.
const NEVER_WALKED = new Set(["canvas", "video", "audio"]);

// Boxes outside of an element may cover it: unless the browser finds nothing else at its middle, the whole page is
// walked for them.
/** @param {Element} element @param {SnapshotOptions} options */
const collectOverlays = (element, options) => {
  const rect = rectOf(element);
  const [x, y] = [(rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2];
  const root = rootNodeOf(element);
  const hit = root.elementFromPoint ? root.elementFromPoint(x, y) : null;
  if (hit && (containsNode(hit, element) || containsNode(element, hit))) return;
  walkPage();
  resetGroups();
  startRows(longestText);
  startWalk(options);
};

/** @param {Element} element @param {VisibilityContext} inner @param {number} from @param {number} limit */
const walkSlice = (element, inner, from, limit) => {
  const total = childCountOf(element);
  const to = Math.min(total, from + limit);
  const group = startGroup(element);
  walkRange(element, inner, 1, group, from, to);
  endGroup(group);
  addFold(element, inner, to, total);
};

/** @param {Element} element @param {string} [role] */
export const rowOf = (element, role = roleOf(element)) => {
  if (rootNodeOf(element) !== document) noteShadow();
  const named = nameOf(element);
  const naming = role === "none" && named.source === "content" ? NO_NAME : named;
  const shown = isTag(element, "area") ? pictureOf(element) || element : element;
  const context = contextAt(shown);
  const facts = readStyle(shown, context.facts);
  const inner = facts.none ? context : enter(shown, facts, context);
  const row = { ...newRow(shown, role, naming, STRONG, context, inner), element, ref: refNumber(element) };
  row.depth = 0;
  row.line = composeLine(element, role, role, naming, PRESS_ROLES.has(role) ? STRONG : 0, true);
  if ((facts.none && !isTag(element, "area")) || isHiddenByStyle(element)) row.marks += " (not rendered)";
  else if (modalDialog && !inner.inert && !pathOf(element).includes(modalDialog)) row.marks += markFor("inert");
  else markUnseenContent(row);
  row.flags &= ~PRESS;
  if (PRESS_ROLES.has(role)) row.flags |= PRESS;
  if (role === "link") noteHref(row, element);
  return row;
};

const LONGEST_PLAIN_TEXT = 50000;

// Adds the text of an element, and none of its roles and names, as a person sees it.
/** @param {Element} element */
const walkText = (element) => {
  const context = contextAt(element);
  context.inert = "";
  setTextRoot(element);
  const facts = readStyle(element, context.facts);
  if (isHiddenByStyle(element)) context.reason ||= "not rendered";
  if (facts.none) addText(textContentOf(element), context, "not rendered");
  else if (!addFieldText(element, enter(element, facts, context))) visitRendered(element, facts, context, 1);
  flushText();
  separateCutOffText();
};

// The text that is cut off gets rows of its own, after the text that is shown.
const separateCutOffText = () => {
  replaceRows(
    rows.flatMap((row) => [
      { ...row, cut: undefined },
      ...(row.cut || []).map((text) => ({
        ...row,
        text,
        mark: "clipped",
        flags: row.flags | UNSEEN,
        cut: undefined,
        missing: 0,
      })),
    ]),
  );
};

// document.open() leaves a document without any element, at least for a moment.
const emptySnapshot = () => ({
  depths: [],
  flags: [],
  refs: [],
  lines: [],
  hrefs: {},
  folds: {},
  groups: [],
  frames: [],
  url: location.href,
  origin: documentOrigin(),
  title: '""',
  width: innerWidth,
  height: innerHeight,
  scrollX: 0,
  scrollY: 0,
  pageWidth: 0,
  pageHeight: 0,
  stripped: 0,
  nextRef: nextRefNumber,
  notWalked: 0,
  cutByDepth: 0,
  closedHosts: 0,
});

/** @param {SnapshotOptions} [options] */
export const takeSnapshot = (options = {}) => {
  if (!rootElementOf(document)) return emptySnapshot();
  if (!options.text) findClickListeners();
  beginPass(options);
  const root = options.root ? elementOfRef(options.root) : null;
  if (options.root && !root) return { gone: options.root };
  if (root) collectOverlays(root, options);
  if (options.text) walkText(root || bodyOf(document) || rootElementOf(document));
  else if (root) walkElement(root, options);
  else walkPage();
  const isWhole = !root && !options.text;
  if (isWhole) keepRefsOfRedrawn(rows);
  if (isWhole && !modalDialog) arrangeLayers();
  markCovered();
  markOddColours();
  if (!options.text) {
    tellHoverControls();
    foldRepetition();
  }
  filterRows(options);
  return {
    ...columnsOf(options),
    groups: groupColumns(),
    url: location.href,
    origin: documentOrigin(),
    title: quote(titleOf(document), 200),
    width: innerWidth,
    height: innerHeight,
    scrollX: Math.round(scrollX),
    scrollY: Math.round(scrollY),
    pageHeight: Math.round(pageHeight),
    pageWidth: Math.round(pageWidth),
    stripped: strippedCharacters,
    nextRef: nextRefNumber,
    frames,
    notWalked: walkLimits.notVisited,
    cutByDepth: walkLimits.cutByDepth,
    closedHosts: closedHosts.length,
  };
};
