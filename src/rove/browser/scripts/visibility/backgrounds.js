// The background of a box at a point: its colour, images, gradients, inset shadows and border image.

import { localNameOf, queryAll, rectOf } from "../dom/natives.js";
import { blendColours, coloursIn, compositeOver, parseColour } from "./colours.js";
import { contextInside } from "./contexts.js";
import { viewHeight, viewWidth } from "./viewport.js";

// The colour of a CSS gradient at a point.

// Parts of a list that are separated by commas outside parentheses and quotes.
/** @param {string} value */
const listParts = (value) => {
  const parts = [""];
  let [depth, quote] = [0, ""];
  for (const char of value) {
    if (quote) quote = char === quote ? "" : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === "(") depth++;
    else if (char === ")") depth--;
    if (char === "," && !depth && !quote) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.trim());
};

/** @type {Record<string, number>} */
const SIDES = { "to top": 0, "to right": 90, "to bottom": 180, "to left": 270 };

// In radians; NaN for a direction that depends on the shape of the box.
/** @param {string} direction */
const angleOf = (direction) => {
  const degrees = SIDES[direction] ?? (/^-?[\d.]+deg$/.test(direction) ? parseFloat(direction) : NaN);
  return (degrees * Math.PI) / 180;
};

/** @param {string} text @param {number} whole */
const stopPosition = (text, whole) => {
  if (/^-?[\d.]+%$/.test(text)) return parseFloat(text) / 100;
  return /^-?[\d.]+px$/.test(text) ? parseFloat(text) / whole : NaN;
};

// Each colour with its position from 0 to 1; a stop with two positions counts twice.
/** @param {string[]} parts @param {number} whole */
const stopsOf = (parts, whole) => {
  /** @type {GradientStop[]} */
  const stops = [];
  for (const part of parts) {
    const [, colour, places] = /^(\w+\(.*\)|[a-z]+)\s*(.*)$/.exec(part) || [];
    if (!colour) return null;
    for (const place of places ? places.split(" ") : [""])
      stops.push({ colour: parseColour(colour), at: stopPosition(place, whole) });
  }
  return spreadStops(stops);
};

// Stops without a position are spread evenly between their neighbours.
/** @param {GradientStop[]} stops */
const spreadStops = (stops) => {
  if (stops.length < 2) return null;
  if (Number.isNaN(stops[0].at)) stops[0].at = 0;
  const last = stops[stops.length - 1];
  if (Number.isNaN(last.at)) last.at = 1;
  for (let i = 1; i < stops.length; i++) {
    if (Number.isNaN(stops[i].at)) {
      const next = stops.findIndex((stop, index) => index > i && !Number.isNaN(stop.at));
      stops[i].at = stops[i - 1].at + (stops[next].at - stops[i - 1].at) / (next - i + 1);
    }
    stops[i].at = Math.max(stops[i].at, stops[i - 1].at);
  }
  return stops;
};

// Colours are mixed in proportion to their alpha, so that "transparent" does not darken its neighbour.
/** @param {GradientStop} from @param {GradientStop} to @param {number} at @returns {Colour} */
const mixStops = (from, to, at) => {
  const share = to.at > from.at ? (at - from.at) / (to.at - from.at) : 1;
  const alpha = from.colour[3] * (1 - share) + to.colour[3] * share;
  if (alpha === 0) return [0, 0, 0, 0];
  const weights = [(from.colour[3] * (1 - share)) / alpha, (to.colour[3] * share) / alpha];
  return [0, 1, 2].map((i) => from.colour[i] * weights[0] + to.colour[i] * weights[1]).concat(alpha);
};

/** @param {GradientStop[]} stops @param {number} at */
const colourOfStops = (stops, at) => {
  if (at <= stops[0].at) return stops[0].colour;
  const next = stops.findIndex((stop) => stop.at > at);
  return next < 0 ? stops[stops.length - 1].colour : mixStops(stops[next - 1], stops[next], at);
};

