// Native labels: the element or attribute of HTML that names an element.

import { attr } from "../dom/attributes.js";
import { firstChildTag, isHtml, isTag } from "../dom/elements.js";
import { elementById } from "../dom/id_references.js";
import {
  childCountOf,
  firstChildOf,
  isText,
  localNameOf,
  nextSiblingOf,
  nodeTypeOf,
  parentNodeOf,
  queryAll,
  rootNodeOf,
  textDataOf,
} from "../dom/natives.js";

export const LABELABLE = /^(?:button|input|meter|output|progress|select|textarea)$/;

// element.labels searches the whole document for every control, so the labels of a tree are collected once per pass.
let labelIndexes = new Map();

export const resetLabels = () => {
  labelIndexes = new Map();
};

/** @param {Document | DocumentFragment} root */
const labelIndex = (root) => {
  let index = labelIndexes.get(root);
  if (index) return index;
  index = new Map();
  for (const label of queryAll(root, "label")) {
    const control = /** @type {HTMLLabelElement} */ (label).control || customControlOf(label);
    if (!control) continue;
    if (index.has(control)) index.get(control).push(label);
    else index.set(control, [label]);
  }
  labelIndexes.set(root, index);
  return index;
};

// Only its ElementInternals tell whether a custom element is labelable; a label that refers to it by id suggests it.
/** @param {Element} label */
const customControlOf = (label) => {
  const id = attr(label, "for");
  const target = id ? elementById(label, id) : null;
  return target && localNameOf(target).includes("-") ? target : null;
};

/** @param {Element} element */
export const labelsOf = (element) => {
  if (!isHtml(element) || !(LABELABLE.test(localNameOf(element)) || localNameOf(element).includes("-"))) return [];
  const root = rootNodeOf(element);
  if (nodeTypeOf(root) === 1) return [];
  return labelIndex(root).get(element) || [];
};

// The element whose text names a container in HTML: legend or caption.
/** @param {Element} element */
export const captionOf = (element) => {
  switch (localNameOf(element)) {
    case "fieldset":
      return firstChildTag(element, "legend");
    case "table":
      return firstChildTag(element, "caption");
    default:
      return null;
  }
};

// The caption of a figure that contains nothing but one picture names the picture.
/** @param {Element} image */
export const figureCaptionOf = (image) => {
  const figure = parentNodeOf(image);
  if (!figure || nodeTypeOf(figure) !== 1 || !isTag(figure, "figure") || childCountOf(figure) !== 2) return null;
  for (let child = firstChildOf(figure); child; child = nextSiblingOf(child)) {
    if (isText(child) && textDataOf(child).trim()) return null;
  }
  return firstChildTag(figure, "figcaption");
};
