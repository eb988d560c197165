// ARIA states and properties that matter to an agent, also of switches that are drawn with plain elements. Only those
// that are set appear in a line.

import {
  ARIA,
  attr,
  FIELD_STATE,
  hasAttr,
  isDetailsSummary,
  isHtml,
  isTag,
  kindsOf,
  lowerCaseAttr,
} from "../dom/elements.js";
import {
  childCountOf,
  firstElementOf,
  localNameOf,
  matchesSelector,
  nextElementOf,
  parentNodeOf,
  queryAll,
  rectOf,
  textContentOf,
} from "../dom/natives.js";
import { bareWord } from "../dom/text.js";
import { ownerOrParentOf, parentElementOf } from "../dom/tree.js";
import { inputType, isDisabledOrInDisabledGroup, TEXT_INPUTS } from "./controls.js";
import { isGrid, roleOf } from "./roles.js";

const CHECKABLE = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio", "option", "treeitem"]);
const SELECTABLE = new Set(["option", "tab", "treeitem", "gridcell", "row", "columnheader", "rowheader", "cell"]);
// For these roles "mixed" counts as not checked.
const WITHOUT_MIXED_STATE = new Set(["radio", "switch", "menuitemradio"]);

const REQUIRABLE = new Set([
  "checkbox",
  "combobox",
  "gridcell",
  "listbox",
  "radiogroup",
  "searchbox",
  "spinbutton",
  "switch",
  "textbox",
  "tree",
]);

/** @param {Element} element @param {string} role */
const checkedState = (element, role) => {
  if (isTag(element, "input")) {
    const type = inputType(element);
    if (type === "checkbox" || type === "radio") {
      if (element.indeterminate && type === "checkbox") return "mixed";
      return element.checked ? "true" : "";
    }
  }
  if (!CHECKABLE.has(role)) return "";
  const value = lowerCaseAttr(element, "aria-checked");
  return value === "true" || (value === "mixed" && !WITHOUT_MIXED_STATE.has(role)) ? value : "";
};

const ROLES_WITH_LEVEL = new Set(["comment", "heading", "listitem", "row", "treeitem"]);

/** @param {Element} element @param {string} role */
const headingLevel = (element, role) => {
  const level = parseInt(attr(element, "aria-level") || "", 10);
  if (level > 0) return level;
  if (role !== "heading") return 0;
  const tag = /^h([1-6])$/.exec(localNameOf(element));
  return tag ? Number(tag[1]) : 2;
};

// Includes generic, for elements that are pressed without having a role.
const EXPANDABLE = new Set(
  (
    "application button checkbox columnheader combobox generic gridcell link listbox menuitem menuitemcheckbox " +
    "menuitemradio row rowheader switch tab treeitem"
  ).split(" "),
);

/** @param {Element} element @param {string} role */
const expandedState = (element, role) => {
  if (isTag(element, "summary") && isDetailsSummary(element))
    return hasAttr(parentNodeOf(element), "open") ? "true" : "false";
  const shown = popoverState(element);
  if (shown) return shown;
  const value = EXPANDABLE.has(role) ? lowerCaseAttr(element, "aria-expanded") : "";
  return value === "true" || value === "false" ? value : "";
};

const POPOVER_BUTTON_TYPES = new Set(["button", "submit", "reset", "image"]);

// Whether the popover that a button opens is open, as known by the browser.
/** @param {Element} element */
const popoverState = (element) => {
  if (!isTag(element, "button") && !(isTag(element, "input") && POPOVER_BUTTON_TYPES.has(inputType(element))))
    return "";
  const command = attr(element, "command");
  const commanded = command && command.toLowerCase().endsWith("-popover") ? element.commandForElement : null;
  const target = commanded || element.popoverTargetElement;
  return target ? String(matchesSelector(target, ":popover-open")) : "";
};

/** @param {Element} element @param {string} role */
const isSelected = (element, role) => {
  if (isTag(element, "option")) return element.selected;
  return SELECTABLE.has(role) && lowerCaseAttr(element, "aria-selected") === "true";
};

const VALIDATED = /^(?:input|select|textarea)$/;

