// The colour of a CSS gradient at a point.

import { coloursIn, parseColour } from "../visibility/colours.js";

// Parts of a list that are separated by commas outside parentheses and quotes.
/** @param {string} value */
export const listParts = (value) => {
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
export const gradientColours = (gradient, x, y, width, height) => {
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
