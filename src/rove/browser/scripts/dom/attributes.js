// Attributes of elements, and the semantics that custom elements give themselves through their ElementInternals.

import { nativeGetAttribute, nativeHasAttribute, nativeHasAttributes } from "./natives.js";

// Most pages have none.
export let internalsSemantics = new Map();
export let hasInternals = false;

export const setInternals = (found) => {
  internalsSemantics = found;
  hasInternals = found.size !== 0;
};

const internalsAttribute = (element, name) => internalsSemantics.get(element)?.get(name) ?? null;

export const attr = (element, name) => {
  const value = nativeGetAttribute.call(element, name);
  return value !== null || !hasInternals ? value : internalsAttribute(element, name);
};

// For attributes whose values are compared without regard to case.
export const lowerCaseAttr = (element, name) => {
  const value = attr(element, name);
  return value === null ? null : value.toLowerCase();
};

export const hasAttr = (element, name) =>
  nativeHasAttribute.call(element, name) || (hasInternals && internalsAttribute(element, name) !== null);

export const hasAnyAttribute = (element) =>
  nativeHasAttributes.call(element) || (hasInternals && internalsSemantics.has(element));
