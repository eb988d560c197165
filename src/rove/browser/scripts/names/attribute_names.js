// Names that attributes alone give: the text of a button, a tooltip, a placeholder.

import { attr, hasAttr } from "../dom/attributes.js";
import { isHtml, isTag } from "../dom/elements.js";
import { localNameOf } from "../dom/natives.js";
import { BUTTON_INPUTS, inputType, TEXT_INPUTS } from "../roles/controls.js";
import { NAME_PROHIBITED } from "./exclusion.js";

/** @param {Element} element @returns {[string, string]} */
export const inputNativeName = (element) => {
  const type = inputType(element);
  if (type === "image")
    return [attr(element, "alt") || attr(element, "value") || attr(element, "title") || "Submit", "alt"];
  if (type in BUTTON_INPUTS) {
    const value = attr(element, "value");
    return [value === null ? BUTTON_INPUTS[type] : value, "content"];
  }
  return ["", ""];
};

const WITHOUT_ROLE = new Set(["abbr", "cite", "kbd", "rt", "ruby", "var"]);

// A title describes elements that may not be named, unless they have no role at all or are part of another name. An
// image with an empty alt attribute is decorative.
/** @param {Element} element @param {string} role @param {string} via */
const mayUseTitle = (element, role, via) => {
  if (isTag(element, "img") && hasAttr(element, "alt")) return false;
  if (!NAME_PROHIBITED.has(role) || via !== "root") return true;
  return isHtml(element) && WITHOUT_ROLE.has(localNameOf(element));
};

/** @param {Element} element @param {string} role @param {string} via @returns {[string, string]} */
export const tooltipText = (element, role, via) => {
  const title = attr(element, "title");
  if (title && title.trim() && mayUseTitle(element, role, via)) return [title, "title"];
  if (via === "root" && isHtml(element)) {
    const tag = localNameOf(element);
    const takes = tag === "textarea" || (tag === "input" && TEXT_INPUTS.has(inputType(element)));
    const placeholder = takes ? attr(element, "placeholder") : null;
    if (placeholder && placeholder.trim()) return [placeholder, "placeholder"];
    const ariaPlaceholder = attr(element, "aria-placeholder");
    if (ariaPlaceholder) return [ariaPlaceholder, "aria-label"];
  }
  return ["", ""];
};
