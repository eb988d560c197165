// Native form controls: their types, and whether they can be focused.

import { attr, hasAttr, lowerCaseAttr } from "../dom/attributes.js";
import { isDetailsSummary, isHtml } from "../dom/elements.js";
import { closestOf, localNameOf, matchesSelector, queryOne } from "../dom/natives.js";
import { INPUT_ROLES } from "./role_names.js";

/** @param {Element} element */
export const inputType = (element) => {
  const type = (attr(element, "type") || "text").toLowerCase();
  return type in INPUT_ROLES ? type : "text";
};

const FOCUSABLE_TAGS = new Set(["button", "select", "textarea", "iframe", "summary"]);

/** @param {Element} element */
const isDisabledControl = (element) =>
  isHtml(element) &&
  /^(?:button|input|select|textarea|fieldset|option|optgroup)$/.test(localNameOf(element)) &&
  matchesSelector(element, ":disabled");

/** @param {Element} element */
export const isFocusable = (element) => {
  if (hasAttr(element, "tabindex") && !Number.isNaN(parseInt(attr(element, "tabindex") || "", 10))) return true;
  const tag = localNameOf(element);
  if ((tag === "a" || tag === "area") && hasAttr(element, "href")) return true;
  if (!isHtml(element)) return false;
  if (FOCUSABLE_TAGS.has(tag)) return (tag !== "summary" || isDetailsSummary(element)) && !isDisabledControl(element);
  if (tag === "input") return inputType(element) !== "hidden" && !isDisabledControl(element);
  if ((tag === "audio" || tag === "video") && hasAttr(element, "controls")) return true;
  const editable = attr(element, "contenteditable");
  return editable !== null && editable.toLowerCase() !== "false";
};

export const TEXT_INPUTS = new Set([
  "text",
  "search",
  "tel",
  "url",
  "email",
  "password",
  "number",
  "date",
  "datetime-local",
  "month",
  "time",
  "week",
]);

/** @type {Record<string, string>} */
export const BUTTON_INPUTS = { submit: "Submit", reset: "Reset", button: "" };

// A disabled group disables its descendants; most pages have none.
export let groupsAreDisabled = false;

export const findDisabledGroups = () => {
  groupsAreDisabled = queryOne(document, '[aria-disabled="true" i]') !== null;
};

/** @param {Element} element */
export const isDisabledOrInDisabledGroup = (element) => {
  if (isDisabledControl(element)) return true;
  if (!groupsAreDisabled) return false;
  const nearest = closestOf(element, '[aria-disabled="true" i],[aria-disabled="false" i]');
  return nearest !== null && lowerCaseAttr(nearest, "aria-disabled") === "true";
};
