// CSS effects that hide text: filters, masks, 3D transforms, text shadows and strokes.

import { coloursIn, parseColour } from "./colours.js";

/** @param {CSSStyleDeclaration} style */
const hasNegativeMargin = (style) =>
  style.marginTop.charCodeAt(0) === 45 ||
  style.marginLeft.charCodeAt(0) === 45 ||
  style.marginBottom.charCodeAt(0) === 45 ||
  style.marginRight.charCodeAt(0) === 45;

/** @param {string} filter */
const filterHides = (filter) => {
  if (filter === "none") return false;
  // What an SVG filter does to the text cannot be computed.
  if (filter.includes("url(")) return true;
  const opacity = /opacity\(([\d.]+)\)/.exec(filter);
  const blur = /blur\(([\d.]+)px\)/.exec(filter);
  return Boolean((opacity && Number(opacity[1]) < 0.08) || (blur && Number(blur[1]) >= 8));
};

/** @param {CSSStyleDeclaration} style */
const maskHides = (style) => {
  const mask = style.maskImage;
  if (mask === "none") return false;
  if (!/gradient\(/.test(mask)) return true; // what an image lets through cannot be computed
  if (!/(?:rgb\(|rgba\([^)]*, (?:1|0\.[1-9]\d*)\))/.test(mask)) return true;
  if (/(?:^|[ ,])0(?:px|%)(?:$|[ ,])/.test(style.maskSize)) return true;
  return /no-repeat/.test(style.maskRepeat) && /-?\d{4,}px/.test(style.maskPosition);
};

/** @param {string} transform */
const matrix3dOf = (transform) => {
  const match = /^matrix3d\(([^)]+)\)$/.exec(transform);
  return match ? match[1].split(", ").map(Number) : null;
};

/** @param {string} transform */
export const facesAway = (transform) => {
  const depths = matrix3dOf(transform);
  return Boolean(depths && depths[10] < 0);
};

// Closer than the viewer: by a perspective of its own, or by that of the box around it.
/** @param {string} transform @param {StyleRecord | null} parent */
const isBehindViewer = (transform, parent) => {
  const depths = matrix3dOf(transform);
  if (!depths) return false;
  return depths[15] <= 0 || Boolean(parent && parent.perspective && depths[14] >= parent.perspective);
};

// The reason why this style by itself hides text.
/** @param {CSSStyleDeclaration} style @param {string} transform @param {StyleRecord | null} parent */
export const hidingReason = (style, transform, parent) => {
  if (filterHides(style.filter)) return style.filter.includes("url(") ? "perhaps filter" : "filter";
  if (maskHides(style)) return /gradient\(/.test(style.maskImage) ? "masked" : "perhaps masked";
  const turned = transform !== "none" && facesAway(transform);
  const around = Boolean(parent && parent.facesAway);
  if (style.backfaceVisibility === "hidden" && turned !== around) return "turned away";
  return isBehindViewer(transform, parent) ? "behind the eye" : "";
};

/** @param {CSSStyleDeclaration} style */
export const hasPaintContainment = (style) =>
  style.contentVisibility === "auto" || /paint|strict|content/.test(style.contain);

/** @param {CSSStyleDeclaration} style */
export const hasShrunkFont = (style) =>
  style.fontSizeAdjust !== "none" ||
  (shrunkFonts.length !== 0 && shrunkFonts.some((name) => style.fontFamily.includes(name)));

// Font families that a style sheet makes too small to be read.
/** @type {string[]} */
let shrunkFonts = [];

export const findShrunkFonts = () => {
  shrunkFonts = [];
  for (const font of document.fonts)
    if (parseFloat(font.sizeAdjust) < 20) shrunkFonts.push(font.family.replace(/^["']|["']$/g, ""));
};

/** @param {CSSStyleDeclaration} style @param {string} transform */
export const isMoved = (style, transform) =>
  transform !== "none" ||
  style.translate !== "none" ||
  style.scale !== "none" ||
  style.rotate !== "none" ||
  style.offsetPath !== "none" ||
  hasNegativeMargin(style) ||
  style.perspective !== "none";

// These are inherited, so descendants of such an element must be read in full too.
/** @param {CSSStyleDeclaration} style */
export const hasTextStyles = (style) =>
  style.textIndent !== "0px" ||
  style.letterSpacing !== "normal" ||
  style.textShadow !== "none" ||
  style.webkitTextStrokeWidth !== "0px" ||
  style.webkitTextSecurity !== "none" ||
  style.webkitTextFillColor !== style.color;

// Text shadows and strokes that make text visible though its colour would not, and a stroke that covers the letters.
/** @param {CSSStyleDeclaration} style @returns {Decoration} */
export const decorationOf = (style) => {
  const width = parseFloat(style.webkitTextStrokeWidth);
  const stroke = width > 0 ? parseColour(style.webkitTextStrokeColor) : null;
  const shows = stroke && width >= 0.3 ? [stroke] : [];
  for (const shadow of style.textShadow.split(/,(?![^(]*\))/)) {
    const [colour] = coloursIn(shadow);
    const [across = 0, down = 0, blur = 0] = (shadow.match(/-?[\d.]+px/g) || []).map(parseFloat);
    if (colour && colour[3] > 0.2 && Math.abs(across) < 60 && Math.abs(down) < 60 && blur < 40) shows.push(colour);
  }
  const covers = stroke && width > parseFloat(style.fontSize) / 4 && !/^stroke/.test(style.paintOrder) ? stroke : null;
  return { shows, covers };
};
