// Text on its way into rows: text nodes, generated content, list markers and colours that stand for text.

import { attr } from "../dom/elements.js";
import { attributeNames, matchesSelector, parentNodeOf, rectOf, textDataOf } from "../dom/natives.js";
import { clip, collapse, MAX_NAME, squash } from "../dom/text.js";
import { generatedPart, hasAlternative, isBlockish, markerText, parseContent } from "../roles/generated_content.js";
import { clippedParts } from "../visibility/clipping.js";
import { colourName, contrast, isVivid, parseColour } from "../visibility/colours.js";
import { PARTLY_CLIPPED, RANGE, unseenGenerated, unseenPseudo, unseenText } from "../visibility/text_visibility.js";
import { viewOf } from "../visibility/viewport.js";
import { noteUnseen } from "./row_parts.js";
import { addCutOffText, addText, longestText, PRESS, rows, separateText, textRun } from "./rows.js";

// Colours that say something: swatches, status dots, and controls that only their colour tells from others beside them.

const MIN_SIDE = 5;
const MAX_SIDE = 64;

/** @param {number} width @param {number} height */
const hasDotShape = (width, height) =>
  Math.min(width, height) >= MIN_SIDE &&
  Math.max(width, height) <= MAX_SIDE &&
  Math.max(width, height) <= Math.min(width, height) * 3;

// The text for an empty element that is a small coloured box; empty for any other.
/** @param {Element} element @param {VisibilityContext} context */
export const swatchText = (element, context) => {
  const { background, backgroundImage, html } = context.facts;
  if (!html || backgroundImage || !isVivid(background)) return "";
  const rect = rectOf(element);
  return hasDotShape(rect.width, rect.height) ? `■ ${colourName(background)}` : "";
};

/** @param {CSSStyleDeclaration} style */
const generatedSwatchText = (style) => {
  const background = parseColour(style.backgroundColor);
  if (!isVivid(background) || !hasDotShape(parseFloat(style.width), parseFloat(style.height))) return "";
  return `■ ${colourName(background)}`;
};

const DOT = /^\s*[●⬤◉■◼▪⏺•◆▲▼]\s*$/u;

// A coloured dot is a state, and its colour says which.
/** @param {string} text @param {StyleRecord} facts */
const withDotColour = (text, facts) =>
  text.length < 9 && DOT.test(text) && isVivid(facts.colour) ? `${text.trim()} ${colourName(facts.colour)} ` : text;

const MIN_GROUP = 3;
const STATED = / (?:checked|selected|pressed|current|disabled|expanded)\b/;
const MIN_DIFFERENCE = 1.15;

/** @param {Row} row */
const mayTellByColour = (row) => row.background !== undefined && row.naming?.name && !STATED.test(row.line);

// Controls by their parent, where there are several.
const siblingRows = () => {
  /** @type {Map<Node, Row[]>} */
  const groups = new Map();
  for (const row of rows) {
    const parent = row.flags & PRESS && row.element ? parentNodeOf(row.element) : null;
    if (!parent) continue;
    const known = groups.get(parent);
    if (known) known.push(row);
    else groups.set(parent, [row]);
  }
  return [...groups.values()].filter((group) => group.length >= MIN_GROUP);
};

// The rows whose background is not the usual one of their group. Lists with stripes of grey have no usual one.
/** @param {Row[]} group */
const oddRows = (group) => {
  /** @type {Map<string, Row[]>} */
  const byColour = new Map();
  for (const row of group) {
    const key = String(row.background);
    byColour.set(key, [...(byColour.get(key) || []), row]);
  }
  const [usual, ...others] = [...byColour.values()].sort((a, b) => b.length - a.length);
  const odd = others.flat();
  const isStriped = odd.length * 2 > usual.length && ![...odd, usual[0]].some(hasVividBackground);
  if (usual.length < 2 || isStriped) return [];
  return odd.filter((row) => isOtherColour(row, usual[0]) && !isColouredByPointer(row, usual));
};

const POINTED = ":hover, :active, :focus, :focus-within";
const POINTER_WORD = /hover|focus/i;
const STATE_ATTRIBUTE = /^(?:style|data-.*(?:state|active|selected|checked|current|pressed|on))$/;

