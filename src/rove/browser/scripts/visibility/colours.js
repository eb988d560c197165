// Colours: parsing, contrast, blending and filters, and plain words for them.

import { nativeGetAttribute, nodeTypeOf, parentNodeOf, queryOne, rootElementOf } from "../dom/natives.js";

export const LOW_CONTRAST = 1.12;

/** @type {Map<string, Colour>} */
const colours = new Map();
/** @type {OffscreenCanvasRenderingContext2D | null} */
let colourCanvas = null;

// Any CSS colour as [red, green, blue, alpha]; colours in other notations are drawn on a canvas of one pixel.
/** @param {string} value @returns {Colour} */
export const parseColour = (value) => {
  let colour = colours.get(value);
  if (colour) return colour;
  const match = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(value);
  if (match)
    colour = [Number(match[1]), Number(match[2]), Number(match[3]), match[4] === undefined ? 1 : Number(match[4])];
  else colour = paintedColour(value);
  if (colours.size > 2000) colours.clear();
  colours.set(value, colour);
  return colour;
};

/** @param {string} value */
const paintedColour = (value) => {
  try {
    colourCanvas ??= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const canvas = /** @type {OffscreenCanvasRenderingContext2D} */ (colourCanvas);
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = "#000";
    canvas.fillStyle = value;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  } catch {
    return [0, 0, 0, 1];
  }
};

