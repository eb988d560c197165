// An aria snapshot: a tree of roles and names as YAML, in the form of Playwright, or as an outline.

import { attr, documentOrigin, isEditingHost, isTag, lowerCaseAttr } from "../dom/elements.js";
import { bodyOf, rectOf, rootElementOf } from "../dom/natives.js";
import { elementOfRef, refNumber } from "../dom/refs.js";
import { squash } from "../dom/text.js";
import { valueState } from "../roles/controls.js";
import { firstUnseen, markFor } from "../snapshot/lines.js";
import { beginPass } from "../snapshot/snapshot.js";
import { ariaTreeOf, isFrameWithContent, tellsMark } from "./aria_tree.js";

// Leaves out of an aria tree what says nothing: boxes around one element, pictures without a name, texts and names that
// are told twice.

/** @param {AriaChild[]} children */
const mergeTexts = (children) => {
  /** @type {AriaChild[]} */
  const merged = [];
  let text = "";
  const flush = () => {
    if (squash(text)) merged.push(squash(text));
    text = "";
  };
  for (const child of children) {
    if (typeof child === "string") text += child;
    else {
      flush();
      merged.push(child);
    }
  }
  flush();
  return merged;
};

/** @param {AriaChild} child */
const isNode = (child) => typeof child !== "string";

// Whether a press on it is not already one on what is around it.
/** @param {AriaNode} node @param {DistillingState} state */
const isOuterPressTarget = (node, state) =>
  node.number !== 0 && node.isPointer && !state.around.some((outer) => outer.number && outer.isPointer);

/** @param {AriaNode} node */
const isLeafOfText = (node) => node.role === "generic" && !node.children.some(isNode);

/** @param {AriaNode} node @param {DistillingState} state */
const enterNode = (node, state) => {
  if (!node.number) return;
  for (const source of node.sources) {
    const number = state.numbers.get(source);
    if (number && number !== node.number) state.awaited.add(number);
  }
  if (!(state.maxDepth && state.depth > state.maxDepth) && !isLeafOfText(node)) state.awaited.delete(node.number);
};

// A name that the elements inside tell all by themselves is left out.
/** @param {AriaNode} node @param {DistillingState} state */
const dropRepeatedName = (node, state) => {
  const numbers = node.sources
    .map((source) => state.numbers.get(source) || 0)
    .filter((each) => each && each !== node.number);
  if (!node.number || !numbers.length) return;
  if (numbers.every((number) => !state.awaited.has(number))) node.name = "";
  else for (const number of numbers) state.awaited.delete(number);
};

/** @param {AriaNode} node */
const takeOverText = (node) => {
  const [child] = node.children;
  if (node.role !== "generic" || node.properties.length || node.children.length !== 1 || typeof child === "string")
    return;
  const isBare = child.role === "generic" && !child.name && !child.isActive && !child.properties.length;
  if (isBare && child.children.length === 1 && !isNode(child.children[0])) node.children = child.children;
};

/** @param {AriaNode} node @param {AriaNode} parent */
const repeatsName = (node, parent) => {
  if (!parent.name || node.role !== "generic" || node.isActive || node.properties.length) return false;
  const only = node.children.length === 1 && !isNode(node.children[0]) ? node.children[0] : "";
  return (node.name ? (node.children.length ? "" : node.name) : only) === parent.name;
};

/** @param {AriaNode} node @param {DistillingState} state */
const isNeedlessBox = (node, state) => {
  if (node.role !== "generic" || node.name || node.children.length > 1) return false;
  if (!node.children.every((child) => typeof child !== "string" && child.number !== 0)) return false;
  return node.children.length > 0 || !isOuterPressTarget(node, state);
};

// What stands for a child of the last node in `state.around`.
/** @param {AriaChild} child @param {DistillingState} state @returns {AriaChild[]} */
const distilled = (child, state) => {
  if (typeof child === "string") return [child];
  state.depth += 1;
  enterNode(child, state);
  distilChildren(child, state);
  child.children = mergeTexts(child.children);
  if (child.children.length === 1 && child.children[0] === child.name) child.children = [];
  state.depth -= 1;
  const isEmptyPicture = child.role === "img" && !child.name && !child.children.length;
  if (isEmptyPicture && !isOuterPressTarget(child, state)) return [];
  dropRepeatedName(child, state);
  takeOverText(child);
  if (repeatsName(child, state.around[state.around.length - 1])) {
    if (child.number) state.awaited.add(child.number);
    return [];
  }
  return isNeedlessBox(child, state) ? child.children : [child];
};