// The attributes with which pages style a state: its classes first of all.
/** @param {Row} row */
const stylingOf = ({ element }) => {
  if (!element) return "";
  const classes = (attr(element, "class") || "").split(/\s+/).filter((word) => !POINTER_WORD.test(word));
  const states = attributeNames(element).filter((name) => STATE_ATTRIBUTE.test(name));
  return [...classes.sort(), ...states.map((name) => `${name}=${attr(element, name)}`).sort()].join();
};

// Whether the colour comes from the pointer or the focus: nothing else tells the element from a usual one.
/** @param {Row} row @param {Row[]} usual */
const isColouredByPointer = (row, usual) => {
  if (!row.element || !matchesSelector(row.element, POINTED)) return false;
  const styling = stylingOf(row);
  return usual.some((other) => stylingOf(other) === styling);
};

/** @param {Row} row */
const hasVividBackground = (row) => isVivid(/** @type {Colour} */ (row.background));

/** @param {Row} row @param {Row} other */
const isOtherColour = (row, other) =>
  contrast(/** @type {Colour} */ (row.background), /** @type {Colour} */ (other.background)) > MIN_DIFFERENCE ||
  hasVividBackground(row) !== hasVividBackground(other);

// Where most controls of a group have the same background, that of the others is said: it may be a state.
export const markOddColours = () => {
  for (const siblings of siblingRows()) {
    const group = siblings.filter(mayTellByColour);
    if (group.length < MIN_GROUP || group.some((row) => row.role !== group[0].role)) continue;
    for (const row of oddRows(group)) row.marks += ` (${colourName(/** @type {Colour} */ (row.background))})`;
  }
};

// `node` is a text node, or an element that contains only text.
/** @param {Node} node @param {string} data @param {VisibilityContext} context */
export const visitText = (node, data, context) => {
  if (context.isInName) return noteTextInName(data, node, context);
  if (!context.seen) return;
  const facts = context.facts;
  const blank = !data.trim();
  if (blank && !facts.keepsLines) {
    if (textRun !== null && data) separateText(" ");
    return;
  }
  const reason = unseenText(node, context);
  const long = data.length > longestText * 3 ? clip(data, longestText * 3) : data;
  const run = addShownText(node, long, context, reason);
  if (long !== data) run.dropped = (run.dropped || 0) + data.length - long.length;
  if (facts.keepsSpaces) run.preformatted = true;
  if (context.inView === 1) run.inView = true;
  else if (context.inView === 0 && !run.inView) run.inView = isTextInView(node);
};

// Adds text that is partly cut off by the box around it as what is shown and what is not.
/** @param {Node} node @param {string} data @param {VisibilityContext} context @param {string} reason */
const addShownText = (node, data, context, reason) => {
  if (reason === PARTLY_CLIPPED && context.namer) noteClippedParts(context.namer, node, context, true);
  else if (reason && context.namer) noteUnseen(context.namer, reason, squash(clip(data, 300)), true);
  if (reason === "clipped") return addCutOffText(laidOut(data, context.facts), context, node);
  const parts = reason === PARTLY_CLIPPED ? clippedParts(node, context) : null;
  if (parts === null) return addText(laidOut(data, context.facts), context, reason, node);
  let run = null;
  for (const { text, isSeen } of parts) {
    const shown = laidOut(text, context.facts);
    run = isSeen ? addText(shown, context, "", node) : addCutOffText(shown, context, node);
  }
  return /** @type {TextRun} */ (run);
};

// The text as its element lays it out: with or without its spaces and line breaks, or as dots.
/** @param {string} data @param {StyleRecord} facts */
const laidOut = (data, facts) => {
  const text = facts.keepsLines ? (facts.keepsSpaces ? data : data.replace(/[ \t]+/g, " ")) : collapse(data);
  return facts.masksText ? "•".repeat(text.length) : withDotColour(text, facts);
};

/** @param {Node} node */
const isTextInView = (node) => {
  RANGE.selectNodeContents(node);
  return viewOf(RANGE.getBoundingClientRect()) !== 2;
};

