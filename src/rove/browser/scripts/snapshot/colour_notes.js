// Colours that say something: swatches, status dots, and controls that only their colour tells from others beside them.

import { attr } from "../dom/attributes.js";
import { attributeNames, matchesSelector, parentNodeOf, rectOf } from "../dom/natives.js";
import { colourName, isVivid } from "../paint/colour_names.js";
import { contrast, parseColour } from "../visibility/colours.js";
import { PRESS, rows } from "./rows.js";

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
export const generatedSwatchText = (style) => {
  const background = parseColour(style.backgroundColor);
  if (!isVivid(background) || !hasDotShape(parseFloat(style.width), parseFloat(style.height))) return "";
  return `■ ${colourName(background)}`;
};

const DOT = /^\s*[●⬤◉■◼▪⏺•◆▲▼]\s*$/u;

// A coloured dot is a state, and its colour says which.
/** @param {string} text @param {StyleRecord} facts */
export const withDotColour = (text, facts) =>
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
