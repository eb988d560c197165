// Accessible names and descriptions, after accname 1.2 with the rules of HTML-AAM and SVG-AAM.

import {
  ARIA,
  attr,
  firstChildTag,
  HTML,
  hasAnyAttribute,
  hasAttr,
  isHtml,
  isTag,
  kindsOf,
  lowerCaseAttr,
  ROLE,
  SVG,
  SVG_SKIPPED,
  svgTextOf,
  TITLE,
} from "../dom/elements.js";
import {
  checkVisibility,
  childCountOf,
  innerTextOf,
  isElement,
  isText,
  localNameOf,
  namespaceOf,
  queryAll,
  queryOne,
  textContentOf,
  textDataOf,
} from "../dom/natives.js";
import { mayHavePseudo } from "../dom/style_sheets.js";
import { clip, squash } from "../dom/text.js";
import { childListOf, elementsByOwner, flattenedChildren, idrefs, ownersByElement, shadowOf } from "../dom/tree.js";
import { BUTTON_INPUTS, hidesValue, inputType, isFocusable, optionText, valueOfControl } from "./controls.js";
import { generatedText, isBlockish, spaced } from "./generated_content.js";
import {
  captionOf,
  EXCLUDED_FROM_NAMES,
  figureCaptionOf,
  inputNativeName,
  isHiddenForNames,
  isSubmenu,
  isWithinAriaHidden,
  LABELABLE,
  labelsOf,
  NAME_PROHIBITED,
  NAMED_BY_CONTENT,
  skipsContent,
  TAGS_WITHOUT_NAME_TEXT,
  tooltipText,
} from "./labels.js";
import { hasOwnLabel, isGrid, roleOf, tableRoleOf } from "./roles.js";

/** @param {Element} element @param {NameWalk} walk @returns {string} */
const selectedOptionText = (element, walk) => {
  if (isTag(element, "select")) return Array.from(element.selectedOptions, (option) => optionText(option)).join(" ");
  const chosen = [];
  for (const option of queryAll(element, '[role="option"][aria-selected="true" i]')) {
    if (!walk.revealed && isHiddenForNames(option)) continue;
    chosen.push(squash(alternativeOf(option, { ...walk, via: "content" }, "content")));
  }
  return chosen.join(" ");
};

// A combobox without a text field shows its selection as its own text.
/** @param {Element} element @param {string} role */
const showsSelectionAsText = (element, role) => role === "combobox" && isFocusable(element);

// A combobox may be a box around its text field.
/** @param {Element} element */
const enclosedFieldValue = (element) => {
  const field = queryOne(element, "input");
  return field && !hidesValue(field) ? valueOfControl(field) || "" : "";
};

// A control inside a label counts with its value: "Flash the screen [3] times".
/** @param {any} element @param {string} role @param {NameWalk} walk @returns {string | null} */
const embeddedValue = (element, role, walk) => {
  if (isTag(element, "progress") && !hasAttr(element, "value") && !hasAttr(element, "aria-valuetext")) return null;
  if (hidesValue(element)) return "•".repeat((element.value ?? innerTextOf(element)).length);
  if (role === "textbox" || role === "searchbox")
    return valueOfControl(element) ?? (hasAttr(element, "aria-label") ? null : contentText(element, walk));
  if (role === "combobox" || role === "listbox") {
    if (isTag(element, "input")) return element.value;
    const chosen = selectedOptionText(element, walk);
    if (chosen || isTag(element, "select")) return chosen;
    if (walk.via === "reference") return null;
    return showsSelectionAsText(element, role) ? contentText(element, walk) : enclosedFieldValue(element);
  }
  if (
    role === "slider" ||
    role === "spinbutton" ||
    role === "scrollbar" ||
    role === "meter" ||
    role === "progressbar"
  ) {
    return (
      attr(element, "aria-valuetext") ??
      attr(element, "aria-valuenow") ??
      valueOfControl(element) ??
      (/^(?:meter|progress)$/.test(localNameOf(element)) ? String(element.value) : "")
    );
  }
  return null;
};

const MAX_NAME_NODES = 4000;
// Lines cut names much earlier.
const MAX_NAME_LENGTH = 3000;

// `via` is how the walk reached this node: "root", "reference", "label" or "content".
/** @param {string} via @returns {NameWalk} */
export const newNameWalk = (via) => ({
  via,
  visited: new Set(),
  revealed: false,
  budget: MAX_NAME_NODES,
  hiddenSource: false,
  titled: false,
  source: "",
  lastSource: "",
  pieces: [],
});

