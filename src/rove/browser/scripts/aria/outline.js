// An aria tree as an outline: role, quoted name and [attributes] of each element, nested by two spaces, without refs.

import { attr, lowerCaseAttr } from "../dom/attributes.js";
import { isEditingHost, isTag } from "../dom/elements.js";
import { refNumber } from "../dom/refs.js";
import { squash } from "../dom/text.js";
import { valueState } from "../roles/values.js";
import { firstUnseen, markFor } from "../snapshot/lines.js";
import { isFrameWithContent, tellsMark } from "./aria_marks.js";

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
export const addOutline = (children, depth, page) => {
  const shown = outlineChildren(children);
  for (const [index, child] of shown.entries())
    if (typeof child !== "string") addOutlineNode(child, depth, page);
    else if (!repeatsNeighbour(child, shown[index + 1]) && !repeatsNeighbour(child, shown[index - 1]))
      page.lines.push(`${"  ".repeat(depth)}text ${JSON.stringify(child)}`);
};