/** @param {Colour} colour */
const luminance = ([red, green, blue]) => {
  /** @param {number} channel */
  const linear = (channel) => (channel <= 10 ? channel / 3294 : ((channel / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
};

/** @param {Colour} a @param {Colour} b */
export const contrast = (a, b) => {
  const first = luminance(a) + 0.05;
  const second = luminance(b) + 0.05;
  return first > second ? first / second : second / first;
};

/** @param {Colour} top @param {Colour} below */
export const compositeOver = (top, below) => {
  const alpha = top[3];
  if (alpha >= 1) return top;
  return [0, 1, 2].map((i) => top[i] * alpha + below[i] * (1 - alpha)).concat(1);
};

// A function that changes a colour like the filter; null where the filter changes none.
/** @type {Record<string, (channel: number, by: number) => number>} */
const CHANNELS = {
  brightness: (channel, by) => channel * by,
  contrast: (channel, by) => (channel - 127.5) * by + 127.5,
  invert: (channel, by) => channel * (1 - by) + (255 - channel) * by,
};

/** @param {string} filter @returns {ColourFilter | null} */
export const colourFilterOf = (filter) => {
  const steps = [...filter.matchAll(/(brightness|contrast|invert)\(([\d.]+)\)/g)];
  if (!steps.length) return null;
  return (colour) => {
    /** @param {number} channel */
    const change = (channel) =>
      steps.reduce((now, [, name, by]) => Math.min(255, Math.max(0, CHANNELS[name](now, Number(by)))), channel);
    return [change(colour[0]), change(colour[1]), change(colour[2]), colour[3]];
  };
};

// Blend modes by channel, from 0 to 1.
/** @type {Record<string, (below: number, top: number) => number>} */
export const BLENDS = {
  multiply: (below, top) => below * top,
  darken: Math.min,
  screen: (below, top) => below + top - below * top,
  lighten: Math.max,
  "color-dodge": (below, top) => (top >= 1 ? 1 : Math.min(1, below / (1 - top))),
  "color-burn": (below, top) => (below >= 1 ? 1 : top <= 0 ? 0 : 1 - Math.min(1, (1 - below) / top)),
  "hard-light": (below, top) => (top <= 0.5 ? 2 * below * top : 1 - 2 * (1 - below) * (1 - top)),
  overlay: (below, top) => (below <= 0.5 ? 2 * below * top : 1 - 2 * (1 - below) * (1 - top)),
  "soft-light": (below, top) => (1 - 2 * top) * below * below + 2 * top * below,
  difference: (below, top) => Math.abs(below - top),
  exclusion: (below, top) => below + top - 2 * below * top,
  "plus-lighter": (below, top) => Math.min(1, below + top),
};

/** @param {string} mode @param {Colour} below @param {Colour} top */
export const blendColours = (mode, below, top) =>
  [0, 1, 2].map((i) => 255 * BLENDS[mode](below[i] / 255, top[i] / 255)).concat(top[3]);

/** @param {string} value */
export const coloursIn = (value) =>
  (value.match(/(?:rgba?|hsla?|color|oklch|oklab|lab|lch|hwb)\([^)]*\)/g) || []).map(parseColour);

// An inset shadow that may reach the text of its box, or an image that fills the box from its border.
/** @param {CSSStyleDeclaration} style */
const isPaintedOver = (style) =>
  (style.borderImageSource !== "none" && style.borderImageSlice.includes("fill")) ||
  (style.boxShadow.includes("inset") && /(?:[6-9]|\d\d)(?:\.\d+)?px[^,]*inset/.test(style.boxShadow));

// null: no image; a list: the colours of a gradient; an empty list: only a look at its parts tells the colours.
/** @param {CSSStyleDeclaration} style */
export const backgroundImageColours = (style) => {
  if (isPaintedOver(style)) return [];
  const image = style.backgroundImage;
  if (image === "none") return null;
  return style.webkitBackgroundClip === "text" ? coloursIn(image) : [];
};

/** @param {CSSStyleDeclaration} style */
export const fillColour = (style) => {
  if (style.fill === "none" || style.fill.startsWith("url("))
    return style.fill === "none" && style.stroke === "none" ? [0, 0, 0, 0] : [128, 128, 128, 1];
  const colour = parseColour(style.fill);
  return [colour[0], colour[1], colour[2], colour[3] * Number(style.fillOpacity)];
};

/** @param {CSSStyleDeclaration} style */
export const textColour = (style) => {
  const fill = style.webkitTextFillColor;
  return parseColour(fill || style.color);
};

const DARK_CANVAS = [18, 18, 18, 1];
// The colour of the page where nothing is painted.
/** @type {Colour} */
export let canvasColour = [255, 255, 255, 1];

/** @param {Window} view */
const usesDarkScheme = (view) => {
  const root = rootElementOf(view.document);
  const meta = queryOne(view.document, "meta[name=color-scheme i]");
  const own = root ? view.getComputedStyle(root).colorScheme : "normal";
  const schemes = own === "normal" ? (meta && nativeGetAttribute.call(meta, "content")) || "" : own;
  if (!/\bdark\b/.test(schemes)) return false;
  return !/\blight\b/.test(schemes) || view.matchMedia("(prefers-color-scheme: dark)").matches;
};

// A document in a frame is painted over what is behind the frame, as far as that can be read.
/** @param {Window} view @returns {Colour} */
const canvasOf = (view) => {
  const base = usesDarkScheme(view) ? DARK_CANVAS : [255, 255, 255, 1];
  const frame = view.frameElement;
  if (!frame || base === DARK_CANVAS) return base;
  const outside = /** @type {Window} */ (frame.ownerDocument.defaultView);
  /** @type {Colour[]} */
  const layers = [];
  for (let around = /** @type {Element | null} */ (frame); around; around = parentNodeOf(around)) {
    if (nodeTypeOf(around) === 1) layers.push(parseColour(outside.getComputedStyle(around).backgroundColor));
  }
  return layers.reduceRight((below, layer) => compositeOver(layer, below), canvasOf(outside));
};

export const measureCanvas = () => {
  canvasColour = canvasOf(window);
};

// Plain words for colours.

/** @type {[degrees: number, name: string][]} */
const HUES = [
  [15, "red"],
  [42, "orange"],
  [68, "yellow"],
  [165, "green"],
  [195, "cyan"],
  [255, "blue"],
  [290, "purple"],
  [345, "pink"],
  [361, "red"],
];

const MIN_CHROMA = 28;
const MIN_VIVID_CHROMA = 70;

/** @param {Colour} colour */
const chromaOf = ([red, green, blue]) => Math.max(red, green, blue) - Math.min(red, green, blue);

// Whether a colour is one that people would name, not a shade of grey.
/** @param {Colour} colour */
export const isVivid = (colour) => colour[3] > 0.5 && chromaOf(colour) >= MIN_VIVID_CHROMA;

/** @param {Colour} colour */
const hueOf = (colour) => {
  const [red, green, blue] = colour;
  const chroma = chromaOf(colour);
  const most = Math.max(red, green, blue);
  const sector =
    most === red
      ? ((green - blue) / chroma + 6) % 6
      : most === green
        ? (blue - red) / chroma + 2
        : (red - green) / chroma + 4;
  return sector * 60;
};

/** @param {number} lightness */
const greyName = (lightness) => (lightness < 40 ? "black" : lightness > 240 ? "white" : "grey");

/** @param {Colour} colour */
export const colourName = (colour) => {
  const lightness = (Math.max(colour[0], colour[1], colour[2]) + Math.min(colour[0], colour[1], colour[2])) / 2;
  if (chromaOf(colour) < MIN_CHROMA) return greyName(lightness);
  const hue = hueOf(colour);
  const name = (HUES.find(([end]) => hue < end) || HUES[0])[1];
  if (name === "orange" && lightness < 105) return "brown";
  if (lightness < 60) return "dark " + name;
  return lightness > 205 ? "light " + name : name;
};
