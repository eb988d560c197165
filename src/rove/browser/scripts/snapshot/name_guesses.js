// Guesses for elements without a name, from title, class, file name, symbol or colour. The line marks them as guesses.

import { attr } from "../dom/attributes.js";
import { isTag, SVG } from "../dom/elements.js";
import { localNameOf, namespaceOf, queryAll, queryOne, textContentOf } from "../dom/natives.js";
import { clip, squash } from "../dom/text.js";
import { colourName } from "../paint/colour_names.js";
import { parseColour } from "../visibility/colours.js";

const MEANINGLESS_CLASS_WORDS = new Set(
  (
    "icon icons btn button fa fas far fab fal fad bi mdi material symbols svg img image glyphicon ion ti la las lar feather lucide " +
    "octicon anticon i ico link nav item action actions control primary secondary default small large medium sm lg md xs xl " +
    "wrapper container inner outer content row col flex grid block inline active hover focus js u o is has ui " +
    "mui root base label css jss sc ri ph bx bxs bxl pi uil tabler heroicon codicon feather line fill solid outline wrap"
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
  const stem = (path.split("/").pop() || "").replace(/\.\w{2,5}$/, "").replace(/[.-][0-9a-f]{6,}$/i, "");
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

const PAINTED_BY = [undefined, "::before", "::after"];

/** @param {Element} element */
const fromBackground = (element) => {
  for (const pseudo of PAINTED_BY) {
    const style = getComputedStyle(element, pseudo);
    const match = /url\("?([^")]+)"?\)/.exec(`${style.backgroundImage} ${style.maskImage}`);
    const stem = match ? fileStem(match[1]) : "";
    if (stem) return stem;
  }
  return "";
};

const OWN_HINTS = ["data-icon", "data-tooltip", "data-title", "data-original-title", "data-label", "data-name", "name"];
const INNER_HINTS = "[title],[data-icon],[data-testid],i,[class]";
const MAX_INNER = 6;

/** @param {string} text */
const usefulWords = (text) =>
  splitWords(text)
    .filter((word) => !MEANINGLESS_CLASS_WORDS.has(word) && word.length > 2)
    .join(" ");

// The function that a press calls, as onclick="openMenu()", or the action that it stands for.
/** @param {Element} element */
const fromHandler = (element) => {
  const called = /^\s*(?:return\s+)?([\w$.]+)\s*\(/.exec(attr(element, "onclick") || "");
  const word = called ? called[1].split(".").pop() : attr(element, "data-action");
  return word && word.length > 3 && word.length <= 40 ? usefulWords(word) : "";
};

/** @param {Element} element */
const isField = (element) => isTag(element, "input") || isTag(element, "select") || isTag(element, "textarea");

/** @param {Element} element */
const isPicture = (element) =>
  queryOne(element, "svg,img,canvas,i") !== null ||
  isUnreadable(textContentOf(element)) ||
  PAINTED_BY.some((pseudo) => {
    const style = getComputedStyle(element, pseudo);
    return /url\(/.test(`${style.backgroundImage} ${style.maskImage} ${pseudo ? style.content : ""}`);
  });

// Icon fonts use the private use area, which means nothing as text.
/** @param {string} name */
export const isUnreadable = (name) => name.length <= 8 && /^[\s\uE000-\uF8FF\u{F0000}-\u{10FFFD}]+$/u.test(name);

/** @param {Element} element @param {Element[]} inner */
const fromIcon = (element, inner) => {
  for (const each of inner) {
    const hint = attr(each, "title") || attr(each, "data-icon");
    if (hint) return hint;
  }
  for (const each of [element, ...inner]) {
    const hint = fromClass(each) || usefulWords(attr(each, "data-testid") || "");
    if (hint) return hint;
  }
  return "";
};

// What the code calls the picture that an element shows; not what the code calls the element.
/** @param {Element} element */
export const iconWords = (element) => {
  const inner = Array.from(queryAll(element, INNER_HINTS)).slice(0, MAX_INNER);
  const named = inner.map((each) => usefulWords(attr(each, "data-icon") || attr(each, "data-testid") || ""));
  const hint =
    named.find(Boolean) ||
    [element, ...inner].map(fromClass).find(Boolean) ||
    fromSvgUse(element) ||
    fromImage(element) ||
    fromBackground(element);
  return squash(hint).toLowerCase();
};

/** @param {Element} element */
export const guessName = (element) => {
  for (const name of OWN_HINTS) {
    const value = attr(element, name);
    if (value && value.length <= 60) return squash(value);
  }
  const inner = Array.from(queryAll(element, INNER_HINTS)).slice(0, MAX_INNER);
  const hint =
    fromIcon(element, inner) ||
    fromSvgUse(element) ||
    fromImage(element) ||
    fromBackground(element) ||
    hrefHint(element) ||
    fromHandler(element) ||
    plainClass(element) ||
    usefulWords(attr(element, "id") || "") ||
    inner.map(plainClass).find(Boolean) ||
    (isPicture(element) || localNameOf(element) === "svg" ? "icon" : isField(element) ? "" : fromColour(element));
  return hint ? squash(hint) : "";
};

/** @param {Element} element */
const hrefHint = (element) => {
  const href = attr(element, "href");
  if (!href || href.startsWith("#") || /^javascript:/i.test(href)) return "";
  return fileStem(href.replace(/\/+$/, "")) || clip(href.replace(/^https?:\/\//, ""), 40);
};
