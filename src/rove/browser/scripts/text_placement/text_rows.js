// Text on its way into rows: text nodes, generated content, list markers and colours that stand for text.

import { textDataOf } from "../dom/natives.js";
import { clip, collapse, MAX_NAME, squash } from "../dom/text.js";
import { hasAlternative, isBlockish, parseContent } from "../names/css_content.js";
import { generatedPart } from "../names/generated_content.js";
import { markerText } from "../names/markers.js";
import { generatedSwatchText, withDotColour } from "../snapshot/colour_notes.js";
import { noteUnseen } from "../snapshot/row_parts.js";
import { addCutOffText, addText, longestText, separateText, textRun } from "../snapshot/rows.js";
import { PARTLY_CLIPPED, RANGE, unseenPseudo, unseenText } from "../visibility/text_visibility.js";
import { viewOf } from "../visibility/viewport.js";
import { clippedParts } from "./clipped_text.js";
import { unseenGenerated } from "./field_text.js";

// `node` is a text node, or an element that contains only text.
/** @param {Node} node @param {string} data @param {VisibilityContext} context */
export const visitText = (node, data, context) => {
  if (context.isInName) return noteTextInName(data, node, context);
  if (!context.seen) return;
  const facts = context.facts;
  const blank = !data.trim();
  if (blank && !facts.keepsLines) {
    if (textRun !== null && data) separateText(" ");
    return;
  }
  const reason = unseenText(node, context);
  const long = data.length > longestText * 3 ? clip(data, longestText * 3) : data;
  const run = addShownText(node, long, context, reason);
  if (long !== data) run.dropped = (run.dropped || 0) + data.length - long.length;
  if (facts.keepsSpaces) run.preformatted = true;
  if (context.inView === 1) run.inView = true;
  else if (context.inView === 0 && !run.inView) run.inView = isTextInView(node);
};

// Adds text that is partly cut off by the box around it as what is shown and what is not.
/** @param {Node} node @param {string} data @param {VisibilityContext} context @param {string} reason */
const addShownText = (node, data, context, reason) => {
  if (reason === PARTLY_CLIPPED && context.namer) noteClippedParts(context.namer, node, context, true);
  else if (reason && context.namer) noteUnseen(context.namer, reason, squash(clip(data, 300)), true);
  if (reason === "clipped") return addCutOffText(laidOut(data, context.facts), context, node);
  const parts = reason === PARTLY_CLIPPED ? clippedParts(node, context) : null;
  if (parts === null) return addText(laidOut(data, context.facts), context, reason, node);
  let run = null;
  for (const { text, isSeen } of parts) {
    const shown = laidOut(text, context.facts);
    run = isSeen ? addText(shown, context, "", node) : addCutOffText(shown, context, node);
  }
  return /** @type {TextRun} */ (run);
};

// The text as its element lays it out: with or without its spaces and line breaks, or as dots.
/** @param {string} data @param {StyleRecord} facts */
const laidOut = (data, facts) => {
  const text = facts.keepsLines ? (facts.keepsSpaces ? data : data.replace(/[ \t]+/g, " ")) : collapse(data);
  return facts.masksText ? "•".repeat(text.length) : withDotColour(text, facts);
};

/** @param {Node} node */
const isTextInView = (node) => {
  RANGE.selectNodeContents(node);
  return viewOf(RANGE.getBoundingClientRect()) !== 2;
};

// The text is already in the name of the row; parts of it that are not visible are collected for its mark.
/** @param {string} data @param {Node} node @param {VisibilityContext} context */
const noteTextInName = (data, node, context) => {
  if (!context.owner || !data.trim()) return;
  const owner = context.owner;
  if (context.displaced || context.sunken) owner.displaced = true;
  if (!context.seen) return;
  const reason = unseenText(node, context);
  if (context.inert && context.inert !== owner.inert && !reason)
    owner.inertText = (owner.inertText || "") + " " + clip(data, 200);
  else if (reason === PARTLY_CLIPPED) noteClippedParts(owner, node, context);
  else if (reason) noteUnseen(owner, reason, squash(clip(data, 300)));
  else noteSeen(owner, data, context.struck);
};

