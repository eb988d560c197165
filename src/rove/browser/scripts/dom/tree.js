// The flattened tree: the document as it is rendered, with shadow trees and slots.

import { areaAt } from "../visibility/image_maps.js";
import { elementsByOwner, ownersByElement } from "./id_references.js";
import {
  assignedNodesOf,
  firstChildOf,
  hostOf,
  isElement,
  localNameOf,
  nextSiblingOf,
  nodeTypeOf,
  parentNodeOf,
  queryAll,
  slotOfElement,
  slotOfText,
} from "./natives.js";
import { noteShadow, shadowOf } from "./shadow_roots.js";

// The children in the flattened tree; null where they are the same as in the document.
/** @param {Element} element @returns {Node[] | null} */
export const flattenedChildren = (element) => {
  const children = shadowChildren(element);
  const adopted = elementsByOwner.size ? elementsByOwner.get(element) : undefined;
  return adopted ? (children || childListOf(element)).concat(adopted) : children;
};

/** @param {Element} element @returns {Node[] | null} */
export const shadowChildren = (element) => {
  const shadow = shadowOf(element);
  if (shadow) return childListOf(shadow);
  if (localNameOf(element) !== "slot" || !(element instanceof HTMLSlotElement)) return null;
  const assigned = assignedNodesOf(element);
  return assigned.length ? assigned : null;
};

/** @param {Node} node @returns {Node[]} */
export const childListOf = (node) => {
  const list = [];
  for (let child = firstChildOf(node); child; child = nextSiblingOf(child)) list.push(child);
  return list;
};

// What an element shows as its children: those of its shadow tree, and what is slotted in place of each slot.
/** @param {Element} element @returns {Node[]} */
export const shownChildren = (element) =>
  (shadowChildren(element) || childListOf(element)).flatMap((child) =>
    isElement(child) && localNameOf(child) === "slot" ? shownChildren(child) : [child],
  );

// The nodes inside an element, also those that are slotted or in shadow trees; at most about `limit` of them.
/** @param {Element} element @param {number} limit @param {Node[]} [found] */
export const shownNodesIn = (element, limit, found = []) => {
  for (const child of shownChildren(element)) {
    if (found.length > limit) break;
    found.push(child);
    if (isElement(child)) shownNodesIn(child, limit, found);
  }
  return found;
};

/** @param {Node} node @returns {Element | null} */
export const flattenedParent = (node) => {
  const parent = parentNodeOf(node);
  if (!parent) return null;
  const type = nodeTypeOf(parent);
  if (type === 11) {
    noteShadow();
    return parent instanceof ShadowRoot ? hostOf(parent) : null;
  }
  if (type !== 1) return null;
  // Only children of a shadow host have another parent in the flattened tree.
  if (!shadowOf(parent)) return parent;
  return (isElement(node) ? slotOfElement(node) : slotOfText(/** @type {Text} */ (node))) || parent;
};

/** @param {Node} element @returns {Element | null} */
export const parentElementOf = (element) => {
  const parent = flattenedParent(element);
  return parent && isElement(parent) ? parent : null;
};

// The parent in the accessibility tree: the element that owns it, else its parent.
/** @param {Element} element */
export const ownerOrParentOf = (element) =>
  (ownersByElement.size !== 0 && ownersByElement.get(element)) || parentElementOf(element);

const MAX_PATH = 400;

/** @param {Node} node @returns {any[]} */
export const pathOf = (node) => {
  const path = [];
  for (let step = /** @type {Node | null} */ (node); step && path.length < MAX_PATH; step = flattenedParent(step))
    path.push(step);
  return path.reverse();
};

// More than Chromium nests when it parses; only scripts make deeper trees.
export const MAX_NESTING = 600;

export const allRoots = () => {
  const roots = [document];
  for (let i = 0; i < roots.length && i < 2000; i++) {
    for (const element of queryAll(roots[i], "*")) {
      const shadow = shadowOf(element);
      if (shadow) roots.push(shadow);
    }
  }
  return roots;
};

export const everyElement = function* () {
  for (const root of allRoots()) yield* queryAll(root, "*");
};

/** @param {Node | null} node @param {Element} ancestor */
export const isWithin = (node, ancestor) => {
  for (let current = /** @type {Node | null} */ (node); current; current = flattenedParent(current))
    if (current === ancestor) return true;
  return false;
};

// The element that a press at a point would hit, also inside shadow trees.
/** @param {number} x @param {number} y */
export const deepestAt = (x, y) => {
  let hit = document.elementFromPoint(x, y);
  while (hit) {
    const shadow = shadowOf(hit);
    const inner = shadow && shadow.elementFromPoint(x, y);
    if (!inner || inner === hit) return hit.matches("img[usemap]") ? areaAt(hit, x, y) || hit : hit;
    hit = inner;
  }
  return hit;
};