/** @param {Element} element @returns {Node[]} */
const contentNodes = (element) => {
  if (isTag(element, "details") && !hasAttr(element, "open"))
    return [firstChildTag(element, "summary")].filter((summary) => summary !== null);
  return flattenedChildren(element) || childListOf(element);
};

/** @param {Element} child @param {Element} parent @param {NameWalk} walk */
const ownedText = (child, parent, walk) =>
  (elementsByOwner.get(parent) || []).includes(child) ? spaced(childText(child, walk)) : "";

/** @param {Element} element @param {NameWalk} walk @returns {string} */
export const contentText = (element, walk) => {
  if (!walk.revealed && skipsContent(element)) return "";
  let text = generatedText(element, "::before", walk);
  for (const child of contentNodes(element)) {
    if (walk.budget-- <= 0 || text.length > MAX_NAME_LENGTH) break;
    if (isText(child)) text += clip(textDataOf(child), MAX_NAME_LENGTH);
    else if (isElement(child) && !isSubmenu(child, element))
      text +=
        ownersByElement.size && ownersByElement.has(child) ? ownedText(child, element, walk) : childText(child, walk);
  }
  return text + generatedText(element, "::after", walk);
};

/** @param {Element} child @param {NameWalk} walk @returns {string} */
const childText = (child, walk) => {
  const tag = localNameOf(child);
  if (isHtml(child)) {
    if (tag === "br") return "\n";
    if (tag === "wbr" || tag === "hr") return " ";
    if (tag === "object" || tag === "video" || tag === "audio")
      return hasOwnLabel(child) || attr(child, "title") ? spaced(attributeName(child, walk)) : "";
    if (TAGS_WITHOUT_NAME_TEXT.has(tag) && !walk.revealed) return "";
    if (tag === "script" || tag === "style" || tag === "template") return "";
  }
  if (namespaceOf(child) === SVG && SVG_SKIPPED.has(tag)) return "";
  if (!walk.revealed && isHiddenForNames(child)) return visibleWithin(child, walk);
  const text = alternativeOf(child, walk, "content");
  if (ATOMIC.has(tag)) return " " + text + " ";
  return text && (isNotFromContent(walk) || isSeparateBox(child)) ? " " + text + " " : text;
};

// The visible content of an invisible element: unlike display, visibility can be set again on descendants.
/** @param {Element} element @param {NameWalk} walk */
const visibleWithin = (element, walk) => {
  if (!checkVisibility(element) || lowerCaseAttr(element, "aria-hidden") === "true") return "";
  let text = "";
  for (const child of contentNodes(element)) {
    if (walk.budget-- <= 0) break;
    if (isElement(child)) text += childText(child, walk);
  }
  return text;
};

/** @param {Element} element @param {NameWalk} walk */
const attributeName = (element, walk) => {
  const text = referencedText(idrefs(element, "aria-labelledby"), walk);
  return text || attr(element, "aria-label") || attr(element, "title") || "";
};

const ATOMIC = new Set([
  "img",
  "svg",
  "canvas",
  "video",
  "audio",
  "iframe",
  "object",
  "embed",
  "input",
  "select",
  "textarea",
  "button",
  "meter",
  "progress",
]);

// Elements with a box of their own are separated by spaces from the text around them, and so are elements without a
// box. What is struck through is a value of its own: "€59.00 €29.00".
/** @param {Element} element */
const isSeparateBox = (element) => {
  const { display, textDecorationLine } = getComputedStyle(element);
  if (textDecorationLine === "line-through" || display === "none" || display === "contents") return true;
  return isBlockish(display) || !checkVisibility(element);
};

/** @param {NameWalk} walk */
const isNotFromContent = (walk) => walk.lastSource !== "content" && walk.lastSource !== "";

/** @param {Element[]} targets @param {NameWalk} walk */
const referencedText = (targets, walk) => {
  const parts = [];
  for (const target of targets) {
    const inner = { ...walk, via: "reference", revealed: false, visited: new Set() };
    const hidden = isHiddenForNames(target) || isWithinAriaHidden(target);
    inner.revealed = hidden;
    if (hidden) walk.hiddenSource = true;
    const text = squash(alternativeOf(target, inner, "reference"));
    walk.budget = inner.budget;
    walk.titled = inner.titled;
    if (text) parts.push(text);
  }
  return parts.join(" ");
};