/** @param {NameOwner} owner @param {string} data @param {boolean} struck */
const noteSeen = (owner, data, struck) => {
  owner.hasSeenText = true;
  if (!struck) {
    owner.hasUnstruckText = true;
    return;
  }
  owner.struckText ??= [];
  owner.struckText.push(squash(clip(data, 300)));
};

/** @param {NameOwner} owner @param {Node} node @param {VisibilityContext} context @param {boolean} [hasRow] */
const noteClippedParts = (owner, node, context, hasRow) => {
  const parts = clippedParts(node, context);
  if (parts === null) return noteUnseen(owner, PARTLY_CLIPPED, squash(clip(textDataOf(node), 300)), hasRow);
  for (const { text, isSeen } of parts) {
    if (!isSeen) noteUnseen(owner, "clipped", squash(clip(text, MAX_NAME)), hasRow);
    else if (text.trim()) noteSeen(owner, text, context.struck);
  }
};

/** @param {Element} element @param {string} which @param {VisibilityContext} context */
export const addPseudo = (element, which, context) => {
  if (!context.seen) return;
  const style = getComputedStyle(element, which);
  if (style.display === "none" || style.visibility !== "visible") return;
  /** @param {boolean} isSeen */
  const textOf = (isSeen) => parseContent(style.content, isSeen, (part) => generatedPart(part, element, which));
  const text = textOf(true);
  if (hasAlternative(style.content)) noteAlternative(textOf(false), text, context);
  // Icon fonts use the private use area, which means nothing as text.
  if (!/[^\s\uE000-\uF8FF]/.test(text)) return addSwatch(generatedSwatchText(style), context);
  const reason = unseenGenerated(element, which, style, text, context);
  if (context.isInName) {
    if (reason && context.owner) noteUnseen(context.owner, reason, squash(text));
    return;
  }
  if (isBlockish(style.display)) separateText(" ");
  addText(text, context, reason);
  if (isBlockish(style.display)) separateText(" ");
};

// The generated text that a person sees before or after an element; "" if there is none.
/** @param {Element} element @param {string} which @param {VisibilityContext} context */
export const seenGeneratedText = (element, which, context) => {
  if (!context.seen) return "";
  const style = getComputedStyle(element, which);
  if (style.display === "none" || style.visibility !== "visible") return "";
  const text = parseContent(style.content, true, (part) => generatedPart(part, element, which));
  if (!/[^\s\uE000-\uF8FF]/.test(text) || unseenGenerated(element, which, style, text, context)) return "";
  return isBlockish(style.display) ? ` ${text} ` : text;
};

// Alternative text of generated content: screen readers speak it, but it is not visible.
/** @param {string} text @param {string} shown @param {VisibilityContext} context */
const noteAlternative = (text, shown, context) => {
  if (!text.trim() || text === shown) return;
  if (!context.isInName) addText(text, context, "screen-reader text");
  else if (context.owner) noteUnseen(context.owner, "screen-reader text", squash(text));
};

/** @param {Element} element @param {VisibilityContext} context */
export const addMarker = (element, context) => {
  const text = squash(markerText(element, context.facts.marker));
  if (text) addText(text + " ", context, unseenPseudo(getComputedStyle(element, "::marker"), context, element));
};

// The colour of a small empty box: as text, or for the control that contains it.
/** @param {string} text @param {VisibilityContext} context */
export const addSwatch = (text, context) => {
  if (!text || !context.seen || context.reason) return;
  if (!context.isInName) {
    separateText(" ");
    addText(text, context, "");
    separateText(" ");
  } else if (context.owner) {
    context.owner.colours ??= [];
    context.owner.colours.push(text);
  }
};
