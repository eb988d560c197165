// HTML, attributes and facts read from one element. Its text is read by a snapshot without roles.

import { attr } from "../dom/attributes.js";
import { documentOrigin, FRAMES } from "../dom/elements.js";
import { matchesSelector } from "../dom/natives.js";
import { hidesValue, isPassword } from "../roles/passwords.js";
import { describeElement } from "../search/targets.js";
import { withElement } from "./element_calls.js";
import { fieldOf, isChosenOnly } from "./fields.js";

export const outerHtml = withElement((element) => ({ value: element.outerHTML }));

export const readAttribute = withElement((element, name) => ({
  value:
    hidesValue(element) && name.toLowerCase() === "value"
      ? `(${element.value.length} hidden characters)`
      : attr(element, name),
}));

// A ref may pass to an element that is drawn again in place of another; this number never does.
/** @type {WeakMap<Element, number>} */
const identities = new WeakMap();
let lastIdentity = 0;

/** @param {Element} element */
const identityOf = (element) => {
  if (!identities.has(element)) identities.set(element, ++lastIdentity);
  return identities.get(element);
};

/** @param {Element} element */
const isCheckbox = (element) =>
  matchesSelector(element, "input[type=checkbox], input[type=radio], [role=checkbox], [role=radio], [role=switch]");

// With the whole line, for a person who is asked about the element as it is now.
export const elementFacts = withElement((element) => ({
  line: describeElement(element).line,
  identity: identityOf(element),
  isChosenOnly: isChosenOnly(fieldOf(element)),
  isCheckbox: isCheckbox(fieldOf(element)),
  isFrame: matchesSelector(element, FRAMES),
  type: element.type ?? null,
  password: isPassword(fieldOf(element)),
  origin: documentOrigin(),
}));
