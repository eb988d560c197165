// What an element sends or opens when it is pressed, or when a key activates it, by the markup of the page.

import { withElement } from "../acting/element_calls.js";
import { pressPoint } from "../acting/hit_testing.js";
import { isTag } from "../dom/elements.js";
import { localNameOf, nativeGetAttribute, reader } from "../dom/natives.js";
import { deepestAt, flattenedParent, isWithin } from "../dom/tree.js";
import { formOwnerOf, frameName, implicitSubmission, isSubmitter, resolved, submissionOf } from "./submissions.js";

const XLINK = "http://www.w3.org/1999/xlink";
const nativeGetAttributeNS = Element.prototype.getAttributeNS;
const controlOf = reader(HTMLLabelElement.prototype, "control");
const SCRIPT = /^\s*javascript:/i;
const LONGEST_SCRIPT = 2000;

/** @param {Element} element @returns {string | null} */
const addressOf = (element) => {
  const name = localNameOf(element);
  if (name !== "a" && name !== "area") return null;
  return nativeGetAttribute.call(element, "href") ?? nativeGetAttributeNS.call(element, XLINK, "href");
};

/** @param {Element} element @param {string} address */
const linkTo = (element, address) => {
  const url = resolved(address, element);
  if (SCRIPT.test(url)) return { kind: "script", name: url.slice(0, LONGEST_SCRIPT) };
  return { kind: "link", url, target: frameName(nativeGetAttribute.call(element, "target")) };
};

// Null where nothing is known; undefined where the element around it may be what reacts.
/** @param {Element} element */
const ownConsequence = (element) => {
  const address = addressOf(element);
  if (address !== null) return linkTo(element, address);
  if (isTag(element, "label")) {
    const control = controlOf(/** @type {HTMLLabelElement} */ (element));
    return control ? submissionBy(control) : undefined;
  }
  return isTag(element, "button") || isTag(element, "input") ? submissionBy(element) : undefined;
};

/** @param {Element} control */
const submissionBy = (control) => {
  const form = isSubmitter(control) ? formOwnerOf(control) : null;
  return form ? submissionOf(form, control) : null;
};

/** @param {Element | null} element */
const pressedConsequence = (element) => {
  for (let around = element; around; around = flattenedParent(around)) {
    const found = ownConsequence(around);
    if (found !== undefined) return found;
  }
  return null;
};

// The press goes to what lies at the point, which may be a link inside of the element.
/** @param {Element} element */
const deepestWithin = (element) => {
  const point = pressPoint(element);
  const hit = "x" in point ? deepestAt(/** @type {any} */ (point).x, /** @type {any} */ (point).y) : null;
  return hit && isWithin(hit, element) ? hit : element;
};

export const consequenceOf = withElement((element, cause) => {
  if (cause === "press") return { found: pressedConsequence(deepestWithin(element)) };
  const isField = isTag(element, "input") && !isSubmitter(element);
  if (isField && cause === "enter") return { found: implicitSubmission(element) };
  return {
    found: isField || (cause === "space" && addressOf(element) !== null) ? null : (ownConsequence(element) ?? null),
  };
});
