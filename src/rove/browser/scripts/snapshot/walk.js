// The walk over the flattened tree: one visit per rendered element.

import { firstChildTag, HTML, hasAttr, kindsOf, NOT_RENDERED_TAGS, ROLE, SVG, SVG_SKIPPED } from "../dom/elements.js";
import {
  childCountOf,
  childrenOf,
  containsNode,
  firstChildOf,
  firstElementOf,
  localNameOf,
  namespaceOf,
  nextElementOf,
  nextSiblingOf,
  nodeTypeOf,
  queryAll,
  rectOf,
  textContentOf,
  textDataOf,
} from "../dom/natives.js";
import { refNumber } from "../dom/refs.js";
import { clip, MAX_TEXT, quote, squash } from "../dom/text.js";
import {
  activeElement,
  elementsByOwner,
  flattenedChildren,
  isLikelyHost,
  MAX_NESTING,
  noteClosedHost,
  ownersByElement,
} from "../dom/tree.js";
import { inputType } from "../roles/controls.js";
import { TAG_ROLES } from "../roles/role_names.js";
import { BY_TAG, cellRoleIn, roleOf, TABLES } from "../roles/roles.js";
import { styleOf } from "../visibility/computed_styles.js";
import { contextAt, enter } from "../visibility/contexts.js";
import { noteSurface } from "../visibility/surfaces.js";
import { viewHeight } from "../visibility/viewport.js";
import { addAreaRows, addDefaultSummaryRow, addElementRows, addLabelRows } from "./element_rows.js";
import { hasPressableShapes, pressStrength } from "./press_targets.js";
import {
  addFold,
  breakText,
  endGroup,
  FOLD,
  flushText,
  GROUP_SIZE,
  noteItem,
  rows,
  separateText,
  startGroup,
  textRun,
} from "./rows.js";
import { addMarker, addPseudo, addSwatch, swatchText, visitText } from "./text_rows.js";

export const SKIPPED = new Set([...NOT_RENDERED_TAGS, "area", "map", "noframes", "noembed"]);

// With these values of display, children follow each other down the page.
const VERTICAL_DISPLAYS = new Set(["block", "table-row-group", "table", "flow-root", "list-item"]);

/** @type {{ nodes: number, cap: number, children: number, notVisited: number, last: Element | null, cutByDepth: number }} */
export let walkLimits = { nodes: 0, cap: 0, children: 0, notVisited: 0, last: null, cutByDepth: 0 };
/** @type {Element | null} */
export let modalDialog = null;

/** @param {SnapshotOptions} options */
export const startWalk = (options) => {
  walkLimits = {
    nodes: 0,
    cap: options.maxNodes || DEFAULT_CAPS.nodes,
    children: options.maxChildren || DEFAULT_CAPS.children,
    notVisited: 0,
    last: null,
    cutByDepth: 0,
  };
  modalDialog = topModal();
  adopted = new Set();
};

/** @param {Element} element @param {VisibilityContext} context @param {number} nesting */
export const walkChildren = (element, context, nesting) => {
  const facts = context.facts;
  if (facts.skipsContent) return;
  if (facts.marker && context.seen && !context.isInName) addMarker(element, context);
  if (facts.before) addPseudo(element, "::before", context);
  if (facts.tag === "details" && !firstChildTag(element, "summary")) addDefaultSummaryRow(element, context);
  if (facts.tag === "details" && !hasAttr(element, "open")) walkClosedDetails(element, context, nesting);
  else if (nesting > MAX_NESTING) addTooDeepRow(element, context);
  else walkAllChildren(element, context, nesting);
  if (facts.after) addPseudo(element, "::after", context);
};

/** @param {Element} element @param {VisibilityContext} context @param {number} nesting */
const walkAllChildren = (element, context, nesting) => {
  const facts = context.facts;
  const count = childCountOf(element);
  if (count > walkLimits.children) return walkManyChildren(element, context, nesting);
  if (facts.mayHostShadow || facts.tag === "slot" || elementsByOwner.size !== 0) {
    const list = flattenedChildren(element);
    if (list) {
      for (const child of list) visit(child, context, nesting, element);
      return;
    }
  }
  if (count === 0 && isVisibilityUniform(context)) return visitOnlyText(element, context);
  if (count >= GROUP_SIZE) return walkGroup(element, context, nesting);
  for (let child = firstChildOf(element); child !== null; child = nextSiblingOf(child))
    visit(child, context, nesting, element);
};

