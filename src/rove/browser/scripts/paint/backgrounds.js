// The background of a box at a point: its colour, images, gradients, inset shadows and border image.

import { blendColours, coloursIn, compositeOver, parseColour } from "../visibility/colours.js";
import { viewHeight, viewWidth } from "../visibility/viewport.js";
import { gradientColours, listParts } from "./gradients.js";
import { colourOfUrl, paletteOf, pictureColourAt, positionIn } from "./pictures.js";

/** @param {string} list @param {number} index */
const cycled = (list, index) => {
  const parts = listParts(list);
  return parts[index % parts.length];
};

/** @param {string} image */
const urlOf = (image) => /^url\("(.*)"\)$/s.exec(image)?.[1].replace(/\\(.)/g, "$1");

// The size of one tile of a background image.
/** @param {string} size @param {Box} area @param {PictureColours | null} picture */
const tileSize = (size, area, picture) => {
  const [width, height] = picture ? [picture.width, picture.height] : [area.width, area.height];
  const scales = [area.width / width, area.height / height];
  if (size === "cover" || size === "contain") {
    const scale = Math[size === "cover" ? "max" : "min"](...scales);
    return [width * scale, height * scale];
  }
  const [across, down = "auto"] = size.split(/ (?![^(]*\))/);
  if (across === "auto" && down === "auto") return [width, height];
  const wide = across === "auto" ? NaN : positionIn(across, area.width);
  const high = down === "auto" ? NaN : positionIn(down, area.height);
  const ratio = picture ? width / height : NaN;
  return [
    Number.isNaN(wide) ? (Number.isNaN(ratio) ? width : high * ratio) : wide,
    Number.isNaN(high) ? (Number.isNaN(ratio) ? height : wide / ratio) : high,
  ];
};

/** @param {number} offset @param {number} length @param {boolean} repeats */
const withinTile = (offset, length, repeats) => (repeats ? ((offset % length) + length) % length : offset);

/** @param {CSSStyleDeclaration} style @param {number} index @param {string} image @param {Box} rect @param {number} x @param {number} y @returns {Colour[] | null} */
const imageColoursAt = (style, index, image, rect, x, y) => {
  const url = urlOf(image);
  const picture = url === undefined ? null : colourOfUrl(url);
  if (url !== undefined && !picture) return null;
  const isFixed = cycled(style.backgroundAttachment, index) === "fixed";
  const area = isFixed ? { left: 0, top: 0, width: viewWidth, height: viewHeight } : rect;
  const [width, height] = tileSize(cycled(style.backgroundSize, index), /** @type {Box} */ (area), picture);
  if (width < 1 || height < 1) return [];
  const [across, down = "50%"] = cycled(style.backgroundPosition, index).split(/ (?![^(]*\))/);
  const [repeatX, repeatY = repeatX] = cycled(style.backgroundRepeat, index).split(" ");
  const left = area.left + positionIn(across, area.width - width);
  const top = area.top + positionIn(down, area.height - height);
  const inX = withinTile(x - left, width, !/no-repeat|repeat-y/.test(repeatX));
  const inY = withinTile(y - top, height, !/no-repeat|repeat-x/.test(repeatY));
  if (inX < 0 || inY < 0 || inX >= width || inY >= height) return [];
  if (picture) return pictureColourAt(picture, inX / width, inY / height);
  return image.includes("gradient(") ? gradientColours(image, inX, inY, width, height) : null;
};

// Whether an inset shadow reaches a point: by its spread, its offset and half of its blur.
/** @param {string} shadow @param {Box} rect @param {number} x @param {number} y */
const shadowReaches = (shadow, rect, x, y) => {
  const [across = 0, down = 0, blur = 0, spread = 0] = (shadow.match(/-?[\d.]+px/g) || []).map(parseFloat);
  const reach = spread + blur / 4;
  return (
    x < rect.left + reach + across ||
    x > rect.right - reach + across ||
    y < rect.top + reach + down ||
    y > rect.bottom - reach + down
  );
};

