// Why a person would not see a text or an element, and where text lies that is not a text node.

import {
  clientHeightOf,
  clientWidthOf,
  isElement,
  localNameOf,
  rectOf,
  scrollHeightOf,
  scrollWidthOf,
  textContentOf,
  textDataOf,
} from "../dom/natives.js";
import { squash } from "../dom/text.js";
import { flattenedParent, parentElementOf } from "../dom/tree.js";
import { valueOfControl } from "../roles/controls.js";
import { isHiddenByStyle } from "../roles/labels.js";
import { paintedPoints } from "./backdrops.js";
import { backgroundPalette } from "./backgrounds.js";
import { clipPathRect, clippedParts, reachesOver } from "./clipping.js";
import {
  blendColours,
  canvasColour,
  compositeOver,
  contrast,
  LOW_CONTRAST,
  parseColour,
  textColour,
} from "./colours.js";
import { decorationOf, hidingReason } from "./computed_styles.js";
import { contextInside, geometryReason, MIN_OPACITY } from "./contexts.js";
import { collectSurfaces, pseudoRect } from "./surfaces.js";

// Ranges that the page paints in other colours than the style says: CSS highlights and the selection.

/** @type {[string, AbstractRange][]} */
let highlights = [];

export const findHighlights = () => {
  highlights = [];
  const registry = CSS.highlights;
  if (registry)
    for (const [name, ranges] of registry) for (const range of ranges) highlights.push([`::highlight(${name})`, range]);
  const selection = getSelection();
  if (selection && !selection.isCollapsed && selection.rangeCount)
    highlights.push(["::selection", selection.getRangeAt(0)]);
};

/** @param {Node} node @param {VisibilityContext} context */
const isHiddenByHighlight = (node, context) =>
  highlights.some(([pseudo, range]) => {
    const element = isElement(node) ? node : parentElementOf(node);
    if (!element || !Range.prototype.intersectsNode.call(range, node)) return false;
    const style = getComputedStyle(element, pseudo);
    const behind = compositeOver(parseColour(style.backgroundColor), context.background);
    return (
      style.color !== getComputedStyle(element).color &&
      contrast(compositeOver(parseColour(style.color), behind), behind) < LOW_CONTRAST
    );
  });

// The reasons, of styles, boxes and what is painted.

