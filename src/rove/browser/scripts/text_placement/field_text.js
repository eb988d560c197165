// Text that is not a text node of the page: values and placeholders of fields, and what CSS generates. It cannot be
// measured, so its place is computed from the style.

import { clientHeightOf, clientWidthOf, localNameOf, rectOf, scrollHeightOf, scrollWidthOf } from "../dom/natives.js";
import { valueOfControl } from "../roles/values.js";
import { clipPathRect } from "../visibility/clipping.js";
import { contextInside, geometryReason } from "../visibility/contexts.js";
import { lowContrastReason, MIN_FONT_SIZE, PARTLY_CLIPPED, unseenPseudo } from "../visibility/text_visibility.js";

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