/** @param {Element} element @param {NameWalk} walk */
const labelText = (element, walk) => {
  const parts = [];
  for (const label of labelsOf(element)) {
    const hidden = isHiddenForNames(label) || isWithinAriaHidden(label);
    const inner = { ...walk, via: "label", visited: new Set([...walk.visited, element]) };
    inner.revealed = walk.revealed || hidden;
    const text = squash(alternativeOf(label, inner, "label"));
    if (text && hidden) walk.hiddenSource = true;
    walk.titled = inner.titled;
    if (text) parts.push(text);
  }
  return parts.join(" ");
};

/** @param {Element} image @param {NameWalk} walk @returns {[string, string]} */
const figureName = (image, walk) => {
  const caption = figureCaptionOf(image);
  return caption ? [squash(alternativeOf(caption, { ...walk, via: "label" }, "label")), "caption"] : ["", ""];
};

// [text, source] by the rules of HTML or SVG; the text may be empty.
/** @param {Element} element @param {NameWalk} walk @returns {[string, string]} */
const nativeName = (element, walk) => {
  const namespace = namespaceOf(element);
  if (namespace === SVG) {
    const title = svgTextOf(element, "title");
    if (title) return [title, "svg-title"];
    const link = localNameOf(element) === "a" ? attr(element, "xlink:title") : "";
    return [link || "", "title"];
  }
  if (namespace !== HTML) return ["", ""];
  const tag = localNameOf(element);
  if (LABELABLE.test(tag) || tag.includes("-")) {
    const label = labelText(element, walk);
    if (label) return [label, "label"];
  }
  if (tag === "input") return inputNativeName(element);
  if (tag === "img" && !hasAttr(element, "alt") && !attr(element, "title")) return figureName(element, walk);
  if (tag === "img") return [attr(element, "alt") || "", "alt"];
  if (tag === "area") return [(hasAttr(element, "href") && attr(element, "alt")) || "", "alt"];
  if (tag === "optgroup" || tag === "option" || tag === "track") return [attr(element, "label") || "", "label"];
  const caption = captionOf(element);
  if (caption) {
    const inner = { ...walk, via: "label", visited: new Set([...walk.visited, element]) };
    inner.revealed = isHiddenForNames(caption);
    if (inner.revealed) walk.hiddenSource = true;
    const text = squash(alternativeOf(caption, inner, "label"));
    if (text) return [text, "caption"];
  }
  if (tag === "table") return [attr(element, "summary") || "", "title"];
  return ["", ""];
};

const SVG_TEXT = "text,title,foreignObject,[aria-label],[aria-labelledby]";

// Text in an SVG is visible, unless the SVG declares itself to be a picture.
/** @param {Element} element */
const isSvgWithText = (element) =>
  namespaceOf(element) === SVG && !hasAttr(element, "role") && queryOne(element, SVG_TEXT) !== null;

/** @param {Element} element @param {string} role @param {NameWalk} walk @param {string} via */
const allowsContent = (element, role, walk, via) => {
  if (via === "content" && walk.via !== "reference" && EXCLUDED_FROM_NAMES.has(role)) return isSvgWithText(element);
  if (via === "reference" || via === "label" || via === "content") return true;
  if (role === "row") return isGrid(tableRoleOf(element));
  return NAMED_BY_CONTENT.has(role);
};

// The main step of accname: the alternative text of an element, from the first source that has any. Callers that come
// from content have checked that the element is not hidden.
/** @param {Element} element @param {NameWalk} walk @param {string} via @returns {string} */
export const alternativeOf = (element, walk, via) => {
  if (walk.visited.has(element) || walk.budget-- <= 0) return "";
  walk.visited.add(element);
  const [text, source] = chooseAlternative(element, walk, via);
  walk.lastSource = source;
  if (via === "root") walk.source = source;
  else if (text && text.trim()) notePiece(element, source, text, walk);
  return text;
};

/** @param {Element} element @param {string} source @param {string} text @param {NameWalk} walk */
const notePiece = (element, source, text, walk) => {
  if (source === "title") walk.titled = true;
  if (source !== "content") walk.pieces.push({ element, source, text: squash(text) });
  else if (isTag(element, "canvas")) walk.pieces.push({ element, source: "fallback", text: squash(text) });
};

