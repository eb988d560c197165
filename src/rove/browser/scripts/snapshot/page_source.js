// The page as HTML for reading: the flattened tree as it is rendered, with only the text that a person sees.

import { attr, documentOrigin, HTML, hasAttr, SVG_SKIPPED } from "../dom/elements.js";
import {
  attributeNames,
  bodyOf,
  isElement,
  localNameOf,
  namespaceOf,
  nodeTypeOf,
  queryAll,
  rootElementOf,
  textDataOf,
  titleOf,
} from "../dom/natives.js";
import { refNumber } from "../dom/refs.js";
import { mayHavePseudo } from "../dom/style_sheets.js";
import { clean, clip, resetStrippedCharacters, strippedCharacters } from "../dom/text.js";
import { childListOf, flattenedParent, shadowChildren } from "../dom/tree.js";
import { contextAt, contextInside } from "../visibility/contexts.js";
import { unseenPicture } from "../visibility/text_visibility.js";
import { markFor } from "./lines.js";
import { FOLD, FRAME, finishLine, rows, TEXT, UNSEEN } from "./rows.js";
import { takeSnapshot } from "./snapshot.js";
import { seenGeneratedText } from "./text_rows.js";
import { SKIPPED } from "./walk.js";

// What a person enters, and what is shown only where an element cannot be.
const LEFT_OUT = new Set([
  ...SKIPPED,
  ..."input textarea select option canvas video audio embed progress meter".split(" "),
]);
const EMPTY_TAGS = new Set(["br", "hr", "img", "wbr"]);
// What an agent should not be told as HTML, or what is of no use outside of the page.
const ATTRIBUTES_LEFT_OUT = /^(?:on|data-rove-|style$|value$|nonce$|srcdoc$|srcset$|sizes$|integrity$|ping$|target$)/;
const ADDRESSES = new Set(["href", "src", "cite", "poster"]);
const MAX_ATTRIBUTE = 2000;
const MAX_PICTURES = 2000;
const MAX_GENERATED = 5000;
const HEAD_PARTS = "head meta, head link[rel], script[type='application/ld+json' i]";

/** @type {string[]} */
let pieces = [];
let room = 0;
let picturesLeft = 0;
let generatedLeft = 0;
// The text that a person sees of each text node, or of each element that contains only text.
/** @type {Map<Node, string | null>} */
let seenTexts = new Map();

// Marks around texts: a line through them, or a note that a part of them is not seen.
/** @type {Map<Node, [start: string, end: string]>} */
let textMarks = new Map();

// The nodes of rows with dots, which may stand for their text.
/** @type {Set<Node>} */
let dotted = new Set();

/** @param {string} piece */
const put = (piece) => {
  room -= piece.length;
  if (room >= 0) pieces.push(piece);
};

/** @param {string} text */
const escapeHtml = (text) =>
  text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

/** @param {string} address */
const absolute = (address) => {
  try {
    return new URL(address, document.baseURI).href;
  } catch {
    return "";
  }
};

/** @param {Element} element @param {string} name */
const attributeValue = (element, name) => {
  const value = attr(element, name) || "";
  if (!ADDRESSES.has(name)) return clip(value, MAX_ATTRIBUTE);
  const address = absolute(value);
  return address.length <= MAX_ATTRIBUTE && !/^(?:javascript|data|blob):/i.test(address) ? address : "";
};

// The value of `data` is the page's own; that of a field is what a person enters.
/** @param {Element} element @param {string} name */
const isAttributeLeftOut = (element, name) =>
  ATTRIBUTES_LEFT_OUT.test(name) && !(name === "value" && localNameOf(element) === "data");

/** @param {Element} element */
const attributesOf = (element) => {
  let text = "";
  for (const name of attributeNames(element)) {
    if (!/^[a-z_][a-z0-9_.:-]*$/i.test(name) || isAttributeLeftOut(element, name.toLowerCase())) continue;
    const value = attributeValue(element, name);
    if (value || !ADDRESSES.has(name)) text += ` ${name}="${escapeHtml(clean(value))}"`;
  }
  return text;
};

// Text of which a part is covered is kept, with a mark: a person reads the rest of it.
/** @param {Row} row */
const isPartlySeen = (row) => row.mark === "partly covered";

