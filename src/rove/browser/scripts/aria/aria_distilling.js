// Leaves out of an aria tree what says nothing: boxes around one element, pictures without a name, texts and names that
// are told twice.

import { squash } from "../dom/text.js";

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
export const distilAriaTree = (top, maxDepth) => {
  const state = { depth: -1, maxDepth, around: [], awaited: new Set(), numbers: collectNumbers(top, new Map()) };
  distilChildren(top, state);
  top.children = mergeTexts(top.children);
};
