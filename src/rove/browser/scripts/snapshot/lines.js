// One element as one line: role, name, marks, states.

import {
  ARIA,
  attr,
  hasAttr,
  isEditingHost,
  isHtml,
  isTag,
  kindsOf,
  lowerCaseAttr,
  SVG,
  TITLE,
} from "../dom/elements.js";
import { localNameOf, matchesSelector, namespaceOf, queryAll, queryOne, textContentOf } from "../dom/natives.js";
import { bareWord, clip, letterCount, MAX_NAME, MAX_TEXT, quote, squash } from "../dom/text.js";
import { idrefs } from "../dom/tree.js";
import { groupsAreDisabled, inputType, optionsState, TEXT_ENTRY, valueState } from "../roles/controls.js";
import { captionOf, figureCaptionOf, labelsOf, NAME_SHOWN_AS_LABEL } from "../roles/labels.js";
import { descriptionOf } from "../roles/names.js";
import { isItemWithoutContext } from "../roles/roles.js";
import { inheritsReadOnly, statesOf } from "../roles/states.js";
import { colourName, parseColour } from "../visibility/colours.js";
import { NOT_RENDERED, unseenPlaceholder, unseenTexts, unseenWords } from "../visibility/text_visibility.js";

// Guesses for elements without a name, from title, class, file name, symbol or colour. The line marks them as guesses.

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

export const PAINTED_BY = [undefined, "::before", "::after"];

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

export const REF_PLACEHOLDER = "\u0001";

/** @type {Record<string, string>} */
const MARK_TEXT = {
  "aria-hidden": "aria-hidden",
  inert: "inert",
  "screen-reader text": "screen-reader only",
  "perhaps masked": "perhaps invisible: masked",
  "perhaps filter": "perhaps invisible: filter",
  "perhaps covered": "perhaps invisible: covered",
  "perhaps same colour": "perhaps invisible: same colour",
  "partly covered": "partly invisible: covered",
  "partly same colour": "partly invisible: same colour",
  "partly clipped": "partly invisible: clipped",
};

/** @param {string} reason */
export const markFor = (reason) => (reason ? ` (${MARK_TEXT[reason] || "invisible: " + reason})` : "");

// Marks a name that is not visible text: from an ARIA attribute, a tooltip or hidden text.
/** @param {any} element @param {Naming} naming */
export const nameMark = (element, naming) => {
  if (!naming.name) return "";
  if (naming.titled) return " (title)";
  switch (naming.source) {
    case "aria-label":
      return " (aria)";
    case "title":
    case "svg-title":
      return " (title)";
    case "labelledby":
      return naming.hiddenSource ? " (aria)" : unseenMark(idrefs(element, "aria-labelledby"), naming.name);
    case "placeholder":
      return element.value ? " (placeholder)" : markFor(unseenPlaceholder(element, naming.name));
    case "label":
      return unseenMark(labelsOf(element), naming.name);
    case "caption":
      return unseenMark(
        [captionOf(element) || figureCaptionOf(element)].filter((caption) => caption !== null),
        naming.name,
      );
    default:
      return "";
  }
};

// Marks a name whose text is not visible, or the part of it that is not. What the elements have besides, such as the
// popup of a field inside its label, does not matter.
/** @param {Element[]} namers @param {string} name */
const unseenMark = (namers, name) => {
  const hidden = firstUnseen(namers);
  if (!hidden) return "";
  const parts = namers.flatMap(unseenTexts).filter(([, text]) => name.includes(squash(text).slice(0, 40)));
  const length = parts.reduce((sum, [, text]) => sum + letterCount(text), 0);
  if (hidden === NOT_RENDERED || length >= letterCount(name) - 1) return markFor(hidden);
  if (!parts.length) return "";
  const words = parts.slice(0, MAX_UNSEEN_PARTS).map(([, text]) => quote(text, 120));
  return ` (invisible part: ${words.join(" ")}, ${parts[0][0]})`;
};

const MAX_UNSEEN_PARTS = 4;

/** @param {Element[]} elements */
export const firstUnseen = (elements) => {
  for (const element of elements) {
    const reason = unseenWords(element);
    if (reason) return reason;
  }
  return "";
};

/** @param {Element} element @param {Naming} naming @param {boolean} full */
const descriptionState = (element, naming, full) => {
  if (!(kindsOf(element) & (ARIA | TITLE)) && namespaceOf(element) !== SVG) return "";
  const description = descriptionOf(element, naming);
  if (!description) return "";
  // A tooltip that repeats the name tells nothing more.
  if (!full && naming.name.toLowerCase().includes(description.text.toLowerCase())) return "";
  const source = description.source || (firstUnseen(idrefs(element, "aria-describedby")) ? "aria" : "");
  return ` desc${source ? `(${source})` : ""}=${quote(description.text, 200)}`;
};

/** @param {Element} element @param {Naming} naming */
const placeholderState = (element, naming) => {
  const placeholder = attr(element, "placeholder") || attr(element, "aria-placeholder");
  if (!placeholder || naming.source === "placeholder" || squash(placeholder) === naming.name) return "";
  // Behind a value it is not shown.
  if (/** @type {any} */ (element).value) return "";
  const reason = isTag(element, "input") || isTag(element, "textarea") ? unseenPlaceholder(element, placeholder) : "";
  return " placeholder=" + quote(placeholder, 120) + markFor(reason);
};

/** @param {Element} element */
const roleDescription = (element) => {
  const text = attr(element, "aria-roledescription");
  return text && text.trim() ? " roledescription(aria)=" + quote(text, 60) : "";
};