/** @param {Row} row */
const isReadable = (row) => (row.flags & TEXT) !== 0 && (!(row.flags & UNSEEN) || isPartlySeen(row));

// Notes how texts are marked: each that is struck through, and the last of those that are seen in part.
const noteTextMarks = () => {
  textMarks = new Map();
  for (const row of rows) {
    if (!isReadable(row) || !(row.struck || isPartlySeen(row))) continue;
    const nodes = row.nodes || (row.node ? [row.node] : []);
    const [start, end] = row.struck ? ["<s>", "</s>"] : ["", ""];
    for (const node of nodes) textMarks.set(node, [start, end]);
    const last = nodes[nodes.length - 1];
    if (last && isPartlySeen(row)) textMarks.set(last, [start, end + markFor(row.mark || "")]);
  }
};

// Notes what a person sees of each text node that the walk has met. A text that is cut off counts as one node.
const noteSeenTexts = () => {
  seenTexts = new Map();
  dotted = new Set();
  for (const row of rows) {
    if (!isReadable(row)) continue;
    const nodes = row.nodes || (row.node ? [row.node] : []);
    const isCut = row.whole !== undefined;
    if (row.text?.includes("•")) for (const node of nodes) dotted.add(node);
    nodes.forEach((node, index) => {
      if (!seenTexts.has(node)) seenTexts.set(node, isCut ? (index === 0 ? row.text || "" : "") : null);
    });
  }
};

// Spaces between elements stay, as they keep words apart.
/** @param {Node} node @param {boolean} isParentSeen */
const putText = (node, isParentSeen) => {
  const data = textDataOf(node);
  const seen = seenTexts.get(node);
  if (seen === undefined && !isParentSeen) return put(/\s/.test(data) ? " " : "");
  const shown = seen ?? data;
  put(isMasked(node) ? "•".repeat(shown.trim().length) : escapeHtml(clean(shown)));
};

// Whether the browser shows dots instead of a text.
/** @param {Node} node */
const isMasked = (node) => {
  const parent = flattenedParent(node);
  if (!parent || !(dotted.has(node) || dotted.has(parent))) return false;
  return getComputedStyle(parent).getPropertyValue("-webkit-text-security") !== "none";
};

// A row may stand for an element that contains only text, so that its mark is that of the element.
/** @param {Node} node @param {Level} level */
const putMarkedText = (node, level) => {
  const [start, end] = textMarks.get(node) || (level.isSeen && textMarks.get(level.element)) || ["", ""];
  put(start);
  putText(node, level.isSeen);
  put(end);
};

/** @param {Element} element @param {string} tag */
const putPicture = (element, tag) => {
  if (--picturesLeft < 0 || unseenPicture(element, contextAt(element))) return;
  put(`<${tag}${attributesOf(element)}>`);
};

// What CSS writes before and after the content of an element. Quotation marks are told by their element.
/** @param {Element} element @param {string} tag */
const generatedTexts = (element, tag) => {
  if (tag === "q" || !mayHavePseudo(element) || --generatedLeft < 0) return { before: "", after: "" };
  const context = contextInside(element);
  const { before, after } = context.facts;
  return {
    before: before ? escapeHtml(clean(seenGeneratedText(element, "::before", context))) : "",
    after: after ? escapeHtml(clean(seenGeneratedText(element, "::after", context))) : "",
  };
};

/** @param {Element} element */
const tagOf = (element) => {
  const tag = localNameOf(element);
  if (namespaceOf(element) !== HTML) return "span";
  if (tag === "frameset") return "div";
  // A page must not write the element that stands for a frame. Of an object, only its fallback can be seen as text.
  return /^[a-z][a-z0-9-]*$/.test(tag) && tag !== "slot" && !tag.startsWith("rove-") && tag !== "object" ? tag : "span";
};

// Whether an element in the body says something to programs: a property of microdata, RDFa or Open Graph.
/** @param {Element} element @param {string} tag */
const isProperty = (element, tag) =>
  (tag === "meta" || tag === "link") && (hasAttr(element, "itemprop") || hasAttr(element, "property"));