const MIN_FONT_SIZE = 2.5;
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
const lowContrastReason = (facts, context, node = null, lines = undefined) => {
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

// Text that is not a text node of the page: values and placeholders of fields, and what CSS generates. It cannot be
// measured, so its place is computed from the style.

// Of an average letter, by the size of the font.
const LETTER_WIDTH = 0.5;

// The reason why the value of a field, or the text of an input that is a button, is not visible, or "".
/** @param {Element} element @param {VisibilityContext} context */
export const unseenValue = (element, context) => {
  const text = valueOfControl(element);
  const faded = text === "" ? "" : lowContrastReason(context.facts, context, element);
  if (faded || !text) return faded;
  if (context.facts.fontSize < MIN_FONT_SIZE) return "tiny";
  const rect = rectOf(element);
  if (rect.width <= 2 || rect.height <= 2) return "no size";
  return displacedReason(getComputedStyle(element), element, text) || overflowReason(element, context);
};

// The reason why the style moves text out of the box of its field, or squeezes it.
/** @param {CSSStyleDeclaration} style @param {Element} field @param {string} text */
const displacedReason = (style, field, text) => {
  const size = parseFloat(style.fontSize);
  const room = clientWidthOf(field) - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const indent = parseFloat(style.textIndent);
  const width = text.length * size * LETTER_WIDTH;
  if (room <= 2 || indent >= room || -indent >= width) return "clipped";
  if (parseFloat(style.letterSpacing) < -size * LETTER_WIDTH) return "clipped";
  return -indent > size * 2 ? PARTLY_CLIPPED : "";
};

// The value of a text field is scrolled by moving the caret, unless it is long and nothing shows that there is more.
/** @param {Element} element @param {VisibilityContext} context */
const overflowReason = (element, context) => {
  const tag = localNameOf(element);
  const { fontSize, hides, scrolls } = context.facts;
  const isButton = tag === "input" && /^(?:button|submit|reset)$/.test(/** @type {any} */ (element).type);
  if (isButton) return scrollWidthOf(element) > clientWidthOf(element) + fontSize ? PARTLY_CLIPPED : "";
  const isCut = tag === "textarea" && hides && !scrolls && scrollHeightOf(element) > clientHeightOf(element) + fontSize;
  return isCut ? PARTLY_CLIPPED : "";
};

// The reason why the placeholder of a field is not visible, or "". Where no style of a page moves it, a margin is the
// browser's own.
/** @param {Element} element @param {string} text */
export const unseenPlaceholder = (element, text) => {
  const style = getComputedStyle(element, "::placeholder");
  const context = contextInside(element);
  return (
    unseenPseudo(style, context, element) ||
    displacedReason(style, element, text) ||
    (ENGINE_TRAITS.movesPlaceholders ? moveReason(style, element, context) : "")
  );
};

// The reason why text that CSS generates before or after the content of an element is not visible, or "".
/** @param {Element} element @param {string} which @param {CSSStyleDeclaration} style @param {string} text @param {VisibilityContext} context */
export const unseenGenerated = (element, which, style, text, context) =>
  unseenPseudo(style, context, element, which) ||
  smallBoxReason(style) ||
  moveReason(style, element, context, text) ||
  overlongReason(style, text, context);

/** @param {CSSStyleDeclaration} style */
const smallBoxReason = (style) => {
  const [width, height] = [parseFloat(style.width), parseFloat(style.height)];
  if (/hidden|clip|auto|scroll/.test(style.overflowX) && (width <= 2 || height <= 2)) return "screen-reader text";
  const box = { left: 0, top: 0, right: width, bottom: height, width, height };
  const shape = style.clipPath !== "none" && width ? clipPathRect(style.clipPath, box) : null;
  if (shape && (shape.right - shape.left <= 2 || shape.bottom - shape.top <= 2)) return "clipped";
  const [a = 1, b = 0, c = 0, d = 1] = matrixOf(style.transform);
  return Math.abs(a * d - b * c) < 0.02 || /^0(?:\.0\d*)?(?:$| )/.test(style.scale) ? "scaled away" : "";
};

/** @param {string} transform */
const matrixOf = (transform) => (/^matrix\(/.test(transform) ? transform.slice(7, -1).split(", ").map(Number) : []);

// Where a position, a margin or a transform has moved the text, from where it would be. An absolute position counts
// from the element only if that is positioned.
/** @param {CSSStyleDeclaration} style @param {Element} element @param {VisibilityContext} context @param {string} [text] */
const moveReason = (style, element, context, text = "") => {
  const [, , , , right = 0, down = 0] = matrixOf(style.transform);
  const margins = [parseFloat(style.marginLeft) || 0, parseFloat(style.marginTop) || 0];
  const isPlaced = style.position !== "static";
  if (!isPlaced && !right && !down && margins[0] > -50 && margins[1] > -50) return "";
  if (style.position === "absolute" && !context.facts.placed && !context.facts.holdsFixed)
    return parseFloat(style.left) < -999 || parseFloat(style.top) < -999 ? "off-screen" : "";
  const origin = style.position === "fixed" ? { left: 0, top: 0 } : rectOf(element);
  const left = origin.left + right + margins[0] + (isPlaced ? parseFloat(style.left) || 0 : 0);
  const top = origin.top + down + margins[1] + (isPlaced ? parseFloat(style.top) || 0 : 0);
  const size = parseFloat(style.fontSize);
  const width = parseFloat(style.width) || Math.max(text.length, 1) * size * LETTER_WIDTH;
  const height = parseFloat(style.height) || size;
  const box = { left, top, width, height, right: left + width, bottom: top + height };
  return geometryReason(box, { ...context, fixed: context.fixed || style.position === "fixed" });
};

// Text on one line that is certainly longer than the box that shows it.
/** @param {CSSStyleDeclaration} style @param {string} text @param {VisibilityContext} context */
const overlongReason = (style, text, context) => {
  const clip = context.clip;
  if (!clip || !context.needsMeasuring || style.textWrapMode !== "nowrap") return "";
  const width = text.length * parseFloat(style.fontSize) * LETTER_WIDTH * 0.7;
  return width > clip.right - clip.left ? PARTLY_CLIPPED : "";
};
