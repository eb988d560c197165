// Why a person would not see a text or an element.

import { localNameOf, rectOf, textContentOf, textDataOf } from "../dom/natives.js";
import { squash } from "../dom/text.js";
import { flattenedParent } from "../dom/tree.js";
import { isHiddenByStyle } from "../names/exclusion.js";
import { clippedParts } from "../text_placement/clipped_text.js";
import { reachesOver } from "./clipping.js";
import {
  blendColours,
  CANVAS_COLOUR,
  compositeOver,
  contrast,
  LOW_CONTRAST,
  parseColour,
  textColour,
} from "./colours.js";
import { contextInside, geometryReason, MIN_OPACITY } from "./contexts.js";
import { decorationOf, hidingReason } from "./effects.js";
import { highlights, isHiddenByHighlight } from "./highlights.js";

export const MIN_FONT_SIZE = 2.5;
export const RANGE = document.createRange();

// The reason why a text node directly inside `context.facts` is not visible, or "".
/** @param {Node} node @param {VisibilityContext} context */
export const unseenText = (node, context) => {
  if (context.reason) return context.reason;
  const facts = context.facts;
  if (context.pseudoCover) return "covered";
  if (facts.fontSize < MIN_FONT_SIZE) return "tiny";
  if (highlights.length && isHiddenByHighlight(node, context)) return "same colour";
  const faded = lowContrastReason(facts, context);
  if (faded) return faded;
  if (!context.needsMeasuring) return "";
  RANGE.selectNodeContents(node);
  const rect = RANGE.getBoundingClientRect();
  const away = geometryReason(rect, context) || (isSqueezed(node, rect) ? "scaled away" : "");
  return away || (context.clip && reachesOver(context.clip, rect) ? PARTLY_CLIPPED : "");
};

// So little room for each letter, in square pixels, that none can be read; or smeared over more than any screen.
const MIN_LETTER_AREA = 6;
const MAX_TEXT_WIDTH = 1e6;
// A box of this size has room for a hundred letters.
const SMALL_AREA = 600;

/** @param {Node} node @param {DOMRect} rect */
const isSqueezed = (node, rect) => {
  if (rect.width > MAX_TEXT_WIDTH) return true;
  const area = rect.width * rect.height;
  const text = area < SMALL_AREA ? textContentOf(node) : "";
  return area < MIN_LETTER_AREA * text.length && area < MIN_LETTER_AREA * squash(text).length;
};

// Some of the text may lie outside of what is shown; `clippedParts` tells which.
export const PARTLY_CLIPPED = "partly clipped";

// Compares every colour that the letters may have with every colour that may be behind them.
/** @param {Pick<StyleRecord, "colour" | "decoration" | "firstLine"> & Partial<StyleRecord>} facts @param {TextContext} context */
export const lowContrastReason = (facts, context) => {
  const behind = backgroundsIn(context);
  /** @param {Colour} colour */
  const seen = (colour) =>
    !behind.length || behind.some((below) => contrast(compositeOver(colour, below), below) >= LOW_CONTRAST);
  const { decoration } = facts;
  if (decoration && decoration.covers && !seen(decoration.covers)) return "same colour";
  if (decoration && decoration.shows.some(seen)) return "";
  if (context.textBackground && (context.textBackground.length === 0 || context.textBackground.some(seen))) return "";
  if (facts.firstLine && !seen(shownColour(facts.firstLine, context))) return "same colour";
  if (facts.colour[3] * context.opacity < MIN_OPACITY) return context.textBackground ? "same colour" : "transparent";
  if (!context.backgroundImage && !context.filtered && !context.blend)
    return hasSameColour(/** @type {StyleRecord} */ (facts), context) ? "same colour" : "";
  return seen(shownColour(facts.colour, context)) ? "" : "same colour";
};

// Empty where an image of unknown colours is behind the text.
/** @param {TextContext} context */
const backgroundsIn = (context) => {
  if (context.backgroundImage) return context.backgroundImage;
  const own = context.background !== context.blendBackdrop;
  return [context.filtered && own ? context.filtered(context.background) : context.background];
};