// Puts the start of an element. Returns its end, or null if nothing of it is to be shown.
/** @param {Element} element @returns {string | null} */
const openElement = (element) => {
  const tag = localNameOf(element);
  if (namespaceOf(element) !== HTML) {
    if (SVG_SKIPPED.has(tag)) return null;
  } else if (isProperty(element, tag)) {
    put(`<${tag}${attributesOf(element)}>`);
    return null;
  } else if (LEFT_OUT.has(tag)) return null;
  // A row that a person does not see is no row.
  if (getComputedStyle(element).display === "none") return null;
  const name = tagOf(element);
  if (name === "img") putPicture(element, name);
  else if (name === "iframe" || name === "frame") put(`<rove-frame ref="e${refNumber(element)}"></rove-frame>`);
  else if (EMPTY_TAGS.has(name)) put(`<${name}>`);
  else {
    const { before, after } = generatedTexts(element, name);
    put(`<${name}${name === "span" && tag !== "span" ? "" : attributesOf(element)}>${before}`);
    return `${after}</${name}>`;
  }
  return null;
};

/** @param {Element} element */
const childrenShown = (element) => shadowChildren(element) || childListOf(element);

/** @typedef {{ element: Element, nodes: ArrayLike<Node>, index: number, end: string, isSeen: boolean }} Level */

/** @param {Element} element @param {string} end @returns {Level} */
const openLevel = (element, end) => ({
  element,
  nodes: childrenShown(element),
  index: 0,
  end,
  isSeen: seenTexts.has(element),
});

// Without recursion, as scripts can nest elements without end.
/** @param {Element} root */
const putTree = (root) => {
  const end = openElement(root);
  if (end === null) return;
  const open = [openLevel(root, end)];
  while (open.length && room >= 0) {
    const level = open[open.length - 1];
    const node = level.nodes[level.index++];
    if (node === undefined) {
      put(level.end);
      open.pop();
    } else if (nodeTypeOf(node) === 3) putMarkedText(node, level);
    else if (isElement(node)) {
      const closing = openElement(node);
      if (closing !== null) open.push(openLevel(node, closing));
    }
  }
  while (open.length) pieces.push(open.pop()?.end || "");
};

const putHead = () => {
  put(`<title>${escapeHtml(clean(titleOf(document)))}</title>`);
  for (const part of queryAll(document, HEAD_PARTS)) {
    if (flattenedParent(part) === null) continue;
    const tag = localNameOf(part);
    if (tag === "script") put(`<script type="application/ld+json">${jsonLd(part)}</script>`);
    else put(`<${tag}${attributesOf(part)}>`);
  }
};

/** @param {Element} element */
const jsonLd = (element) =>
  childListOf(element)
    .map((node) => (nodeTypeOf(node) === 3 ? textDataOf(node) : ""))
    .join("")
    .replace(/</g, "\\u003c");

/** @param {{ longest: number, maxNodes: number, maxChildren: number }} options */
export const pageSource = ({ longest, maxNodes, maxChildren }) => {
  const taken = /** @type {any} */ (takeSnapshot({ text: true, maxNodes, maxChildren }));
  const root = rootElementOf(document);
  pieces = [];
  room = longest;
  picturesLeft = MAX_PICTURES;
  generatedLeft = MAX_GENERATED;
  noteSeenTexts();
  noteTextMarks();
  // Those of the walk are in texts that are put again.
  resetStrippedCharacters();
  if (root) {
    put(`<!DOCTYPE html><html${attributesOf(root)}><head>`);
    putHead();
    put("</head>");
    const body = bodyOf(document) || root;
    // A set of frames stands in the place of the body, which readers of HTML look for.
    const isFrameSet = localNameOf(body) === "frameset";
    if (isFrameSet) put("<body>");
    putTree(body);
    pieces.push(isFrameSet ? "</body></html>" : "</html>");
  }
  const stripped = strippedCharacters;
  const unseen = rows.filter((row) => row.flags & TEXT && row.flags & UNSEEN && !isPartlySeen(row)).map(finishLine);
  seenTexts = new Map();
  textMarks = new Map();
  dotted = new Set();
  return {
    html: pieces.join(""),
    url: location.href,
    origin: documentOrigin(),
    unseen,
    frames: rows.filter((row) => row.flags & FRAME).map((row) => [`e${row.ref}`, Boolean(row.flags & UNSEEN)]),
    isCut: room < 0 || taken.notWalked > 0 || taken.cutByDepth > 0 || rows.some((row) => row.flags & FOLD),
    closedHosts: taken.closedHosts,
    stripped,
  };
};