/** @param {AriaNode} node @param {DistillingState} state */
const distilChildren = (node, state) => {
  state.around.push(node);
  node.children = node.children.flatMap((child) => distilled(child, state));
  state.around.pop();
};

/** @param {AriaNode} node @param {Map<Element, number>} numbers */
const collectNumbers = (node, numbers) => {
  if (node.number) numbers.set(node.element, node.number);
  for (const child of node.children) if (typeof child !== "string") collectNumbers(child, numbers);
  return numbers;
};

/** @param {AriaNode} top @param {number} maxDepth */
const distilAriaTree = (top, maxDepth) => {
  const state = { depth: -1, maxDepth, around: [], awaited: new Set(), numbers: collectNumbers(top, new Map()) };
  distilChildren(top, state);
  top.children = mergeTexts(top.children);
};

// Texts as YAML: in quotes where they would mean something else without.

const YAML_WORDS = new Set(["y", "n", "yes", "no", "true", "false", "on", "off", "null"]);
const YAML_SYNTAX = [
  /^\s|\s$/,
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/,
  /^-/,
  /[\n:](?:\s|$)/,
  /\s#/,
  /[\n\r]/,
  /^[&*\],?!>|@"'#%[]/,
  /[{}`]/,
];

/** @param {string} text */
const needsQuotes = (text) =>
  text === "" ||
  YAML_SYNTAX.some((syntax) => syntax.test(text)) ||
  !Number.isNaN(Number(text)) ||
  YAML_WORDS.has(text.toLowerCase());

/** @param {string} text */
const yamlKey = (text) => (needsQuotes(text) ? `'${text.replaceAll("'", "''")}'` : text);

/** @type {Record<string, string>} */
const YAML_ESCAPES = { "\\": "\\\\", '"': '\\"', "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** @param {string} character */
const escaped = (character) => YAML_ESCAPES[character] || `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;

/** @param {string} text */
const yamlValue = (text) =>
  needsQuotes(text) ? `"${text.replace(/[\\"\u0000-\u001f\u007f-\u009f]/g, escaped)}"` : text;

// An aria tree as an outline: role, quoted name and [attributes] of each element, nested by two spaces, without refs.

// Elements around texts and others that say nothing by themselves.
const SAY_NOTHING = new Set(["generic", "paragraph", "presentation", "rowgroup"]);
const LONGEST_OUTLINE_HREF = 200;

/** @param {AriaNode} node */
const saysNothing = (node) => SAY_NOTHING.has(node.role) && !node.name;

/** @param {string} states */
const outlineStates = (states) => Array.from(states.matchAll(/\[([^\]]+)\]/g), ([, state]) => state);

/** @param {AriaNode} node */
const outlineHref = (node) => {
  const href = node.role === "link" ? attr(node.element, "href") : null;
  return href ? [`href=${JSON.stringify(squash(href).slice(0, LONGEST_OUTLINE_HREF))}`] : [];
};

/** @param {AriaNode} node */
const isValueField = ({ element }) => isTag(element, "input") || isTag(element, "textarea");

const LONGEST_OUTLINE_VALUE = 300;

// The value of what is no field of HTML: a slider of ARIA, a progress bar, an editable element.
/** @param {AriaNode} node */
const ariaValue = ({ element, role }) => {
  const value = valueState(element, role, LONGEST_OUTLINE_VALUE).trim();
  return value ? [value + markFor(isEditingHost(element) ? firstUnseen([element]) : "")] : [];
};

// The texts that a field has as children are its value.
/** @param {AriaNode} node */
const outlineValue = (node) => {
  const { element } = node;
  if (!isTag(element, "select") && !isValueField(node)) return ariaValue(node);
  const chosen = isTag(element, "select") ? Array.from(element.selectedOptions, (option) => squash(option.text)) : [];
  const written = isValueField(node) ? node.children.filter((child) => typeof child === "string") : [];
  const value = [...chosen, ...written].join(", ");
  return value ? [`value=${JSON.stringify(value)}`] : [];
};

/** @param {AriaNode} node */
const outlineCurrent = ({ element }) => {
  const current = lowerCaseAttr(element, "aria-current");
  return current && current !== "false" ? ["current"] : [];
};

/** @param {AriaNode} node */
const outlineLine = (node) => {
  const attributes = [
    ...outlineHref(node),
    ...outlineStates(node.states),
    ...outlineValue(node),
    ...outlineCurrent(node),
  ];
  const name = node.name ? ` ${JSON.stringify(node.name)}` : "";
  const told = attributes.length ? ` [${attributes.join(", ")}]` : "";
  return `${node.role}${name}${told}${tellsMark(node) ? node.mark : ""}`;
};