/** @param {any} element */
const invalidState = (element) => {
  const value = lowerCaseAttr(element, "aria-invalid");
  if (value !== null) {
    if (value === "" || value === "false") return "";
    return value === "grammar" || value === "spelling" ? " invalid=" + value : " invalid";
  }
  if (!isHtml(element) || !VALIDATED.test(localNameOf(element))) return "";
  // An empty required field is not invalid yet.
  const wrong =
    matchesSelector(element, ":user-invalid") || (matchesSelector(element, ":invalid") && Boolean(element.value));
  return wrong ? " invalid" : "";
};

const CURRENT_KINDS = new Set(["page", "step", "location", "date", "time"]);

/** @param {Element} element */
const currentState = (element) => {
  const value = lowerCaseAttr(element, "aria-current");
  if (!value || value === "false") return "";
  return CURRENT_KINDS.has(value) ? " current=" + value : " current";
};

const POPUPS = new Set(["menu", "listbox", "tree", "grid", "dialog"]);

/** @param {Element} element @param {string} role */
export const statesOf = (element, role) => {
  let states = "";
  const checked = checkedState(element, role);
  if (checked) states += checked === "mixed" ? " checked=mixed" : " checked";
  if (kindsOf(element) & (ARIA | FIELD_STATE)) states += attributeStates(element, role);
  else states += nativeStates(element, role);
  if (isDisabledOrInDisabledGroup(element)) states += " disabled";
  return states;
};

/** @param {Element} element @param {string} role */
const nativeStates = (element, role) => {
  if (role === "heading") return " level=" + headingLevel(element, role);
  if (isTag(element, "summary") && isDetailsSummary(element))
    return expandedState(element, role) === "true" ? " expanded" : " expanded=false";
  if (role === "option" && isSelected(element, role)) return " selected";
  return invalidState(element);
};

/** @param {Element} element @param {string} role */
const attributeStates = (element, role) => {
  let states = "";
  const pressed = role === "button" ? lowerCaseAttr(element, "aria-pressed") : null;
  if (pressed === "true" || pressed === "mixed" || pressed === "false")
    states += pressed === "true" ? " pressed" : " pressed=" + pressed;
  const expanded = expandedState(element, role);
  if (expanded) states += expanded === "true" ? " expanded" : " expanded=false";
  if (isSelected(element, role)) states += " selected";
  const level = ROLES_WITH_LEVEL.has(role) ? headingLevel(element, role) : 0;
  if (level) states += " level=" + level;
  states += currentState(element);
  const popup = lowerCaseAttr(element, "aria-haspopup");
  if (popup && (POPUPS.has(popup) || popup === "true"))
    states += popup === "true" || popup === "menu" ? " haspopup" : " haspopup=" + popup;
  if (hasAttr(element, "required") && mayBeRequired(element)) states += " required";
  else if (REQUIRABLE.has(role) && lowerCaseAttr(element, "aria-required") === "true") states += " required";
  states += invalidState(element);
  if (isReadOnly(element, role)) states += " readonly";
  if (lowerCaseAttr(element, "aria-busy") === "true") states += " busy";
  const sort = lowerCaseAttr(element, "aria-sort");
  if (sort && sort !== "none") states += " sort=" + bareWord(sort, 12);
  return states;
};

// The cells of a read-only grid are read-only.
/** @param {Element} element @param {string} role */
export const inheritsReadOnly = (element, role) => {
  if (role !== "gridcell" || hasAttr(element, "aria-readonly")) return false;
  for (let node = ownerOrParentOf(element); node; node = ownerOrParentOf(node))
    if (isGrid(roleOf(node))) return lowerCaseAttr(node, "aria-readonly") === "true";
  return false;
};

const NEVER_REQUIRED = new Set(["button", "color", "hidden", "image", "range", "reset", "submit"]);

/** @param {Element} element */
const mayBeRequired = (element) =>
  isTag(element, "select") ||
  isTag(element, "textarea") ||
  (isTag(element, "input") && !NEVER_REQUIRED.has(inputType(element)));

const READONLY_ROLES = new Set(
  (
    "checkbox columnheader combobox grid gridcell listbox menuitemcheckbox menuitemradio radiogroup rowheader searchbox " +
    "slider spinbutton switch textbox treegrid"
  ).split(" "),
);

