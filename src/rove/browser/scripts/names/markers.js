// The markers of list items: "c.", "→", "Step 3:".

import { rootNodeOf } from "../dom/natives.js";
import { shadowsWereMet } from "../dom/shadow_roots.js";
import { distinctions } from "../visibility/style_sheets.js";
import { affixesOf, formatCounter } from "./counter_styles.js";
import { parseContent, unescapeCss } from "./css_content.js";
import { generatedPart } from "./generated_content.js";
import { isNumberedOtherwise, ordinalOf } from "./ordinals.js";

// Bullets say nothing but that this is an item.
const PLAIN_MARKERS = new Set(["none", "disc", "circle", "square", "disclosure-open", "disclosure-closed"]);
const CONTENT = "content ";

// How an element that is displayed as a list item is marked; empty for a mere bullet.
/** @param {Element} element @param {CSSStyleDeclaration} style */
export const markerKind = (element, style) => {
  if (distinctions.markers || (shadowsWereMet && rootNodeOf(element) !== document)) {
    const content = getComputedStyle(element, "::marker").content;
    if (content && content !== "normal") return content === "none" ? "" : CONTENT + content;
  }
  return PLAIN_MARKERS.has(style.listStyleType) || style.listStyleImage !== "none" ? "" : style.listStyleType;
};

// Numbers from one on are left out: they are the places in the list.
/** @param {Element} element @param {string} kind */
export const markerText = (element, kind) => {
  if (kind.startsWith(CONTENT))
    return parseContent(kind.slice(CONTENT.length), true, (part) => generatedPart(part, element, "::marker"));
  if (kind.startsWith('"')) return unescapeCss(kind.slice(1, -1));
  if (kind === "decimal" && !isNumberedOtherwise(element)) return "";
  const [before, after] = affixesOf(kind);
  return before + formatCounter(ordinalOf(element), kind) + after;
};