// The children with those of elements that say nothing in their place.
/** @param {AriaChild[]} children @returns {AriaChild[]} */
const outlineChildren = (children) =>
  children.flatMap((child) =>
    typeof child !== "string" && saysNothing(child) ? outlineChildren(child.children) : [child],
  );

// Whether a text only repeats the name of the element beside it, as the text of a label does.
/** @param {AriaChild} child @param {AriaChild | undefined} beside */
const repeatsNeighbour = (child, beside) => typeof beside === "object" && beside.name === child;

/** @param {AriaNode} node @param {number} depth @param {AriaPage} page */
const addOutlineNode = (node, depth, page) => {
  if (isFrameWithContent(node)) page.frames.push([page.lines.length, depth, `e${refNumber(node.element)}`]);
  page.lines.push("  ".repeat(depth) + outlineLine(node));
  addOutline(isValueField(node) ? [] : node.children, depth + 1, page);
};

/** @param {AriaChild[]} children @param {number} depth @param {AriaPage} page */
const addOutline = (children, depth, page) => {
  const shown = outlineChildren(children);
  for (const [index, child] of shown.entries())
    if (typeof child !== "string") addOutlineNode(child, depth, page);
    else if (!repeatsNeighbour(child, shown[index + 1]) && !repeatsNeighbour(child, shown[index - 1]))
      page.lines.push(`${"  ".repeat(depth)}text ${JSON.stringify(child)}`);
};

const LONGEST_KEY_NAME = 900;

/** @param {number} depth */
const indent = (depth) => "  ".repeat(depth);

/** @param {AriaNode} node @param {AriaOptions} options @param {boolean} isInPointer */
const keyOf = (node, options, isInPointer) => {
  let key = node.role;
  if (node.name && node.name.length <= LONGEST_KEY_NAME) key += ` ${JSON.stringify(node.name)}`;
  key += node.states;
  if (node.number) key += ` [ref=${options.prefix || ""}e${node.number}]`;
  if (node.number && node.isPointer && !isInPointer) key += " [cursor=pointer]";
  if (options.boxes) key += boxWord(node.element);
  return tellsMark(node) ? key + node.mark : key;
};

/** @param {Element} element */
const boxWord = (element) => {
  const rect = rectOf(element);
  return ` [box=${[rect.x, rect.y, rect.width, rect.height].map(Math.round).join(",")}]`;
};

/** @param {AriaNode} node @param {number} depth @param {boolean} isInPointer @param {AriaPage} page */
const addLines = (node, depth, isInPointer, page) => {
  const key = `${indent(depth)}- ${yamlKey(keyOf(node, page.options, isInPointer))}`;
  if (isFrameWithContent(node)) page.frames.push([page.lines.length, depth, `e${refNumber(node.element)}`]);
  const [only] = node.children;
  const text = node.children.length === 1 && typeof only === "string" ? only : null;
  const children = page.options.depth && depth === page.options.depth && text === null ? [] : node.children;
  if (!node.properties.length && !children.length) page.lines.push(key);
  else if (!node.properties.length && text !== null) page.lines.push(`${key}: ${yamlValue(text)}`);
  else {
    page.lines.push(`${key}:`);
    for (const [name, value] of node.properties) page.lines.push(`${indent(depth + 1)}- /${name}: ${yamlValue(value)}`);
    addChildLines(children, depth + 1, isInPointer || (node.number !== 0 && node.isPointer), page);
  }
};

/** @param {AriaChild[]} children @param {number} depth @param {boolean} isInPointer @param {AriaPage} page */
const addChildLines = (children, depth, isInPointer, page) => {
  for (const child of children)
    if (typeof child === "string") page.lines.push(`${indent(depth)}- text: ${yamlValue(child)}`);
    else addLines(child, depth, isInPointer, page);
};

// The lines; of each frame, the line of its element, the depth, and the ref of the element; the origin.
/** @param {AriaOptions} options */
export const ariaSnapshot = (options) => {
  const root = options.root ? elementOfRef(options.root) : bodyOf(document) || rootElementOf(document);
  /** @type {AriaPage} */
  const page = { options, lines: [], frames: [], origin: documentOrigin() };
  if (!root) return page;
  beginPass({});
  const top = ariaTreeOf(root, Boolean(options.isOutline));
  distilAriaTree(top, options.depth || 0);
  if (options.isOutline) addOutline(top.children, 0, page);
  else addChildLines(top.children, 0, false, page);
  return page;
};