/** @param {Element} element @param {string} role */
const isReadOnly = (element, role) => {
  if (READONLY_ROLES.has(role) && lowerCaseAttr(element, "aria-readonly") === "true") return true;
  if (!hasAttr(element, "readonly")) return false;
  return isTag(element, "textarea") || (isTag(element, "input") && TEXT_INPUTS.has(inputType(element)));
};

// Switches that are drawn with plain elements: which side of its track the knob is on.

const MAX_PARTS = 8;
const STATE_WORD = /^(?:is-|--)?(?:(on|active|checked|enabled|selected)|(off|inactive|unchecked|disabled))$/i;

/** @param {Box} rect */
const hasTrackShape = (rect) =>
  rect.width >= 20 && rect.width <= 90 && rect.height >= 10 && rect.height <= 50 && rect.width >= rect.height * 1.4;

/** @param {Element} element @param {Box} rect */
const isTrack = (element, rect) =>
  hasTrackShape(rect) &&
  rect.width <= rect.height * 3.2 &&
  !textContentOf(element).trim() &&
  parseFloat(getComputedStyle(element).borderTopLeftRadius) >= rect.height * 0.3;

/** @param {number} width @param {number} height @param {Box} track */
const hasKnobShape = (width, height, track) =>
  height >= track.height * 0.4 && height <= track.height * 1.3 && width >= height * 0.7 && width <= track.width * 0.65;

// The middle of the knob, as a share of the track's width.
/** @param {Element} track @param {Box} rect */
const knobPlace = (track, rect) => {
  for (let part = firstElementOf(track); part; part = nextElementOf(part)) {
    const knob = rectOf(part);
    if (hasKnobShape(knob.width, knob.height, rect)) return (knob.left + knob.width / 2 - rect.left) / rect.width;
  }
  return generatedKnobPlace(track, "::before", rect) ?? generatedKnobPlace(track, "::after", rect);
};

/** @param {Element} track @param {string} which @param {Box} rect */
const generatedKnobPlace = (track, which, rect) => {
  const style = getComputedStyle(track, which);
  const [width, height] = [parseFloat(style.width), parseFloat(style.height)];
  if (style.content === "none" || !hasKnobShape(width, height, rect)) return null;
  const left = parseFloat(style.left) || parseFloat(style.marginLeft) || 0;
  const moved = /^matrix\((?:[^,]+, ){4}([-\d.]+)/.exec(style.transform);
  const shift = (moved ? Number(moved[1]) : 0) + (parseFloat(style.translate) || 0);
  return (left + shift + width / 2) / rect.width;
};

/** @param {Element} element */
const statedLook = (element) => {
  const words = [attr(element, "data-state") || "", ...(attr(element, "class") || "").split(/\s+/)];
  for (const word of words) {
    const state = STATE_WORD.exec(word);
    if (state) return state[1] ? "on" : "off";
  }
  return "";
};

const EMPTY_PARTS = ":empty:not(img,svg,input,br,hr,canvas,iframe,path,use,textarea)";

// The knob, or the track that draws its knob itself, is an empty element.
/** @param {Element} element */
const trackIn = (element) => {
  const empty = childCountOf(element) === 0 ? [element] : queryAll(element, EMPTY_PARTS);
  if (empty.length > MAX_PARTS) return null;
  for (const part of empty) {
    const around = part === element ? null : parentElementOf(part);
    for (const track of around ? [part, around] : [part]) {
      const rect = rectOf(track);
      if (isTrack(track, rect)) return { part: track, rect };
    }
  }
  return null;
};

// "on" or "off" by the looks of it; empty for anything that is not drawn as a switch, or that tells its state itself.
/** @param {Element} element */
export const toggleLook = (element) => {
  if (childCountOf(element) === 0 && textContentOf(element)) return "";
  if (hasAttr(element, "aria-checked") || hasAttr(element, "aria-pressed")) return "";
  const track = trackIn(element);
  if (!track) return "";
  const place = knobPlace(track.part, track.rect);
  if (place === null) return "";
  if (Math.abs(place - 0.5) > 0.08) return place > 0.5 ? "on" : "off";
  return statedLook(track.part) || statedLook(element);
};
