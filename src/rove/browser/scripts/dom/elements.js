// Kinds of elements: namespaces, tags, and tags that are never rendered.

import { attr } from "./attributes.js";
import {
  checkVisibility,
  firstElementOf,
  localNameOf,
  namespaceOf,
  nextElementOf,
  nodeTypeOf,
  parentNodeOf,
  textContentOf,
} from "./natives.js";
import { squash } from "./text.js";

export const HTML = "http://www.w3.org/1999/xhtml";
export const SVG = "http://www.w3.org/2000/svg";
export const MATHML = "http://www.w3.org/1998/Math/MathML";
/** @param {Element} element */
export const isHtml = (element) => namespaceOf(element) === HTML;
/** @template {keyof HTMLElementTagNameMap} K @param {Element} element @param {K} name @returns {element is HTMLElementTagNameMap[K]} */
export const isTag = (element, name) => localNameOf(element) === name && isHtml(element);

/** @param {Element} element */
export const isDetailsSummary = (element) => {
  const parent = parentNodeOf(element);
  if (!parent || nodeTypeOf(parent) !== 1 || !isTag(parent, "details")) return false;
  for (let child = firstElementOf(parent); child; child = nextElementOf(child)) {
    if (localNameOf(child) === "summary") return child === element;
  }
  return false;
};

/** @param {Element} element @param {string} tag */
export const svgChildOf = (element, tag) => {
  for (let child = firstElementOf(element); child; child = nextElementOf(child)) {
    if (localNameOf(child) === tag) return child;
  }
  return null;
};

/** @param {Element} element @param {keyof HTMLElementTagNameMap} tag */
export const firstChildTag = (element, tag) => {
  for (let child = firstElementOf(element); child; child = nextElementOf(child)) {
    if (isTag(child, tag)) return child;
  }
  return null;
};

/** @param {Element} element */
export const isRendered = (element) =>
  checkVisibility(element, { visibilityProperty: true, contentVisibilityAuto: false });

// Never rendered.
export const NOT_RENDERED_TAGS = [
  "script",
  "style",
  "template",
  "noscript",
  "head",
  "meta",
  "link",
  "title",
  "base",
  "col",
  "colgroup",
  "source",
  "track",
  "param",
  "datalist",
  "rp",
];

/** @param {Element} element @param {string} tag */
export const svgTextOf = (element, tag) => {
  const found = svgChildOf(element, tag);
  return found ? squash(textContentOf(found)) : "";
};

/** @param {Element} element */
export const isEditingHost = (element) => {
  const value = attr(element, "contenteditable");
  return value !== null && value.toLowerCase() !== "false" && isHtml(element);
};

export const SVG_SKIPPED = new Set([
  "defs",
  "title",
  "desc",
  "metadata",
  "style",
  "script",
  "symbol",
  "clipPath",
  "mask",
  "linearGradient",
  "radialGradient",
  "filter",
  "pattern",
  "marker",
]);

export const FRAMES = "iframe, frame, object, embed";

// Whose words a document is. A sandboxed document has an opaque origin, `null`, but its words are those of the server at
// its address; and only the page around it can write `about:srcdoc`.
export const documentOrigin = () => {
  if (self.origin !== "null") return self.origin;
  if (location.origin !== "null") return location.origin;
  const isWrittenAround = location.href === "about:srcdoc" && location.ancestorOrigins.length > 0;
  return isWrittenAround ? location.ancestorOrigins[0] : "null";
};