// The colours that a gradient may have at a point of its tile: one, or those of all its stops where it is not computed.
/** @param {string} gradient @param {number} x @param {number} y @param {number} width @param {number} height @returns {Colour[]} */
const gradientColours = (gradient, x, y, width, height) => {
  const match = /^(?:-webkit-)?(repeating-)?linear-gradient\((.*)\)$/.exec(gradient);
  if (!match) return coloursIn(gradient);
  const parts = listParts(match[2]);
  const isDirected = /^(?:to |-?[\d.]+(?:deg|turn|rad))/.test(parts[0]);
  const angle = isDirected ? angleOf(parts[0]) : Math.PI;
  const whole = Math.abs(width * Math.sin(angle)) + Math.abs(height * Math.cos(angle));
  const stops = whole ? stopsOf(isDirected ? parts.slice(1) : parts, whole) : null;
  if (!stops) return coloursIn(gradient);
  const at = ((x - width / 2) * Math.sin(angle) - (y - height / 2) * Math.cos(angle)) / whole + 0.5;
  const period = stops[stops.length - 1].at - stops[0].at;
  const repeated = match[1] && period > 0 ? stops[0].at + ((((at - stops[0].at) % period) + period) % period) : at;
  return [colourOfStops(stops, repeated)];
};

// The colours of pictures: images, canvases and videos are drawn on a small canvas of our own and read there.

const SIDE = 64;
const MAX_KNOWN = 100;

/** @type {OffscreenCanvasRenderingContext2D | null} */
let pixelCanvas = null;
/** @type {Map<string, HTMLImageElement>} */
const imagesByUrl = new Map();
/** @type {Map<any, PictureColours | null>} */
let coloursByPicture = new Map();

// A canvas or video may show something else in the next pass.
export const resetPictures = () => {
  coloursByPicture = new Map();
};

/** @param {any} picture @returns {Uint8ClampedArray | null} */
const readPixels = (picture) => {
  try {
    pixelCanvas ??= new OffscreenCanvas(SIDE, SIDE).getContext("2d", { willReadFrequently: true });
    const canvas = /** @type {OffscreenCanvasRenderingContext2D} */ (pixelCanvas);
    canvas.clearRect(0, 0, SIDE, SIDE);
    canvas.drawImage(picture, 0, 0, SIDE, SIDE);
    return canvas.getImageData(0, 0, SIDE, SIDE).data;
  } catch {
    // A picture of another origin: reading it is forbidden, and so is every later read from this canvas.
    pixelCanvas = null;
    return null;
  }
};

/** @param {any} picture @param {number} width @param {number} height @returns {PictureColours} */
const readColours = (picture, width, height) => {
  const known = coloursByPicture.get(picture);
  if (known) return known;
  const colours = { width, height, pixels: width && height ? readPixels(picture) : null };
  coloursByPicture.set(picture, colours);
  return colours;
};

// An image that the page has loaded is in the browser's memory, and complete at once.
/** @param {string} url */
const colourOfUrl = (url) => {
  let image = imagesByUrl.get(url);
  if (!image) {
    if (imagesByUrl.size >= MAX_KNOWN) imagesByUrl.clear();
    image = new Image();
    image.src = url;
    imagesByUrl.set(url, image);
  }
  return image.complete && image.naturalWidth ? readColours(image, image.naturalWidth, image.naturalHeight) : null;
};

/** @type {Record<string, (picture: any) => PictureColours | null | undefined>} */
const READERS = {
  img: (image) =>
    image.complete && image.naturalWidth ? readColours(image, image.naturalWidth, image.naturalHeight) : undefined,
  // A canvas with a WebGL context reads as empty once its frame was shown.
  canvas: (canvas) => {
    const colours = readColours(canvas, canvas.width, canvas.height);
    return colours.pixels && colours.pixels.some((value) => value !== 0) ? colours : null;
  },
  video: (video) => {
    if (video.readyState >= 2) return readColours(video, video.videoWidth, video.videoHeight);
    return video.poster ? colourOfUrl(video.poster) : undefined;
  },
};

// null: something is painted, but its colours cannot be read; undefined: nothing is painted.
/** @param {Element} element */
const coloursOfElement = (element) => {
  const read = READERS[localNameOf(element)];
  return read ? read(element) : null;
};