/** @param {CSSStyleDeclaration} style @param {Box} rect @param {number} x @param {number} y @returns {Colour[][]} */
const insetShadowsAt = (style, rect, x, y) => {
  if (!style.boxShadow.includes("inset")) return [];
  return listParts(style.boxShadow)
    .reverse()
    .filter((shadow) => shadow.includes("inset") && shadowReaches(shadow, rect, x, y))
    .map((shadow) => [parseColour(/^(\w+\([^)]*\))/.exec(shadow)?.[1] || "#000")]);
};

/** @param {CSSStyleDeclaration} style @param {Box} rect @param {number} x @param {number} y @returns {(Colour[] | null)[]} */
const borderImageAt = (style, rect, x, y) => {
  const image = style.borderImageSource;
  if (image === "none" || !style.borderImageSlice.includes("fill")) return [];
  const isGradient = image.includes("gradient(");
  return [isGradient ? gradientColours(image, x - rect.left, y - rect.top, rect.width, rect.height) : null];
};

// What is painted at a point, from the bottom up: the colours that each part may have, or null where they are unknown.
/** @param {CSSStyleDeclaration} style @param {Box} rect @param {number} x @param {number} y @returns {(Colour[] | null)[]} */
export const backgroundAt = (style, rect, x, y) => {
  /** @type {(Colour[] | null)[]} */
  const parts = [];
  const colour = parseColour(style.backgroundColor);
  if (style.webkitBackgroundClip !== "text") {
    if (colour[3] > 0) parts.push([colour]);
    if (style.backgroundImage !== "none")
      for (const [index, image] of [...listParts(style.backgroundImage).entries()].reverse())
        if (image !== "none") parts.push(imageColoursAt(style, index, image, rect, x, y));
  }
  return [...parts, ...insetShadowsAt(style, rect, x, y), ...borderImageAt(style, rect, x, y)];
};

/** @param {string} image */
const imagePalette = (image) => {
  const url = urlOf(image);
  return url === undefined ? coloursIn(image) : paletteOf(colourOfUrl(url));
};

/** @type {Map<Element, Palette>} */
let palettes = new Map();

export const resetPalettes = () => {
  palettes = new Map();
};

// All colours of the background images of an element, as far as they can be read.
/** @param {Element} element */
export const backgroundPalette = (element) => {
  let palette = palettes.get(element);
  if (!palette) {
    palette = readPalette(getComputedStyle(element));
    palettes.set(element, palette);
  }
  return palette;
};

/** @param {CSSStyleDeclaration} style @returns {Palette} */
const readPalette = (style) => {
  const lists = listParts(style.backgroundImage).map(imagePalette);
  const isPlain = style.borderImageSource === "none" && style.boxShadow === "none";
  return { colours: lists.flatMap((list) => list || []), isPlain, seen: new Map() };
};

const MAX_COLOURS = 24;

/** @param {Colour[]} below @param {Colour[]} part @param {string} blend @param {number} opacity */
const blendOver = (below, part, blend, opacity) =>
  below
    .flatMap((under) =>
      part.map((colour) => {
        const [red, green, blue, alpha] = blendColours(blend, under, colour);
        return compositeOver([red, green, blue, alpha * opacity], under);
      }),
    )
    .slice(0, MAX_COLOURS);

// Paints one part over what is below it; null is unknown.
/** @param {Colour[] | null} below @param {Colour[] | null} part @param {number} opacity @param {string} [blend] @returns {Colour[] | null} */
export const paintOver = (below, part, opacity, blend = "") => {
  if (part && !part.length) return below;
  if (!part) return opacity > 0.05 ? null : below;
  if (blend) return below && blendOver(below, part, blend, opacity);
  const over = part.map((colour) => [colour[0], colour[1], colour[2], colour[3] * opacity]);
  if (over.every((colour) => colour[3] >= 0.95)) return over;
  if (!below) return null;
  return over.flatMap((colour) => below.map((under) => compositeOver(colour, under))).slice(0, MAX_COLOURS);
};