/** @param {Element} element @param {VisibilityContext} context @param {number} nesting */
const walkGroup = (element, context, nesting) => {
  const group = startGroup(element);
  context.grouped = VERTICAL_DISPLAYS.has(context.facts.display);
  let index = 0;
  for (let child = firstChildOf(element); child !== null; child = nextSiblingOf(child)) {
    const type = nodeTypeOf(child);
    if (type === 3) visitText(child, textDataOf(child), context);
    else if (type === 1) {
      const before = rows.length;
      visitElement(/** @type {Element} */ (child), context, nesting, element);
      noteItem(group, before, index++);
    }
  }
  endGroup(group);
};

// Whether neither visibility nor position has to be computed for each text node.
/** @param {VisibilityContext} context */
const isVisibilityUniform = (context) => !context.needsMeasuring && (context.inView !== 0 || context.isInName);

// An element without child elements: its text as a whole, without an object for each text node.
/** @param {Element} element @param {VisibilityContext} context */
const visitOnlyText = (element, context) => {
  const data = textContentOf(element);
  if (data) visitText(element, data, context);
  // The line of a control without a name says its colour already.
  else if (context.facts.background[3] > 0 && rows[rows.length - 1]?.element !== element)
    addSwatch(swatchText(element, context), context);
};

/** @param {Element} element @param {VisibilityContext} context @param {number} nesting */
const walkClosedDetails = (element, context, nesting) => {
  const summary = firstChildTag(element, "summary");
  if (summary) visit(summary, context, nesting, element);
};

/** @param {Element} element @param {VisibilityContext} context */
const addTooDeepRow = (element, context) => {
  const text = squash(clip(textContentOf(element), MAX_TEXT));
  if (!text || context.isInName) return;
  flushText();
  rows.push({
    depth: context.depth,
    flags: FOLD,
    ref: refNumber(element),
    line: `… nested too deeply to show; begins ${quote(text, 200)}`,
  });
};

/** @param {Element} element @param {VisibilityContext} context @param {number} nesting @param {Group} group @param {number} from @param {number} to */
export const walkRange = (element, context, nesting, group, from, to) => {
  let child = from === 0 ? firstElementOf(element) : childrenOf(element)[from];
  for (let index = from; child && index < to; index++, child = nextElementOf(child)) {
    const before = rows.length;
    visit(child, context, nesting, element);
    noteItem(group, before, index);
  }
};

// Shows the beginning of a list that is too long to walk, and the part near the viewport.
/** @param {Element} element @param {VisibilityContext} context @param {number} nesting */
const walkManyChildren = (element, context, nesting) => {
  const total = childCountOf(element);
  const children = childrenOf(element);
  const cap = walkLimits.children;
  const group = startGroup(element);
  const seenAt = firstChildInView(children, total);
  // Of children without a height, as of a page nested too deeply for the parser, the viewport holds more than are
  // walked: then the last of those that it holds are shown.
  const seenTo = seenAt < cap ? firstChildBelowView(children, total) : 0;
  const nearest = seenTo > cap ? seenTo - (cap >> 1) : seenAt - 50;
  const near = Math.max(cap >> 1, Math.min(nearest, total - (cap >> 1)));
  if (seenAt < cap && seenTo <= cap) {
    walkRange(element, context, nesting, group, 0, cap);
    addFold(element, context, cap, total);
  } else {
    walkRange(element, context, nesting, group, 0, cap >> 1);
    addFold(element, context, cap >> 1, near);
    walkRange(element, context, nesting, group, near, near + (cap >> 1));
    addFold(element, context, near + (cap >> 1), total);
  }
  endGroup(group);
};

// Children of a long list follow each other down the page, so binary search finds the first one in the viewport.
/** @param {HTMLCollection} children @param {number} total */
const firstChildInView = (children, total) => {
  let low = 0;
  let high = total - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rectOf(children[middle]).bottom < 0) low = middle + 1;
    else high = middle;
  }
  return low;
};

// A child that is not rendered has no place; it counts as below, so that no more is taken to be in view than is.
/** @param {HTMLCollection} children @param {number} total */
const firstChildBelowView = (children, total) => {
  let low = 0;
  let high = total;
  while (low < high) {
    const middle = (low + high) >> 1;
    const rect = rectOf(children[middle]);
    if (rect.top >= viewHeight || !(rect.top || rect.left || rect.width || rect.height)) high = middle;
    else low = middle + 1;
  }
  return low;
};

/** @param {Node} node @param {VisibilityContext} context @param {number} nesting @param {Element | null} parent */
export const visit = (node, context, nesting, parent) => {
  const type = nodeTypeOf(node);
  if (type === 3) visitText(node, textDataOf(node), context);
  else if (type === 1) visitElement(/** @type {Element} */ (node), context, nesting, parent);
};