/** @param {Colour} colour @param {TextContext} context */
const shownColour = (colour, context) => {
  const shown = context.filtered ? context.filtered(colour) : colour;
  // Nothing is blended with the canvas itself.
  const isBlended =
    context.blend && context.background === context.blendBackdrop && context.blendBackdrop !== CANVAS_COLOUR;
  return isBlended ? blendColours(context.blend, context.blendBackdrop || CANVAS_COLOUR, shown) : shown;
};

/** @param {StyleRecord} facts @param {TextContext} context */
const hasSameColour = (facts, context) => {
  if (facts.contrastWith === context.background) return facts.lowContrast;
  const shown = compositeOver(facts.colour, context.background);
  facts.contrastWith = context.background;
  facts.lowContrast = contrast(shown, context.background) < LOW_CONTRAST;
  return facts.lowContrast;
};

/** @param {Element} element @param {VisibilityContext} context */
export const unseenElement = (element, context) => {
  if (context.reason) return context.reason;
  if (!context.needsMeasuring) return "";
  return geometryReason(rectOf(element), context);
};

const PICTURES = new Set(["img", "svg", "canvas", "video", "input"]);

// As unseenElement, for what may be a picture: of a pixel or two there is nothing to see.
/** @param {Element} element @param {VisibilityContext} context */
export const unseenPicture = (element, context) => {
  const reason = unseenElement(element, context);
  if (reason || !PICTURES.has(localNameOf(element))) return reason;
  const rect = rectOf(element);
  if (rect.width > 2 && rect.height > 2) return "";
  return rect.width && rect.height ? "1px image" : "no size";
};

const MAX_LABEL_NODES = 40;

// The reason why some text of an element that names another one is not visible, or "".
/** @param {Element} element */
export const unseenWords = (element) => {
  if (isHiddenByStyle(element)) return "not rendered";
  const [first] = unseenTexts(element);
  return first ? first[0] : "";
};

// The text in an element that is not visible, with the reasons.
/** @param {Element} element @returns {[reason: string, text: string][]} */
export const unseenTexts = (element) => {
  /** @type {[reason: string, text: string][]} */
  const found = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(), count = 0; node && count < MAX_LABEL_NODES; node = walker.nextNode(), count++) {
    const text = textDataOf(node).trim();
    if (!text) continue;
    const inside = contextInside(flattenedParent(node) || element);
    const reason = inside.seen ? unseenText(node, inside) : "";
    if (reason === PARTLY_CLIPPED) found.push(...cutOffTexts(node, inside));
    else if (reason) found.push([reason, text]);
  }
  return found;
};

/** @param {Node} node @param {VisibilityContext} context @returns {[reason: string, text: string][]} */
const cutOffTexts = (node, context) => {
  const parts = clippedParts(node, context);
  if (parts === null) return [[PARTLY_CLIPPED, textDataOf(node).trim()]];
  return parts.filter((part) => !part.isSeen).map((part) => ["clipped", part.text.trim()]);
};

/** @param {CSSStyleDeclaration} style @param {VisibilityContext} context */
export const unseenPseudo = (style, context) => {
  if (context.reason) return context.reason;
  if (Number(style.opacity) < MIN_OPACITY) return "transparent";
  if (parseFloat(style.fontSize) < MIN_FONT_SIZE) return "tiny";
  if (parseFloat(style.textIndent) < -99) return "clipped";
  const hidden = hidingReason(style, style.transform, context.facts);
  if (hidden) return hidden;
  const background = parseColour(style.backgroundColor);
  const behind = compositeOver(background, context.background);
  const facts = { colour: textColour(style), decoration: decorationOf(style), firstLine: null };
  return lowContrastReason(facts, {
    opacity: context.opacity,
    background: behind,
    backgroundImage: background[3] > 0.95 ? null : context.backgroundImage,
    textBackground: null,
    filtered: null,
    blend: "",
  });
};