// Everything after the name except marks.
/** @param {Element} element @param {string} role @param {Naming} naming @param {boolean} full */
const lineDetails = (element, role, naming, full) => {
  let details = statesOf(element, role);
  if (full && inheritsReadOnly(element, role)) details += " readonly";
  if (kindsOf(element)) {
    if (TEXT_ENTRY.has(role) || (isHtml(element) && localNameOf(element) === "textarea"))
      details += placeholderState(element, naming);
    details += valueState(element, role, full ? MAX_TEXT : 300);
    if (!hasAttr(element, "aria-hidden")) details += descriptionState(element, naming, full);
    details += roleDescription(element);
  } else details += valueState(element, role, full ? MAX_TEXT : 300);
  if (role === "combobox") details += optionsState(element);
  return details;
};

/** @param {Element} element */
const takesLines = (element) => {
  const told = lowerCaseAttr(element, "aria-multiline");
  return isTag(element, "textarea") || told === "true" || (told !== "false" && isEditingHost(element));
};

// The type of a field decides what can be typed into it.
/** @param {Element} element @param {string} role */
const typeState = (element, role) => {
  if (!isTag(element, "input")) return TEXT_ENTRY.has(role) && takesLines(element) ? " multiline" : "";
  const type = inputType(element);
  if (role === "textbox" && type !== "text") return " type=" + type;
  return role === "button" && (type === "file" || type === "color") ? " type=" + type : "";
};

/** @param {string} role @param {string} name @param {number} [limit] */
export const roleAndName = (role, name, limit) => (name ? `${role} ${quote(name, limit)}` : role);

// A label on an element that cannot have a name by the standard is shown, but not as a name.
/** @param {Element} element @param {string} shown @param {Naming} naming @param {number} limit */
const roleAndMarkedName = (element, shown, naming, limit) => {
  const unnameable =
    NAME_SHOWN_AS_LABEL.has(shown) && naming.name && naming.source !== "title" && !isItemWithoutContext(element);
  const words = unnameable ? `${shown} label=${quote(naming.name, limit)}` : roleAndName(shown, naming.name, limit);
  return words + nameMark(element, naming);
};

/** @param {Element} element @param {Naming} naming @param {number} strength */
export const guessedName = (element, naming, strength) => {
  if (naming.name || !strength) return "";
  const guess = guessName(element);
  return guess ? " ~" + quote(guess, MAX_GUESS) : "";
};

export const MAX_GUESS = 60;

// The line without marks and ref: role, name with its source or a guess, type, states.
/** @param {Element} element @param {string} shown @param {string} role @param {Naming} naming @param {number} strength @param {boolean} [full] */
export const composeLine = (element, shown, role, naming, strength, full = false) =>
  hasNoRelevantAttributes(element)
    ? roleAndName(shown, naming.name, full ? MAX_TEXT : MAX_NAME) +
      (naming.titled ? " (title)" : "") +
      guessedName(element, naming, strength) +
      statesWithoutAttributes(element, role)
    : composeFullLine(element, shown, role, naming, strength, full);

// The line without states and values: what an element is called, whatever an act has just done to it.
/** @param {Element} element @param {string} shown @param {Naming} naming @param {number} strength */
export const composeName = (element, shown, naming, strength) =>
  roleAndMarkedName(element, shown, naming, MAX_NAME) + guessedName(element, naming, strength);

const STATELESS_TAGS = new Set(
  "a article aside button dd div dl dt footer h1 h2 h3 h4 h5 h6 header li main nav ol p section span tr ul".split(" "),
);

// No attribute that matters for name or state, on an element without a state of its own.
/** @param {Element} element */
const hasNoRelevantAttributes = (element) =>
  !groupsAreDisabled && kindsOf(element) === 0 && STATELESS_TAGS.has(localNameOf(element)) && isHtml(element);

/** @param {Element} element @param {string} role */
const statesWithoutAttributes = (element, role) => {
  if (role === "heading") return " level=" + localNameOf(element).slice(1);
  return role === "button" && matchesSelector(element, ":disabled") ? " disabled" : "";
};

/** @param {Element} element @param {string} shown @param {string} role @param {Naming} naming @param {number} strength @param {boolean} full */
const composeFullLine = (element, shown, role, naming, strength, full) =>
  roleAndMarkedName(element, shown, naming, full ? MAX_TEXT : MAX_NAME) +
  guessedName(element, naming, strength) +
  typeState(element, role) +
  lineDetails(element, role, naming, full);

const PLAIN_URL = /^[\w\-./?=&#:%~+,;@!$*']{1,200}$/;

let pageOrigin = "";

/** @param {boolean} areWanted */
export const prepareLinks = (areWanted) => {
  pageOrigin = location.origin + "/";
  hrefsAreWanted = areWanted;
};

/** @param {Element} element */
const hrefOf = (element) => {
  const href = attr(element, "href") ?? attr(element, "xlink:href");
  if (!href || href === "#") return "";
  const first = href.charCodeAt(0);
  // Nearly every URL begins with a slash or "h", and no javascript: URL does.
  if (first !== 47 && first !== 104 && /^\s*javascript:/i.test(href)) return "";
  const short = href.startsWith(pageOrigin) ? href.slice(pageOrigin.length - 1) : href.trim();
  return PLAIN_URL.test(short) ? short : bareWord(short, 200);
};

// URLs of links are sent only on request: on a page of links they would be most of the data.
let hrefsAreWanted = false;

/** @param {Row} row @param {Element} element */
export const noteHref = (row, element) => {
  const href = hrefsAreWanted && hrefOf(element);
  if (href) row.href = href;
};
