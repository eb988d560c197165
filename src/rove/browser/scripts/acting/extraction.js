// Text, attributes and facts read from one element.

import { attr } from "../dom/attributes.js";
import { FRAMES } from "../dom/elements.js";
import { localNameOf, matchesSelector, textContentOf } from "../dom/natives.js";
import { isPassword, wasPassword } from "../roles/passwords.js";
import { unseenIn } from "../search/find.js";
import { describeElement } from "../search/targets.js";
import { withElement } from "./element_calls.js";
import { fieldOf } from "./fields.js";

export const extract = withElement((element, mode, attribute) => {
  if (mode === "html") return { value: element.outerHTML };
  if (wasPassword(element) && (attribute ?? "value").toLowerCase() === "value") {
    return { value: `(${element.value.length} hidden characters)` };
  }
  if (mode === "attribute") return { value: attr(element, attribute) };
  if (matchesSelector(element, "input, textarea, select")) return { value: String(element.value) };
  return { value: element.innerText ?? textContentOf(element), unseen: unseenIn(element) };
});

// With the whole line, for a person who is asked about the element as it is now.
export const elementFacts = withElement((element) => ({
  line: describeElement(element).line,
  tag: localNameOf(element),
  isFrame: matchesSelector(element, FRAMES),
  type: element.type ?? null,
  password: isPassword(fieldOf(element)),
  origin: self.origin,
}));
