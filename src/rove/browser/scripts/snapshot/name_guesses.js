// Guesses for elements without a name, from title, class, file name, symbol or colour. The line marks them as guesses.

import { attr } from "../dom/attributes.js";
import { isTag, SVG } from "../dom/elements.js";
import { localNameOf, namespaceOf, queryOne } from "../dom/natives.js";
import { clip, squash } from "../dom/text.js";
import { colourName } from "../names/colour_names.js";
import { parseColour } from "../visibility/colours.js";

const MEANINGLESS_CLASS_WORDS = new Set(
  (
    "icon icons btn button fa fas far fab fal fad bi mdi material symbols svg img image glyphicon ion ti la las lar feather lucide " +
    "octicon anticon i ico link nav item action actions control primary secondary default small large medium sm lg md xs xl " +
    "wrapper container inner outer content row col flex grid block inline active hover focus js u o is has ui"
  ).split(" "),
);

/** @param {string} token */
const splitWords = (token) =>
  token
    .replace(/([a-z\d])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean);

/** @param {Element} element */
const fromClass = (element) => {
  const tokens = (attr(element, "class") || "").split(/\s+/).slice(0, 12);
  for (const token of tokens) {
    // Generated class names (css-1x2y3z, sc-bdVaJa) mean nothing.
    if (
      !token ||
      token.length > 40 ||
      (/(?:^|[-_])(?=\w*\d)(?=\w*[a-z])\w{5,}$/i.test(token) && /\d\w*[a-z]\w*\d|[a-z]\d[a-z]/i.test(token))
    )
      continue;
    const useful = splitWords(token).filter(
      (word) => !MEANINGLESS_CLASS_WORDS.has(word) && word.length > 1 && word.length < 20,
    );
    if (useful.length && /icon|^fa|^bi|^mdi|glyph|^ti-|^la-|octicon|lucide|svg|ico/i.test(token))
      return useful.join(" ");
  }
  return "";
};

/** @param {Element} element */
const plainClass = (element) => {
  for (const token of (attr(element, "class") || "").split(/\s+/).slice(0, 6)) {
    const useful = splitWords(token).filter(
      (word) => !MEANINGLESS_CLASS_WORDS.has(word) && word.length > 2 && word.length < 16,
    );
    if (useful.length && !/\d/.test(token) && token.length < 30) return useful.join(" ");
  }
  return "";
};

/** @param {string | null} address */
const fileStem = (address) => {
  if (!address || /^data:/i.test(address)) return "";
  const path = address.split(/[?#]/)[0];
  const stem = (path.split("/").pop() || "").replace(/\.\w{2,5}$/, "");
  let decoded = stem;
  try {
    decoded = decodeURIComponent(stem);
  } catch {
    decoded = stem;
  }
  return /[a-z]{3}/i.test(decoded) && decoded.length <= 40 ? decoded.replace(/[-_]+/g, " ").trim() : "";
};

/** @param {Element} element */
const fromSvgUse = (element) => {
  const use = localNameOf(element) === "use" ? element : queryOne(element, "use");
  if (!use) return "";
  const href = attr(use, "href") || attr(use, "xlink:href") || "";
  return splitWords(href.split("#").pop() || "")
    .filter((word) => !MEANINGLESS_CLASS_WORDS.has(word))
    .join(" ");
};

/** @param {Element} element */
const fromImage = (element) => {
  const image = isTag(element, "img") ? element : queryOne(element, "img");
  return image ? squash(attr(image, "alt") || "") || fileStem(attr(image, "src")) : "";
};

/** @param {Element} element */
const fromColour = (element) => {
  const style = getComputedStyle(element);
  if (namespaceOf(element) === SVG && style.fill && style.fill !== "none") return colourName(parseColour(style.fill));
  const background = parseColour(style.backgroundColor);
  return background[3] > 0.3 ? colourName(background) : "";
};

/** @param {Element} element */
const fromBackground = (element) => {
  const match = /url\("?([^")]+)"?\)/.exec(getComputedStyle(element).backgroundImage);
  return match ? fileStem(match[1]) : "";
};

/** @param {Element} element */
export const guessName = (element) => {
  for (const name of [
    "data-icon",
    "data-tooltip",
    "data-title",
    "data-original-title",
    "data-label",
    "data-name",
    "name",
  ]) {
    const value = attr(element, name);
    if (value && value.length <= 60) return squash(value);
  }
  const inner = queryOne(element, "[title],[data-icon],[class*=icon],[class*=fa-],i[class],svg[class]");
  const hint =
    (inner && (attr(inner, "title") || attr(inner, "data-icon"))) ||
    fromClass(element) ||
    (inner && fromClass(inner)) ||
    fromSvgUse(element) ||
    fromImage(element) ||
    fromBackground(element) ||
    hrefHint(element) ||
    attr(element, "data-testid") ||
    plainClass(element) ||
    splitWords(attr(element, "id") || "")
      .filter((word) => word.length > 2)
      .join(" ") ||
    (inner && plainClass(inner)) ||
    (isTag(element, "input") || isTag(element, "select") || isTag(element, "textarea") ? "" : fromColour(element));
  return hint ? squash(hint) : "";
};

/** @param {Element} element */
const hrefHint = (element) => {
  const href = attr(element, "href");
  if (!href || href.startsWith("#") || /^javascript:/i.test(href)) return "";
  return fileStem(href.replace(/\/+$/, "")) || clip(href.replace(/^https?:\/\//, ""), 40);
};
