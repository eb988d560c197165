// The document as a tree of roles, names and texts, for aria snapshots: Playwright's form, with rove's marks on what a
// person cannot see.

import { attr, hasAttr } from "../dom/attributes.js";
import { firstChildTag, isHtml, isTag } from "../dom/elements.js";
import { elementsByOwner } from "../dom/id_references.js";
import {
  activeElementOf,
  firstChildOf,
  isElement,
  isText,
  localNameOf,
  nextSiblingOf,
  textContentOf,
} from "../dom/natives.js";
import { clean, squash } from "../dom/text.js";
import { childListOf, flattenedParent, MAX_NESTING, shadowChildren } from "../dom/tree.js";
import { isWithinAriaHidden, NAME_PROHIBITED } from "../names/exclusion.js";
import { generatedText } from "../names/generated_content.js";
import { captionOf } from "../names/labels.js";
import { alternativeOf, contentText, newNameWalk } from "../names/names.js";
import { inputType } from "../roles/controls.js";
import { hidesValue } from "../roles/passwords.js";
import { ARIA_ROLES } from "../roles/role_names.js";
import { hasOwnLabel, roleOf } from "../roles/roles.js";
import { ariaBoxOf, hidesContentForAria, isHiddenForAria, takesPointer } from "./aria_boxes.js";
import { ariaNameMark, frameMark, markedText, prepareAriaMarks } from "./aria_marks.js";
import { ariaNumberOf } from "./aria_refs.js";
import { ariaStatesOf } from "./aria_states.js";

/** @type {Set<Node>} */
let met = new Set();
// A page that nests its elements without end, or has too many to be told, is told in part.
const MOST_ARIA_NODES = 60000;
let nesting = 0;

/** @param {Element} element */
export const isFrameElement = (element) => isHtml(element) && /^i?frame$/.test(localNameOf(element));

// What has a role in HTML-AAM but none in Playwright, or another one.
/** @type {Record<string, string>} */
const OTHER_ROLES = { address: "generic", summary: "generic" };
/** @type {Record<string, string>} */
const OTHER_INPUT_ROLES = { file: "button", color: "textbox" };

/** @param {Element} element */
export const ariaRoleOf = (element) => {
  const other = isTag(element, "input") ? OTHER_INPUT_ROLES[inputType(element)] : OTHER_ROLES[localNameOf(element)];
  if (other && !hasAttr(element, "role")) return other;
  const role = roleOf(element);
  if (role === "form" && !hasOwnLabel(element)) return "generic";
  return role === "none" || ARIA_ROLES.has(role) ? role : "generic";
};

/** @type {{ name: string, sources: Element[], isContent: boolean }} */
const NO_ARIA_NAME = { name: "", sources: [], isContent: false };
const NAMED_WITHOUT_TEXT = ["alt", "aria-label", "title"];

/** @param {Element} element */
const mayHaveWords = (element) =>
  squash(textContentOf(element)) !== "" || NAMED_WITHOUT_TEXT.some((name) => attr(element, name));

/** @param {Element} element */
const isFileInput = (element) => isTag(element, "input") && inputType(element) === "file";

/** @param {Element} element */
const captionedBy = (element) => (isTag(element, "figure") && firstChildTag(element, "figcaption")) || null;

/** @param {Element} element @param {string} role @param {NameWalk} walk */
const nameByWalk = (element, role, walk) => {
  const name = alternativeOf(element, walk, "root") || (role === "generic" && attr(element, "title")) || "";
  if (isTag(element, "summary")) return name || contentText(element, walk);
  const caption = name ? null : captionedBy(element);
  if (name || isFileInput(element)) return name || "Choose File";
  return caption ? contentText(caption, walk) : role === "row" ? contentText(element, walk) : "";
};

// Playwright names what has no role, such as a labelled field that is a `div`; ARIA lets nothing generic have a name.
/** @param {Element} element @param {string} role */
const mayHaveName = (element, role) =>
  role === "generic"
    ? !/^\s*generic\b/.test(attr(element, "role") || "")
    : role !== "term" && !NAME_PROHIBITED.has(role);

// The name of an element, and the elements in it that the name was put together from.
/** @param {Element} element @param {string} role @param {boolean} isHidden */
const nameWithSources = (element, role, isHidden) => {
  if (isHidden || !mayHaveName(element, role)) return NO_ARIA_NAME;
  const walk = newNameWalk("root");
  const name = squash(clean(nameByWalk(element, role, walk)));
  const caption = captionOf(element);
  const sources = [...walk.visited, ...(caption ? [caption] : [])].filter(
    (source) => source !== element && mayHaveWords(source),
  );
  return { name, sources, isContent: walk.source === "content" };
};

/** @param {Element} element */
export const ariaNameOf = (element) => nameWithSources(element, ariaRoleOf(element), false).name;

/** @param {Element} element @param {string} role @param {AriaBox} box */
const isPlainInline = (element, role, box) => {
  const child = firstChildOf(element);
  return role === "generic" && box.inline && child !== null && isText(child) && nextSiblingOf(child) === null;
};

