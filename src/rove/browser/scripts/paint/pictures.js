// The colours of pictures: images, canvases and videos are drawn on a small canvas of our own and read there.

import { localNameOf, queryAll, rectOf } from "../dom/natives.js";
import { contextInside } from "../visibility/contexts.js";

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
export const colourOfUrl = (url) => {
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
export const positionIn = (part, room) => {
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
export const pictureColourAt = ({ pixels }, across, down) => {
  if (across < 0 || down < 0 || across >= 1 || down >= 1) return [];
  if (!pixels) return null;
  const index = 4 * (Math.floor(down * SIDE) * SIDE + Math.floor(across * SIDE));
  return [[pixels[index], pixels[index + 1], pixels[index + 2], pixels[index + 3] / 255]];
};

const PALETTE_STEP = 8;

// Colours from all over a picture; null where they cannot be read.
/** @param {PictureColours | null} picture @returns {Colour[] | null} */
export const paletteOf = (picture) => {
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
