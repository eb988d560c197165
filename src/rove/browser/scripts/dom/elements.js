// What elements are: their attributes, the semantics that custom elements give themselves, and their kinds.

import { INTERNALS_ANSWER, INTERNALS_QUESTION } from "../main_world/event_names.js";
import {
  attributeNames,
  checkVisibility,
  firstElementOf,
  localNameOf,
  namespaceOf,
  nativeGetAttribute,
  nativeHasAttribute,
  nativeHasAttributes,
  nextElementOf,
  nodeTypeOf,
  parentNodeOf,
  textContentOf,
} from "./natives.js";
import { clip, squash } from "./text.js";

// Most pages have none.
/** @type {Map<Element, Map<string, string>>} */
export let internalsSemantics = new Map();
export let hasInternals = false;

/** @param {Element} element @param {string} name */
const internalsAttribute = (element, name) => internalsSemantics.get(element)?.get(name) ?? null;

/** @param {Element} element @param {string} name */
export const attr = (element, name) => {
  const value = nativeGetAttribute.call(element, name);
  return value !== null || !hasInternals ? value : internalsAttribute(element, name);
};

// For attributes whose values are compared without regard to case.
/** @param {Element} element @param {string} name */
export const lowerCaseAttr = (element, name) => {
  const value = attr(element, name);
  return value === null ? null : value.toLowerCase();
};

/** @param {Element} element @param {string} name */
export const hasAttr = (element, name) =>
  nativeHasAttribute.call(element, name) || (hasInternals && internalsAttribute(element, name) !== null);

/** @param {Element} element */
export const hasAnyAttribute = (element) =>
  nativeHasAttributes.call(element) || (hasInternals && internalsSemantics.has(element));

// Kinds of attributes that an element has, found in one native call: most elements have none that matter.

export const ARIA = 1;
export const ROLE = 2;
export const CLICK_HANDLER = 4;
export const TABINDEX = 8;
export const EDITABLE = 16;
export const PRESENTATIONAL = 32;
export const TITLE = 64;
export const INERT = 128;
export const FIELD_STATE = 256;
export const CELL_STATE = 512;

export const ATTRIBUTE_KINDS = new Map([
  ["role", ROLE],
  ["tabindex", TABINDEX],
  ["contenteditable", EDITABLE],
  ["draggable", EDITABLE],
  ["title", TITLE],
  ["inert", INERT],
]);

for (const name of [
  "onclick",
  "onmousedown",
  "onmouseup",
  "onpointerdown",
  "onpointerup",
  "ondblclick",
  "ontouchstart",
  "ng-click",
  "@click",
  "v-on:click",
  "jsaction",
])
  ATTRIBUTE_KINDS.set(name, CLICK_HANDLER);

// These change the style of an element without any style sheet.
for (const name of [
  "hidden",
  "open",
  "bgcolor",
  "color",
  "size",
  "width",
  "height",
  "align",
  "dir",
  "face",
  "disabled",
  "multiple",
  "controls",
  "background",
  "border",
  "nowrap",
  "start",
])
  ATTRIBUTE_KINDS.set(name, PRESENTATIONAL);

// A popover has at least the role of a group.
ATTRIBUTE_KINDS.set("popover", PRESENTATIONAL | ROLE);
for (const name of ["required", "readonly", "placeholder", "popovertarget", "commandfor"])
  ATTRIBUTE_KINDS.set(name, FIELD_STATE);

// With one of these a cell has more to tell than its text.
for (const name of ["busy", "current", "disabled", "expanded", "invalid", "label", "selected", "sort"])
  ATTRIBUTE_KINDS.set("aria-" + name, ARIA | CELL_STATE);

/** @type {Element | null} */
let kindsFor = null;
let kindsFound = 0;

/** @param {Element | null} element @param {number} kinds */
export const rememberKinds = (element, kinds) => {
  kindsFor = element;
  kindsFound = kinds;
};

/** @param {Element} element */
export const kindsOf = (element) => {
  if (element === kindsFor) return kindsFound;
  let kinds = 0;
  if (hasAnyAttribute(element)) {
    for (const name of attributeNames(element)) {
      kinds |= ATTRIBUTE_KINDS.get(name) || (name.startsWith("aria-") ? ARIA : 0);
    }
    if (hasInternals && internalsSemantics.has(element)) kinds |= ARIA | ROLE | CELL_STATE;
  }
  rememberKinds(element, kinds);
  return kinds;
};

// Semantics that custom elements give themselves through ElementInternals, collected from the script in the page's main
// world. They count like attributes where the attribute is not set: a page could set the attribute as well.

const MAX_INTERNALS = 2000;
const SEMANTIC_ATTRIBUTE = /^(?:role|aria-[a-z]+)$/;

let received = new Map();

/** @param {CustomEvent} event */
const receiveInternals = (event) => {
  const host = event.composedPath()[0];
  if (received.size >= MAX_INTERNALS || typeof event.detail !== "string" || !(host instanceof Element)) return;
  const { tag, ...values } = JSON.parse(event.detail);
  // An event from inside a closed shadow tree seems to come from its host.
  if (tag !== localNameOf(host)) return;
  const kept = new Map();
  for (const [name, value] of Object.entries(values))
    if (SEMANTIC_ATTRIBUTE.test(name) && typeof value === "string") kept.set(name, clip(value, 1000));
  if (kept.size) received.set(host, kept);
};

// Answers arrive synchronously while the question is dispatched.
export const collectInternals = () => {
  received = new Map();
  globalThis.addEventListener(INTERNALS_ANSWER, /** @type {any} */ (receiveInternals), true);
  globalThis.dispatchEvent(new CustomEvent(INTERNALS_QUESTION));
  globalThis.removeEventListener(INTERNALS_ANSWER, /** @type {any} */ (receiveInternals), true);
  internalsSemantics = received;
  hasInternals = received.size !== 0;
};

// Kinds of elements: namespaces, tags, and tags that are never rendered.

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