// The text is already in the name of the row; parts of it that are not visible are collected for its mark.
/** @param {string} data @param {Node} node @param {VisibilityContext} context */
const noteTextInName = (data, node, context) => {
  if (!context.owner || !data.trim()) return;
  const owner = context.owner;
  if (context.displaced || context.sunken) owner.displaced = true;
  if (!context.seen) return;
  const reason = unseenText(node, context);
  if (context.inert && context.inert !== owner.inert && !reason)
    owner.inertText = (owner.inertText || "") + " " + clip(data, 200);
  else if (reason === PARTLY_CLIPPED) noteClippedParts(owner, node, context);
  else if (reason) noteUnseen(owner, reason, squash(clip(data, 300)));
  else noteSeen(owner, data, context.struck);
};

/** @param {NameOwner} owner @param {string} data @param {boolean} struck */
const noteSeen = (owner, data, struck) => {
  owner.hasSeenText = true;
  if (!struck) {
    owner.hasUnstruckText = true;
    return;
  }
  owner.struckText ??= [];
  owner.struckText.push(squash(clip(data, 300)));
};

/** @param {NameOwner} owner @param {Node} node @param {VisibilityContext} context @param {boolean} [hasRow] */
const noteClippedParts = (owner, node, context, hasRow) => {
  const parts = clippedParts(node, context);
  if (parts === null) return noteUnseen(owner, PARTLY_CLIPPED, squash(clip(textDataOf(node), 300)), hasRow);
  for (const { text, isSeen } of parts) {
    if (!isSeen) noteUnseen(owner, "clipped", squash(clip(text, MAX_NAME)), hasRow);
    else if (text.trim()) noteSeen(owner, text, context.struck);
  }
};

/** @param {Element} element @param {string} which @param {VisibilityContext} context */
export const addPseudo = (element, which, context) => {
  if (!context.seen) return;
  const style = getComputedStyle(element, which);
  if (style.display === "none" || style.visibility !== "visible") return;
  /** @param {boolean} isSeen */
  const textOf = (isSeen) => parseContent(style.content, isSeen, (part) => generatedPart(part, element, which));
  const text = textOf(true);
  if (hasAlternative(style.content)) noteAlternative(textOf(false), text, context);
  // Icon fonts use the private use area, which means nothing as text.
  if (!/[^\s\uE000-\uF8FF]/.test(text)) return addSwatch(generatedSwatchText(style), context);
  const reason = unseenGenerated(element, which, style, text, context);
  if (context.isInName) {
    if (reason && context.owner) noteUnseen(context.owner, reason, squash(text));
    return;
  }
  if (isBlockish(style.display)) separateText(" ");
  addText(text, context, reason);
  if (isBlockish(style.display)) separateText(" ");
};

// The generated text that a person sees before or after an element; "" if there is none.
/** @param {Element} element @param {string} which @param {VisibilityContext} context */
export const seenGeneratedText = (element, which, context) => {
  if (!context.seen) return "";
  const style = getComputedStyle(element, which);
  if (style.display === "none" || style.visibility !== "visible") return "";
  const text = parseContent(style.content, true, (part) => generatedPart(part, element, which));
  if (!/[^\s\uE000-\uF8FF]/.test(text) || unseenGenerated(element, which, style, text, context)) return "";
  return isBlockish(style.display) ? ` ${text} ` : text;
};

// Alternative text of generated content: screen readers speak it, but it is not visible.
/** @param {string} text @param {string} shown @param {VisibilityContext} context */
const noteAlternative = (text, shown, context) => {
  if (!text.trim() || text === shown) return;
  if (!context.isInName) addText(text, context, "screen-reader text");
  else if (context.owner) noteUnseen(context.owner, "screen-reader text", squash(text));
};

/** @param {Element} element @param {VisibilityContext} context */
export const addMarker = (element, context) => {
  const text = squash(markerText(element, context.facts.marker));
  if (text) addText(text + " ", context, unseenPseudo(getComputedStyle(element, "::marker"), context, element));
};

// The colour of a small empty box: as text, or for the control that contains it.
/** @param {string} text @param {VisibilityContext} context */
export const addSwatch = (text, context) => {
  if (!text || !context.seen || context.reason) return;
  if (!context.isInName) {
    separateText(" ");
    addText(text, context, "");
    separateText(" ");
  } else if (context.owner) {
    context.owner.colours ??= [];
    context.owner.colours.push(text);
  }
};