// Elements that were shown where aria-owns puts them.
/** @type {Set<Element>} */
let adopted = new Set();

// An owner whose content is left out (a picture, a closed group) does not take along what it owns.
/** @param {VisibilityContext} context */
export const visitOrphans = (context) => {
  for (const [element, owner] of ownersByElement) {
    if (adopted.has(element)) continue;
    const around = { ...contextAt(element), depth: context.depth, isInName: false, owner: null };
    visit(element, around, 1, owner);
    flushText();
  }
};

/** @param {Element} node @param {VisibilityContext} context @param {number} nesting @param {Element | null} parent */
const visitElement = (node, context, nesting, parent) => {
  if (++walkLimits.nodes > walkLimits.cap) {
    walkLimits.notVisited += 1;
    return;
  }
  walkLimits.last = node;
  if (ownersByElement.size !== 0 && ownersByElement.has(node)) {
    if (!(elementsByOwner.get(/** @type {Element} */ (parent)) || []).includes(node)) return;
    adopted.add(node);
  }
  if (node === modalDialog && context.isBehindModal) return;
  const namespace = namespaceOf(node);
  const html = namespace === HTML;
  const tag = localNameOf(node);
  if (html ? SKIPPED.has(tag) : namespace === SVG && SVG_SKIPPED.has(tag)) {
    if (tag !== "map") return;
  }
  if (tag === "br" && html) {
    if (textRun) textRun.text += "\n";
    return;
  }
  const facts = styleOf(node, context.facts, tag, html);
  if (facts.none) {
    if (facts.outside) noteClosedHost(parent);
    return;
  }
  if (facts.mayHostShadow && isLikelyHost(node, facts)) noteClosedHost(node);
  visitRendered(node, facts, context, nesting);
};

// Without a role attribute the tag decides; for parts of tables also the ancestors of the walk.
/** @param {Element} element @param {string} tag @param {VisibilityContext} context */
const roleByTag = (element, tag, context) => {
  const contextual = BY_TAG[tag];
  if (contextual === undefined) return TAG_ROLES[tag] || "generic";
  if (context.table === null || ownersByElement.size !== 0) return roleOf(element);
  if (tag === "td") return cellRoleIn(context.table, context.role);
  if (tag === "tr") return TABLES.has(context.table) ? "row" : "generic";
  return tag === "a" || tag === "li" ? contextual(element) : roleOf(element);
};

/** @param {Element} element @param {VisibilityContext} inner @param {number} nesting @param {(() => void) | null} finish */
const walkThen = (element, inner, nesting, finish) => {
  if (finish === null) return;
  walkChildren(element, inner, nesting + 1);
  finish();
};

/** @param {Element} element @param {StyleRecord} facts @param {VisibilityContext} context @param {number} nesting */
export const visitRendered = (element, facts, context, nesting) => {
  const inner = enter(element, facts, context);
  noteSurface(element, facts, inner);
  const tag = facts.tag;
  if (tag === "input" && inputType(element) === "hidden") return;
  if (tag === "label" && facts.html) {
    const finishLabel = addLabelRows(/** @type {HTMLLabelElement} */ (element), facts, context, inner);
    if (finishLabel !== null) return walkThen(element, inner, nesting, finishLabel);
  }
  if (tag === "svg" && !context.pointer && !context.isInName && !facts.html && namespaceOf(element) === SVG)
    inner.shapes = hasPressableShapes(element);
  const kinds = kindsOf(element);
  const role = facts.html && !(kinds & ROLE) ? roleByTag(element, tag, context) : roleOf(element);
  inner.role = role;
  if (tag === "table" || TABLES.has(role)) inner.table = role;
  const strength = facts.visible ? pressStrength(element, role, facts, context) : 0;
  if (facts.breaks) breakText();
  else if (!facts.inline) separateText(" ");
  if (!facts.visible) walkChildren(element, inner, nesting + 1);
  else walkThen(element, inner, nesting, addElementRows(element, role, strength, facts, context, inner));
  if (tag === "img" && facts.visible && hasAttr(element, "usemap")) addAreaRows(element, context, inner);
  if (facts.breaks) breakText();
  else if (!facts.inline) separateText(" ");
};

const DEFAULT_CAPS = { nodes: 30000, children: 2500 };

const topModal = () => {
  const open = queryAll(document, "dialog:modal");
  if (!open.length) return null;
  for (const dialog of open) if (activeElement && containsNode(dialog, activeElement)) return dialog;
  return open[open.length - 1];
};
