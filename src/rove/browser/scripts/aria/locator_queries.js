// The elements that a step of a Playwright locator means: by role, text, label, attribute or CSS.

import { attr, isTag } from "../dom/elements.js";
import {
  bodyOf,
  comesBefore,
  containsNode,
  isElement,
  isText,
  localNameOf,
  queryAll,
  textDataOf,
} from "../dom/natives.js";
import { squash } from "../dom/text.js";
import { allRoots, childListOf, idrefs, isWithin, parentElementOf, shadowOf } from "../dom/tree.js";
import { inputType } from "../roles/controls.js";
import { isWithinAriaHidden, labelsOf } from "../roles/labels.js";
import { ariaNameOf, ariaRoleOf, isHiddenForAria } from "./aria_tree.js";

// Within one call the page cannot change.
/** @type {Element[]} */
let allElements = [];
/** @type {Map<Node, string>} */
let fullTexts = new Map();

// The texts of the page that a step was tested with and that fit it, and those that fit none as they have a secret.
/** @type {Set<string>} */
let fittingTexts = new Set();
/** @type {Set<string>} */
let secretTexts = new Set();

export const textsThatFitted = () => [...fittingTexts];

/** @param {string[]} [secret] */
export const beginLocating = (secret = []) => {
  fittingTexts = new Set();
  secretTexts = new Set(secret);
  allElements = allRoots().flatMap((root) => [...queryAll(root, "*")]);
  if (allElements.some((element) => shadowOf(element)))
    allElements.sort((one, other) => (comesBefore(one, other) ? -1 : 1));
  fullTexts = new Map();
};

const TEXTLESS = new Set(["script", "noscript", "style"]);

/** @param {Node} node @returns {string} */
const rawTextOf = (node) => {
  const known = fullTexts.get(node);
  if (known !== undefined) return known;
  const text = readRawText(node);
  fullTexts.set(node, text);
  return text;
};

/** @param {any} node @returns {string} */
const readRawText = (node) => {
  if (isElement(node) && TEXTLESS.has(localNameOf(node))) return "";
  if (isElement(node) && isTag(node, "input"))
    return /^(?:submit|button|reset)$/.test(inputType(node)) ? node.value : "";
  const shadow = isElement(node) ? shadowOf(node) : null;
  return [...childListOf(node), ...(shadow ? childListOf(shadow) : [])]
    .map((child) => (isText(child) ? textDataOf(child) : isElement(child) ? rawTextOf(child) : ""))
    .join("");
};

/** @param {Element} element */
export const wholeTextOf = (element) => squash(rawTextOf(element).replace(/[\u200b\u00ad]/g, ""));

/** @param {string} text @param {LocatorStep} step */
const fitsStep = (text, step) => {
  if (secretTexts.has(text) || !fitsWanted(text, step)) return false;
  fittingTexts.add(text);
  return true;
};

/** @param {string} text @param {LocatorStep} step */
const fitsWanted = (text, step) => {
  if (step.isRegex) return new RegExp(step.text || "", step.flags || "").test(text);
  const wanted = squash(step.text || "");
  return step.exact ? text === wanted : text.toLowerCase().includes(wanted.toLowerCase());
};

// The smallest elements that have a text.
/** @param {Element} element @param {LocatorStep} step */
const isTextMatch = (element, step) =>
  !isInHead(element) &&
  fitsStep(wholeTextOf(element), step) &&
  !childListOf(shadowOf(element) || element).some((child) => isElement(child) && fitsStep(wholeTextOf(child), step));

/** @param {Element} element */
const isInHead = (element) => TEXTLESS.has(localNameOf(element)) || !isWithin(element, bodyOf(document) || element);

/** @param {Element} element @returns {string[]} */
export const labelTextsOf = (element) => {
  const named = idrefs(element, "aria-labelledby");
  if (named.length) return named.map(wholeTextOf);
  const label = attr(element, "aria-label");
  return label && label.trim() ? [squash(label)] : labelsOf(element).map(wholeTextOf);
};

/** @param {Element} element */
export const locatorRoleOf = (element) => {
  const role = ariaRoleOf(element);
  return role === "generic" || role === "none" ? "" : role;
};

/** @param {Element} element @param {LocatorStep} step */
const isRoleMatch = (element, step) =>
  locatorRoleOf(element) === step.role &&
  (step.text === undefined || fitsStep(ariaNameOf(element), step)) &&
  !isHiddenForAria(element, isWithinAriaHidden(element));

/** @type {Record<string, (element: Element, step: LocatorStep) => boolean>} */
const MATCHERS = {
  role: isRoleMatch,
  text: isTextMatch,
  label: (element, step) => labelTextsOf(element).some((/** @type {string} */ text) => fitsStep(text, step)),
  hasText: (element, step) => fitsStep(wholeTextOf(element), step),
  testid: (element, step) => attr(element, "data-testid") === step.text,
  placeholder: (element, step) =>
    fitsStep(squash(attr(element, "placeholder") || ""), step) && Boolean(attr(element, "placeholder")),
  alt: (element, step) => Boolean(attr(element, "alt")) && fitsStep(squash(attr(element, "alt") || ""), step),
  title: (element, step) => Boolean(attr(element, "title")) && fitsStep(squash(attr(element, "title") || ""), step),
};

/** @param {LocatorStep} step @returns {Element[]} */
const elementsOfStep = (step) => {
  if (step.kind !== "css") return allElements.filter((element) => MATCHERS[step.kind](element, step));
  const found = new Set(allRoots().flatMap((root) => [...queryAll(root, step.text || "")]));
  return allElements.filter((element) => found.has(element));
};

/** @param {Element} outer @param {Element} element */
export const isStrictlyInside = (outer, element) =>
  outer !== element && (containsNode(outer, element) || isWithin(element, outer));

// The elements that a chain of steps means, each step inside what the steps before mean.
/** @param {LocatorStep[]} steps @returns {Element[]} */
export const elementsOfSteps = (steps) => {
  /** @type {Element[] | null} */
  let found = null;
  for (const step of steps) {
    const before = /** @type {Element[] | null} */ (found);
    if (step.kind === "nth")
      found = (before || []).slice(step.index, step.index === -1 ? undefined : (step.index || 0) + 1);
    else if (step.kind === "hasText") found = (before || []).filter((element) => MATCHERS.hasText(element, step));
    else {
      const matches = elementsOfStep(step);
      found = before ? matches.filter((element) => hasAncestorIn(element, before)) : matches;
    }
  }
  return found || [];
};

/** @param {Element} element @param {Element[]} outer */
const hasAncestorIn = (element, outer) => {
  for (let node = parentElementOf(element); node; node = parentElementOf(node)) if (outer.includes(node)) return true;
  return false;
};
