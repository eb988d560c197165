// Attributes of elements, and the semantics that custom elements give themselves through their ElementInternals.

import { nativeGetAttribute, nativeHasAttribute, nativeHasAttributes } from "./natives.js";

// Most pages have none.
/** @type {Map<Element, Map<string, string>>} */
export let internalsSemantics = new Map();
export let hasInternals = false;

/** @param {Map<Element, Map<string, string>>} found */
export const setInternals = (found) => {
  internalsSemantics = found;
  hasInternals = found.size !== 0;
};

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