/** @param {string} part @param {number} room */
const positionIn = (part, room) => {
  let sum = 0;
  for (const [, sign, number, unit] of part.matchAll(/([+-])?\s*([\d.]+)(%|px)/g))
    sum += (sign === "-" ? -1 : 1) * (unit === "%" ? (Number(number) / 100) * room : Number(number));
  return sum;
};

// Where a picture lies in the box of its element.
/** @param {CSSStyleDeclaration} style @param {Box} box @param {number} width @param {number} height */
const fittedBox = (style, box, width, height) => {
  const fit = style.objectFit;
  if (fit === "fill") return box;
  const scales = [box.width / width, box.height / height];
  const contain = Math.min(...scales);
  const scale =
    fit === "cover" ? Math.max(...scales) : fit === "none" ? 1 : fit === "contain" ? contain : Math.min(1, contain);
  const [across, down = "50%"] = style.objectPosition.split(/ (?![^(]*\))/);
  return {
    left: box.left + positionIn(across, box.width - width * scale),
    top: box.top + positionIn(down, box.height - height * scale),
    width: width * scale,
    height: height * scale,
  };
};

/** @param {PictureColours} picture @param {number} across @param {number} down from 0 to 1 @returns {Colour[] | null} */
const pictureColourAt = ({ pixels }, across, down) => {
  if (across < 0 || down < 0 || across >= 1 || down >= 1) return [];
  if (!pixels) return null;
  const index = 4 * (Math.floor(down * SIDE) * SIDE + Math.floor(across * SIDE));
  return [[pixels[index], pixels[index + 1], pixels[index + 2], pixels[index + 3] / 255]];
};

const PALETTE_STEP = 8;

// Colours from all over a picture; null where they cannot be read.
/** @param {PictureColours | null} picture @returns {Colour[] | null} */
const paletteOf = (picture) => {
  if (!picture || !picture.pixels) return null;
  const found = [];
  for (let down = 0; down < SIDE; down += PALETTE_STEP)
    for (let across = 0; across < SIDE; across += PALETTE_STEP)
      found.push(.../** @type {Colour[]} */ (pictureColourAt(picture, across / SIDE, down / SIDE)));
  return found;
};

// The colours of an image, canvas or video at a point of the viewport; null where they cannot be read.
/** @param {Element} element @param {number} x @param {number} y @returns {Colour[] | null} */
export const replacedColourAt = (element, x, y) => {
  const picture = coloursOfElement(element);
  if (!picture) return picture === undefined ? [] : null;
  const box = fittedBox(getComputedStyle(element), rectOf(element), picture.width, picture.height);
  return pictureColourAt(picture, (x - box.left) / box.width, (y - box.top) / box.height);
};

const SHOWN_AS_PICTURE = new Set(["img", "svg", "canvas", "video", "picture", "object"]);
const MIN_ICON = 6;
const MAX_ICON_PARTS = 10;
const ICON_GLYPH = /[\uE000-\uF8FF]|url\(/;

/** @param {Element} element @param {string} which */
const hasGeneratedIcon = (element, which) => {
  const style = getComputedStyle(element, which);
  return ICON_GLYPH.test(style.content) || style.backgroundImage !== "none" || style.maskImage !== "none";
};

/** @param {Element} element */
const isShownAsPicture = (element) => {
  const { facts, seen } = contextInside(element);
  if (facts.none || !seen) return false;
  const rect = rectOf(element);
  if (rect.width < MIN_ICON || rect.height < MIN_ICON) return false;
  if (SHOWN_AS_PICTURE.has(facts.tag) || (facts.backgroundImage && !facts.clippedToText)) return true;
  return (
    (facts.before && hasGeneratedIcon(element, "::before")) || (facts.after && hasGeneratedIcon(element, "::after"))
  );
};

// Whether an element shows a picture, in place of words that only screen readers get.
/** @param {Element} element */
export const showsPicture = (element) =>
  [element, ...[...queryAll(element, "*")].slice(0, MAX_ICON_PARTS)].some(isShownAsPicture);

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
