// One pass over the document: everything that the driver needs, in columns.

import { rememberKinds } from "../dom/attribute_kinds.js";
import { closedHosts, resetClosedHosts } from "../dom/closed_shadow_roots.js";
import { collectInternals } from "../dom/element_internals.js";
import { documentOrigin, isEditingHost, isHtml, isTag } from "../dom/elements.js";
import { findActiveElement } from "../dom/focus.js";
import { collectAriaOwns, ownersByElement } from "../dom/id_references.js";
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
import { noteShadow } from "../dom/shadow_roots.js";
import { quote, resetStrippedCharacters, squash, strippedCharacters } from "../dom/text.js";
import { parentElementOf, pathOf } from "../dom/tree.js";
import { addFold, endGroup, resetGroups, startGroup } from "../folding/groups.js";
import { foldRepetition } from "../folding/repetition.js";
import { resetCounterStyles } from "../names/counter_styles.js";
import { resetCounters } from "../names/counters.js";
import { isHiddenByStyle } from "../names/exclusion.js";
import { resetLabels } from "../names/labels.js";
import { NO_NAME, nameOf } from "../names/names.js";
import { resetOrdinals } from "../names/ordinals.js";
import { keepRefsOfRedrawn } from "../page/redraws.js";
import { arrangeLayers, coverRow, putBehind } from "../paint/layers.js";
import { collectSurfaces } from "../paint/surfaces.js";
import { findDisabledGroups } from "../roles/controls.js";
import { isPresentationalChild, resetRoles, roleOf, tableRoleOf } from "../roles/roles.js";
import { resetTables } from "../roles/tables.js";
import { resetClippedText } from "../text_placement/clipped_text.js";
import { readStyle, styleOf } from "../visibility/computed_styles.js";
import { contextAt, enter, resetContexts } from "../visibility/contexts.js";
import { findShrunkFonts } from "../visibility/effects.js";
import { findHighlights } from "../visibility/highlights.js";
import { tellHoverControls } from "../visibility/hover.js";
import { pictureOf } from "../visibility/image_maps.js";
import { markCovered, resetPaint } from "../visibility/overlays.js";
import { prepareStyles } from "../visibility/style_sheets.js";
import { measurePage, pageHeight, pageWidth } from "../visibility/viewport.js";
import { markOddColours } from "./colour_notes.js";
import { columnsOf, filterRows, groupColumns } from "./columns.js";
import { isTinyFrame } from "./element_rows.js";
import { composeLine, markFor, noteHref, prepareLinks } from "./lines.js";
import { addFieldText, prepareText, setTextRoot } from "./plain_text.js";
import { findClickListeners, findListeningParts, PRESS_ROLES, STRONG } from "./press_targets.js";
import { markUnseenContent, newRow } from "./row_parts.js";
import { VALUE_ROLES } from "./row_roles.js";
import {
  addText,
  COVER,
  FRAME,
  flushText,
  frames,
  longestText,
  PRESS,
  replaceRows,
  rows,
  STRUCTURE,
  startRows,
  TEXT,
  UNSEEN,
} from "./rows.js";
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
