// An aria snapshot: a tree of roles and names as YAML, in the form of Playwright.

import { documentOrigin } from "../dom/elements.js";
import { bodyOf, rectOf, rootElementOf } from "../dom/natives.js";
import { elementOfRef, refNumber } from "../dom/refs.js";
import { beginPass } from "../snapshot/snapshot.js";
import { distilAriaTree } from "./aria_distilling.js";
import { isFrameWithContent, tellsMark } from "./aria_marks.js";
import { ariaTreeOf } from "./aria_tree.js";
import { addOutline } from "./outline.js";
import { yamlKey, yamlValue } from "./yaml.js";

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
