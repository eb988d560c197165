// What an element without a name shows instead: the words that its icon is called by in the code, and what is drawn.
// The words are those of the page's author and survive a new drawing; the drawing survives new class names.

import { attr } from "../dom/attributes.js";
import { localNameOf, queryAll } from "../dom/natives.js";
import { squash } from "../dom/text.js";
import { iconWords } from "../snapshot/name_guesses.js";

const ICON_SHAPES = "path,polygon,polyline,circle,ellipse,rect,line";
const ICON_GEOMETRY = ["d", "points", "cx", "cy", "r", "rx", "ry", "x", "y", "width", "height", "x1", "y1", "x2", "y2"];
const MOST_SHAPES_OF_ICON = 60;
const MOST_PAINTED = 6;
const PAINTED_PARTS = [undefined, "::before", "::after"];

/** @param {Element} shape */
const geometryOf = (shape) => {
  const known = ICON_GEOMETRY.map((name) => [name, attr(shape, name)]).filter(([, value]) => value);
  return `${localNameOf(shape)} ${known.map(([name, value]) => `${name}=${squash(value || "")}`).join(" ")}`;
};

// A file is known by its name: where it lies, and the version in its query, change with each release.
/** @param {string} address */
const pictureName = (address) =>
  address.startsWith("data:") ? address : (address.split(/[?#]/)[0].split("/").pop() ?? "");

/** @param {Element} element */
const paintOf = (element) =>
  PAINTED_PARTS.map((part) => {
    const style = getComputedStyle(element, part);
    const pictures = [...`${style.backgroundImage} ${style.maskImage}`.matchAll(/url\("?([^")]+)"?\)/g)];
    const isMade = part && !["none", "normal", '""'].includes(style.content);
    return [...(isMade ? [style.content] : []), ...pictures.map((match) => pictureName(match[1]))].join(" ");
  }).join(" ");

/** @param {Element} element */
const drawingOf = (element) => {
  const shapes = [...queryAll(element, ICON_SHAPES)].slice(0, MOST_SHAPES_OF_ICON).map(geometryOf);
  const images = [...queryAll(element, "img")]
    .slice(0, MOST_PAINTED)
    .map((each) => pictureName(attr(each, "src") || ""));
  const uses = [...queryAll(element, "use")].slice(0, MOST_PAINTED).map((each) => attr(each, "href") || "");
  const painted = [element, ...queryAll(element, "*:not(svg *)")].slice(0, MOST_PAINTED).map(paintOf);
  return squash([...shapes, ...images, ...uses, ...painted].join(" "));
};

// FNV-1a: short, and no one gains from two drawings of the same number.
/** @param {string} text */
const fingerprint = (text) => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
};

/** @param {Element} element */
export const iconOf = (element) => {
  const drawing = drawingOf(element);
  return squash(`${iconWords(element)} ${drawing ? `#${fingerprint(drawing)}` : ""}`);
};
