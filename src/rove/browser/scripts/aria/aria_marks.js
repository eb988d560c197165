// The marks of an aria tree on texts and names that a person cannot see: the same as those of a snapshot.

import { hasAttr } from "../dom/attributes.js";
import { isTag } from "../dom/elements.js";
import { localNameOf, textContentOf, textDataOf } from "../dom/natives.js";
import { clean, squash } from "../dom/text.js";
import { flattenedParent } from "../dom/tree.js";
import { isHiddenByStyle } from "../names/exclusion.js";
import { nameOf } from "../names/names.js";
import { collectSurfaces } from "../paint/surfaces.js";
import { isTinyFrame } from "../snapshot/element_rows.js";
import { markFor, nameMark } from "../snapshot/lines.js";
import { contextInside } from "../visibility/contexts.js";
import { paintedOverReason, textNodesIn } from "../visibility/overlays.js";
import {
  NOT_RENDERED,
  PARTLY_CLIPPED,
  unseenElement,
  unseenPicture,
  unseenText,
  unseenTexts,
} from "../visibility/text_visibility.js";

// Whether names from attributes are marked, and texts that only assistive technology leaves out.
let marksAttributes = false;

// Their content is shown only where they cannot be.
const SHOWN_INSTEAD = new Set(["audio", "canvas", "object", "video"]);

/** @type {Map<Element, boolean>} */
let skipping = new Map();

// The pass must have begun.
/** @param {boolean} isOutline */
export const prepareAriaMarks = (isOutline) => {
  marksAttributes = isOutline;
  skipping = new Map();
  collectSurfaces();
};

// Whether the text directly inside an element is not painted, though the element itself may be.
/** @param {Element} element @returns {boolean} */
const skipsText = (element) => {
  let isSkipped = skipping.get(element);
  if (isSkipped === undefined) {
    isSkipped = computeSkipsText(element);
    skipping.set(element, isSkipped);
  }
  return isSkipped;
};

/** @param {Element} element @returns {boolean} */
const computeSkipsText = (element) => {
  if (SHOWN_INSTEAD.has(localNameOf(element)) || isHiddenByStyle(element)) return true;
  if (isTag(element, "details") && !hasAttr(element, "open")) return true;
  const style = getComputedStyle(element);
  if (style.contentVisibility === "hidden") return true;
  const parent = style.display === "contents" ? flattenedParent(element) : null;
  return parent !== null && skipsText(parent);
};

/** @param {Node} node @param {Element} parent */
const textReason = (node, parent) => {
  const context = contextInside(parent);
  if (!context.seen || skipsText(parent)) return NOT_RENDERED;
  const reason = unseenText(node, context);
  return reason || paintedOverReason(node, context);
};

/** @param {Element} parent @param {string} text */
const inertReasonOf = (parent, text) =>
  marksAttributes && /[\p{L}\p{N}]/u.test(text) ? contextInside(parent).inert : "";

// A text node with its mark.
/** @param {Node} node */
export const markedText = (node) => {
  const text = clean(textDataOf(node));
  const parent = flattenedParent(node);
  if (!parent || !squash(text)) return text;
  const reason = textReason(node, parent);
  const told = reason === PARTLY_CLIPPED ? "" : reason || inertReasonOf(parent, text);
  return told ? `${text}${markFor(told)}` : text;
};

/** @param {Element} element @returns {[reason: string, text: string][]} */
const paintedOverTexts = (element) =>
  textNodesIn(element).flatMap((node) => {
    const reason = paintedOverReason(node, contextInside(flattenedParent(node) || element));
    return reason ? [[reason, textDataOf(node)]] : [];
  });

/** @param {Element} element */
const contentMark = (element) => {
  const unseen = unseenTexts(element).filter(([reason]) => reason !== PARTLY_CLIPPED);
  const [first] = unseen.length ? unseen : paintedOverTexts(element);
  return first ? `${markFor(first[0])}: ${JSON.stringify(squash(clean(first[1])).slice(0, 80))}` : "";
};

// Only an attribute names most landmarks, so that a mark would tell nothing.
const LANDMARKS = new Set("banner complementary contentinfo form main navigation region search".split(" "));

// A name that an attribute gives and the text inside repeats is seen.
/** @param {Element} element @param {string} role @param {string} name */
const attributeMark = (element, role, name) => {
  if (!marksAttributes || LANDMARKS.has(role)) return "";
  const naming = nameOf(element, role);
  const isShown = squash(textContentOf(element)).toLowerCase() === name.toLowerCase();
  return naming.name !== name || isShown ? "" : nameMark(element, naming);
};

/** @param {Element} element @param {string} role @param {string} name @param {boolean} isContent */
export const ariaNameMark = (element, role, name, isContent) => {
  if (isContent) return contentMark(element);
  const context = contextInside(element);
  const reason = role === "img" ? unseenPicture(element, context) : context.reason;
  return reason ? markFor(reason) : attributeMark(element, role, name);
};

// What is in a frame is not told where the frame has no size to show it in.
/** @param {Element} element */
export const frameMark = (element) =>
  markFor(isTinyFrame(element) ? "no size" : unseenElement(element, contextInside(element)));

/** @param {AriaNode} node */
export const isFrameWithContent = (node) => node.role === "iframe" && node.number !== 0 && !isTinyFrame(node.element);

// The mark of a name is told with the name; a frame has none.
/** @param {AriaNode} node */
export const tellsMark = (node) => node.name !== "" || node.role === "iframe";