/** @param {Element} element @param {string} role @param {string} name @param {AriaBox} box @returns {AriaNode} */
const newAriaNode = (element, role, name, box) => {
  const isActive = activeElementOf(document) === element && document.hasFocus();
  const isShown = box.visible && (role === "iframe" || takesPointer(element));
  return {
    element,
    role,
    name,
    number: isShown ? ariaNumberOf(element, role, name) : 0,
    isActive,
    isPointer: box.pointer,
    states: "",
    mark: "",
    properties: [],
    sources: [],
    children: [],
  };
};

/** @param {Element} element @param {boolean} isHidden @returns {AriaNode | null} */
const ariaNodeOf = (element, isHidden) => {
  const box = ariaBoxOf(element);
  if (isFrameElement(element)) {
    const frame = newAriaNode(element, "iframe", "", box);
    frame.states = frame.isActive ? " [active]" : "";
    frame.mark = frameMark(element);
    return frame;
  }
  const role = ariaRoleOf(element);
  if (role === "none" || isPlainInline(element, role, box)) return null;
  const naming = nameWithSources(element, role, isHidden);
  const node = newAriaNode(element, role, naming.name, box);
  node.states = ariaStatesOf(element, role, node.isActive);
  node.mark = naming.name ? ariaNameMark(element, role, naming.name, naming.isContent) : "";
  node.sources = naming.sources;
  node.children = valueTexts(element);
  return node;
};

/** @param {any} element @returns {string[]} */
const valueTexts = (element) => {
  const isField = isTag(element, "input") || isTag(element, "textarea");
  if (!isField || (isTag(element, "input") && /^(?:checkbox|radio|file)$/.test(inputType(element)))) return [];
  return [hidesValue(element) ? "•".repeat(element.value.length) : clean(element.value)];
};

/** @param {AriaNode} node @param {Node} child @param {boolean} isShown @param {boolean} isHidden */
const addNode = (node, child, isShown, isHidden) => {
  if (met.has(child) || met.size > MOST_ARIA_NODES || nesting > MAX_NESTING) return;
  met.add(child);
  if (isText(child)) {
    // A textarea's own text is not a part of it: its value is told.
    if (isShown && node.role !== "textbox") node.children.push(markedText(child));
  } else if (isElement(child)) {
    nesting += 1;
    addElement(node, child, isHidden);
    nesting -= 1;
  }
};

/** @param {AriaNode} parent @param {Element} element @param {boolean} isHidden */
const addElement = (parent, element, isHidden) => {
  const isLeftOut = isHiddenForAria(element, isHidden);
  const isShown = !isLeftOut || ariaBoxOf(element).visible;
  const node = isShown ? ariaNodeOf(element, isLeftOut) : null;
  if (node) parent.children.push(node);
  addContent(node || parent, element, isShown, isHidden || hidesContentForAria(element));
};

/** @param {AriaNode} node @param {Element} element @param {boolean} isShown @param {boolean} isHidden */
const addContent = (node, element, isShown, isHidden) => {
  // Texts of different blocks are apart from each other.
  const gap = getComputedStyle(element).display !== "inline" || localNameOf(element) === "br" ? " " : "";
  const walk = newNameWalk("content");
  // Quotation marks are not told.
  const isQuote = isTag(element, "q");
  node.children.push(gap, isQuote ? "" : clean(generatedText(element, "::before", walk)));
  for (const child of shadowChildren(element) || childListOf(element)) addNode(node, child, isShown, isHidden);
  for (const owned of elementsByOwner.get(element) || []) addNode(node, owned, isShown, isHidden);
  node.children.push(isQuote ? "" : clean(generatedText(element, "::after", walk)), gap);
  addProperties(node, element);
};

const LONGEST_URL = 2000;

/** @param {AriaNode} node @param {Element} element */
const addProperties = (node, element) => {
  if (node.role === "link" && hasAttr(element, "href")) {
    const href = clean(attr(element, "href") || "").slice(0, LONGEST_URL);
    node.properties = [["url", href.startsWith("data:") ? href.replace(/,.*/s, ",…") : href]];
  }
  const placeholder = node.role === "textbox" ? clean(attr(element, "placeholder") || "") : "";
  if (placeholder && placeholder !== node.name) node.properties = [["placeholder", placeholder]];
};

// The tree under an element that stands for all; the pass must have begun.
/** @param {Element} root @param {boolean} isOutline @returns {AriaNode} */
export const ariaTreeOf = (root, isOutline) => {
  prepareAriaMarks(isOutline);
  met = new Set();
  nesting = 0;
  const top = newFragment(root);
  addNode(top, root, true, flattenedParent(root) !== null && isWithinAriaHidden(root));
  if (met.size > MOST_ARIA_NODES) top.children.push("… (the rest of the page is left out)");
  return top;
};

/** @param {Element} root @returns {AriaNode} */
const newFragment = (root) => ({
  element: root,
  role: "fragment",
  name: "",
  number: 0,
  isActive: false,
  isPointer: false,
  states: "",
  mark: "",
  properties: [],
  sources: [],
  children: [],
});
