// HTML, attributes and facts read from one element. Its text is read by a snapshot without roles.

import { attr } from "../dom/attributes.js";
import { FRAMES } from "../dom/elements.js";
import { localNameOf, matchesSelector } from "../dom/natives.js";
import { isPassword, wasPassword } from "../roles/passwords.js";
import { withElement } from "./element_calls.js";
import { fieldOf } from "./fields.js";

export const outerHtml = withElement((element) => ({ value: element.outerHTML }));

export const readAttribute = withElement((element, name) => ({
  value:
    wasPassword(element) && name.toLowerCase() === "value"
      ? `(${element.value.length} hidden characters)`
      : attr(element, name),
}));

export const elementFacts = withElement((element) => ({
  tag: localNameOf(element),
  isFrame: matchesSelector(element, FRAMES),
  type: element.type ?? null,
  password: isPassword(fieldOf(element)),
  origin: self.origin,
}));
