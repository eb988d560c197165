// Switches that are drawn with plain elements: which side of its track the knob is on.

import { attr, hasAttr } from "../dom/attributes.js";
import { childCountOf, firstElementOf, nextElementOf, queryAll, rectOf, textContentOf } from "../dom/natives.js";
import { parentElementOf } from "../dom/tree.js";

const MAX_PARTS = 8;
const STATE_WORD = /^(?:is-|--)?(?:(on|active|checked|enabled|selected)|(off|inactive|unchecked|disabled))$/i;

/** @param {Box} rect */
const hasTrackShape = (rect) =>
  rect.width >= 20 && rect.width <= 90 && rect.height >= 10 && rect.height <= 50 && rect.width >= rect.height * 1.4;

/** @param {Element} element @param {Box} rect */
const isTrack = (element, rect) =>
  hasTrackShape(rect) &&
  rect.width <= rect.height * 3.2 &&
  !textContentOf(element).trim() &&
  parseFloat(getComputedStyle(element).borderTopLeftRadius) >= rect.height * 0.3;

/** @param {number} width @param {number} height @param {Box} track */
const hasKnobShape = (width, height, track) =>
  height >= track.height * 0.4 && height <= track.height * 1.3 && width >= height * 0.7 && width <= track.width * 0.65;

// The middle of the knob, as a share of the track's width.
/** @param {Element} track @param {Box} rect */
const knobPlace = (track, rect) => {
  for (let part = firstElementOf(track); part; part = nextElementOf(part)) {
    const knob = rectOf(part);
    if (hasKnobShape(knob.width, knob.height, rect)) return (knob.left + knob.width / 2 - rect.left) / rect.width;
  }
  return generatedKnobPlace(track, "::before", rect) ?? generatedKnobPlace(track, "::after", rect);
};

/** @param {Element} track @param {string} which @param {Box} rect */
const generatedKnobPlace = (track, which, rect) => {
  const style = getComputedStyle(track, which);
  const [width, height] = [parseFloat(style.width), parseFloat(style.height)];
  if (style.content === "none" || !hasKnobShape(width, height, rect)) return null;
  const left = parseFloat(style.left) || parseFloat(style.marginLeft) || 0;
  const moved = /^matrix\((?:[^,]+, ){4}([-\d.]+)/.exec(style.transform);
  const shift = (moved ? Number(moved[1]) : 0) + (parseFloat(style.translate) || 0);
  return (left + shift + width / 2) / rect.width;
};

/** @param {Element} element */
const statedLook = (element) => {
  const words = [attr(element, "data-state") || "", ...(attr(element, "class") || "").split(/\s+/)];
  for (const word of words) {
    const state = STATE_WORD.exec(word);
    if (state) return state[1] ? "on" : "off";
  }
  return "";
};

const EMPTY_PARTS = ":empty:not(img,svg,input,br,hr,canvas,iframe,path,use,textarea)";

// The knob, or the track that draws its knob itself, is an empty element.
/** @param {Element} element */
const trackIn = (element) => {
  const empty = childCountOf(element) === 0 ? [element] : queryAll(element, EMPTY_PARTS);
  if (empty.length > MAX_PARTS) return null;
  for (const part of empty) {
    const around = part === element ? null : parentElementOf(part);
    for (const track of around ? [part, around] : [part]) {
      const rect = rectOf(track);
      if (isTrack(track, rect)) return { part: track, rect };
    }
  }
  return null;
};

// "on" or "off" by the looks of it; empty for anything that is not drawn as a switch, or that tells its state itself.
/** @param {Element} element */
export const toggleLook = (element) => {
  if (childCountOf(element) === 0 && textContentOf(element)) return "";
  if (hasAttr(element, "aria-checked") || hasAttr(element, "aria-pressed")) return "";
  const track = trackIn(element);
  if (!track) return "";
  const place = knobPlace(track.part, track.rect);
  if (place === null) return "";
  if (Math.abs(place - 0.5) > 0.08) return place > 0.5 ? "on" : "off";
  return statedLook(track.part) || statedLook(element);
};