/** @param {Element} element @param {NameWalk} walk @param {string} via @returns {[string, string]} */
const chooseAlternative = (element, walk, via) => {
  // A slot is only a place: what is slotted counts, whatever the slot is labelled.
  if (via === "content" && isTag(element, "slot")) return [contentText(element, walk), "content"];
  const role = roleOf(element);
  if (via !== "content" && walk.via !== "reference") {
    const targets = idrefs(element, "aria-labelledby");
    if (targets.length) {
      const text = referencedText(targets, walk);
      if (text) return [text, "labelledby"];
    }
  } else if (via === "content" && walk.via !== "reference" && hasAttr(element, "aria-labelledby")) {
    const targets = idrefs(element, "aria-labelledby");
    const text = referencedText(targets, walk);
    // What a part of the name refers to is not said again where it stands.
    for (const target of targets) walk.visited.add(target);
    if (text) return [text, "labelledby"];
  }
  if (via !== "root") {
    const value = embeddedValue(element, role, walk);
    if (value !== null && (value !== "" || via === "content")) return [value, "value"];
  }
  const label = attr(element, "aria-label");
  if (label && label.trim()) return [label, "aria-label"];
  if (role !== "none") {
    const [text, source] = nativeName(element, walk);
    if (squash(text)) return [text, source];
  }
  const content = allowsContent(element, role, walk, via) ? contentText(element, walk) : "";
  if (squash(content)) return [content, "content"];
  const [tooltip, source] = tooltipText(element, role, via);
  // A space by itself separates words: "Add<span> </span>to cart".
  return tooltip || via !== "content" ? [tooltip, source] : [content && " ", "content"];
};

// `titled`: part of the name is the text of a tooltip, which is not visible.
export const NO_NAME = { name: "", source: "", hiddenSource: false, titled: false };

const TAGS_NAMED_BY_TEXT = new Set(["a", "button", "h1", "h2", "h3", "h4", "h5", "h6"]);

// Fast path for a link, button or heading that contains only text and has no attribute that names it: most of a page.
/** @param {Element} element */
const plainName = (element) => {
  const tag = localNameOf(element);
  if (!TAGS_NAMED_BY_TEXT.has(tag) || kindsOf(element) & (ARIA | TITLE | ROLE) || childCountOf(element) !== 0)
    return "";
  if (!isHtml(element) || shadowOf(element) || mayHavePseudo(element)) return "";
  if (tag === "button" && labelsOf(element).length !== 0) return "";
  return squash(clip(textContentOf(element), MAX_NAME_LENGTH));
};

/** @param {Element} element @param {string} [role] */
export const nameOf = (element, role = roleOf(element)) => {
  if (NAME_PROHIBITED.has(role) && !hasAnyAttribute(element)) return NO_NAME;
  const plain = elementsByOwner.size === 0 && NAMED_BY_CONTENT.has(role) ? plainName(element) : "";
  if (plain) return { name: plain, source: "content", hiddenSource: false, titled: false };
  const walk = newNameWalk("root");
  const name = squash(alternativeOf(element, walk, "root"));
  const { hiddenSource, titled, pieces } = walk;
  return { name, source: name ? walk.source : "", hiddenSource, titled, pieces };
};

// Descriptions: the first source that has any text.

/** @param {Element} element @param {Naming} naming */
export const descriptionOf = (element, naming) => {
  const targets = idrefs(element, "aria-describedby");
  if (targets.length) {
    const walk = newNameWalk("root");
    const text = referencedText(targets, walk);
    if (text) return { text, source: walk.hiddenSource ? "aria" : "" };
  }
  const own = attr(element, "aria-description");
  if (own && own.trim()) return { text: squash(own), source: "aria" };
  const native = nativeDescription(element, naming);
  if (native) return { text: native, source: namespaceOf(element) === SVG ? "aria" : "" };
  const title = attr(element, "title");
  if (title && title.trim() && naming.source !== "title" && squash(title) !== naming.name)
    return { text: squash(title), source: "" };
  return null;
};

// A source of the name that was not used for the name.
/** @param {Element} element @param {Naming} naming */
const nativeDescription = (element, naming) => {
  if (namespaceOf(element) === SVG && roleOf(element) === "none") return "";
  if (namespaceOf(element) === SVG)
    return svgTextOf(element, "desc") || (naming.source === "svg-title" ? "" : svgTextOf(element, "title"));
  if (naming.source === "content" || naming.source === "caption") return "";
  switch (localNameOf(element)) {
    case "table": {
      const caption = captionOf(element);
      return caption && !isHiddenForNames(caption) ? squash(alternativeOf(caption, newNameWalk("label"), "label")) : "";
    }
    case "summary":
      return squash(contentText(element, newNameWalk("label")));
    case "input":
      return inputType(element) in BUTTON_INPUTS ? squash(attr(element, "value") || "") : "";
    default:
      return "";
  }
};
