// Why a person would not see a text or an element.

import { localNameOf, rectOf, textContentOf, textDataOf } from "../dom/natives.js";
import { squash } from "../dom/text.js";
import { flattenedParent } from "../dom/tree.js";
import { isHiddenByStyle } from "../names/exclusion.js";
import { paintedPoints } from "../paint/backdrops.js";
import { backgroundPalette } from "../paint/backgrounds.js";
import { pseudoRect } from "../paint/pseudo_boxes.js";
import { collectSurfaces } from "../paint/surfaces.js";
import { clippedParts } from "../text_placement/clipped_text.js";
import { reachesOver } from "./clipping.js";
import {
  blendColours,
  canvasColour,
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
  if (facts.fontSize < MIN_FONT_SIZE) return "tiny";
  if (highlights.length && isHiddenByHighlight(node, context)) return "same colour";
  const faded = lowContrastReason(facts, context, node);
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

// The reason why letters cannot be told from what is behind them: by the boxes around them, and where that does not
// decide, by a look at what is painted there.
/** @param {TextStyle} facts @param {TextContext} context @param {Node | null} [node] @param {Box[]} [lines] */
export const lowContrastReason = (facts, context, node = null, lines = undefined) => {
  const reason = contrastReason(facts, context, null);
  if (!node || reason === "transparent") return reason;
  // Other boxes matter only where those around the text would hide it; the rest is checked once all boxes are known.
  if (!reason && (isSeenOnPicture(facts, context) || !paintReason(paintedPoints(node, lines), facts, context)))
    return "";
  collectSurfaces();
  const points = paintedPoints(node, lines);
  return points.length ? paintReason(points, facts, context) : reason;
};

// Whether the letters differ from every colour of the background image.
/** @param {TextStyle} facts @param {TextContext} context */
const isSeenOnPicture = (facts, { backgroundImage, background, pictured, filtered, blend, textBackground }) => {
  if (backgroundImage === null || backgroundImage.length !== 0 || !pictured) return true;
  if (filtered || blend || textBackground || facts.decoration) return false;
  const palette = backgroundPalette(pictured);
  const key = `${facts.colour} on ${background}`;
  let isSeen = palette.seen.get(key);
  if (isSeen === undefined) {
    isSeen =
      palette.isPlain && [background, ...palette.colours].every((colour) => differs(facts.colour, colour, background));
    palette.seen.set(key, isSeen);
  }
  return isSeen;
};

/** @param {Colour} letters @param {Colour} colour @param {Colour} background */
const differs = (letters, colour, background) => {
  const below = compositeOver(colour, background);
  return contrast(compositeOver(letters, below), below) >= LOW_CONTRAST;
};

// Compares every colour that the letters may have with every colour that may be behind them, at a point or by the boxes
// around them. Without any, the text counts as seen.
/** @param {TextStyle} facts @param {TextContext} context @param {PaintedPoint | null} point */
const contrastReason = (facts, context, point) => {
  const behind = point ? point.colours || [] : backgroundsIn(context);
  /** @param {Colour} colour */
  const seen = (colour) =>
    !behind.length ||
    behind.some((below) => {
      const shown = point ? colourAtPoint(colour, below, context, point) : shownColour(colour, context);
      return contrast(compositeOver(shown, below), below) >= LOW_CONTRAST;
    });
  const { decoration } = facts;
  if (decoration && decoration.covers && !seen(decoration.covers)) return "same colour";
  if (decoration && decoration.shows.some(seen)) return "";
  if (context.textBackground && (context.textBackground.length === 0 || context.textBackground.some(seen))) return "";
  if (facts.firstLine && !seen(facts.firstLine)) return "same colour";
  if (facts.colour[3] * context.opacity < MIN_OPACITY) return context.textBackground ? "same colour" : "transparent";
  if (!point && !context.backgroundImage && !context.filtered && !context.blend)
    return hasSameColour(/** @type {StyleRecord} */ (facts), context) ? "same colour" : "";
  return seen(facts.colour) ? "" : "same colour";
};

const MOST = 0.4;

/** @param {PaintedPoint[]} points @param {(point: PaintedPoint) => string} reasonAt */
const reasonOfMost = (points, reasonAt) => {
  const reasons = points.map(reasonAt).filter((reason) => reason);
  if (!reasons.length) return "";
  if (reasons.length === points.length) return reasons.find((reason) => !reason.startsWith("perhaps")) || reasons[0];
  const sure = points
    .filter((point) => !point.isPattern)
    .map(reasonAt)
    .filter((reason) => /^(?:covered|same)/.test(reason));
  return sure.length >= points.length * MOST ? `partly ${sure[0]}` : "";
};

/** @param {PaintedPoint} point */
const coverAtPoint = ({ cover }) => (cover === 1 ? "covered" : cover ? "perhaps covered" : "");

/** @param {PaintedPoint[]} points */
export const coverReason = (points) => reasonOfMost(points, coverAtPoint);

// Over a picture that cannot be read, text may be invisible if only the picture makes it visible.
/** @param {PaintedPoint} point @param {TextStyle} facts @param {TextContext} context */
const contrastAtPoint = (point, facts, context) => {
  if (point.colours) return contrastReason(facts, context, point);
  return contrastReason(facts, context, { ...point, colours: point.known }) === "same colour"
    ? "perhaps same colour"
    : "";
};

/** @param {PaintedPoint[]} points @param {TextStyle} facts @param {TextContext} context */
export const paintReason = (points, facts, context) =>
  reasonOfMost(points, (point) => coverAtPoint(point) || contrastAtPoint(point, facts, context));

// Empty where only a look tells what is behind the text.
/** @param {TextContext} context */
const backgroundsIn = (context) => {
  if (context.backgroundImage) return context.backgroundImage;
  const own = context.background !== context.blendBackdrop;
  return [context.filtered && own ? context.filtered(context.background) : context.background];
};

// Whether the letters are blended with what is behind their group, and not with a background of the group itself.
/** @param {TextContext} context */
const isBlended = (context) => context.blend !== "" && context.background === context.blendBackdrop;

/** @param {Colour} colour @param {TextContext} context */
const shownColour = (colour, context) => {
  const shown = context.filtered ? context.filtered(colour) : colour;
  // Nothing is blended with the canvas itself.
  if (!isBlended(context) || !context.blendBackdrop || context.blendBackdrop === canvasColour) return shown;
  return blendColours(context.blend, context.blendBackdrop, shown);
};

/** @param {Colour} colour @param {Colour} below @param {TextContext} context @param {PaintedPoint} point */
const colourAtPoint = (colour, below, context, { isPainted }) => {
  const shown = context.filtered ? context.filtered(colour) : colour;
  return isPainted && isBlended(context) ? blendColours(context.blend, below, shown) : shown;
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

export const NOT_RENDERED = "not rendered";

// The reason why some text of an element that names another one is not visible, or "".
/** @param {Element} element */
export const unseenWords = (element) => {
  if (isHiddenByStyle(element)) return NOT_RENDERED;
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

/** @param {CSSStyleDeclaration} style @param {VisibilityContext} context @param {Element} element @param {string} [which] */
export const unseenPseudo = (style, context, element, which = "") => {
  if (context.reason) return context.reason;
  if (Number(style.opacity) < MIN_OPACITY) return "transparent";
  if (parseFloat(style.fontSize) < MIN_FONT_SIZE) return "tiny";
  if (parseFloat(style.textIndent) < -99) return "clipped";
  const hidden = hidingReason(style, style.transform, context.facts);
  if (hidden) return hidden;
  const background = parseColour(style.backgroundColor);
  const isOpaque = background[3] > 0.95;
  const facts = { colour: textColour(style), decoration: decorationOf(style), firstLine: null };
  const around = {
    opacity: context.opacity,
    background: compositeOver(background, context.background),
    backgroundImage: isOpaque ? null : context.backgroundImage,
    textBackground: null,
    filtered: null,
    blendBackdrop: null,
    blend: "",
    pictured: context.pictured,
    displaced: context.displaced,
    sunken: context.sunken,
  };
  const lines = which && style.position === "absolute" ? [pseudoRect(element, which)] : undefined;
  return lowContrastReason(facts, around, isOpaque ? null : element, lines);
};
