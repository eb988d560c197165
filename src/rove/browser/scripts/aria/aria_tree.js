// The document as a tree of roles, names and texts, for aria snapshots: Playwright's form, with rove's marks on what a
// person cannot see.

import { attr, firstChildTag, hasAttr, isHtml, isTag, lowerCaseAttr } from "../dom/elements.js";
import {
  activeElementOf,
  checkVisibility,
  closestOf,
  firstChildOf,
  isConnected,
  isElement,
  isText,
  localNameOf,
  nextSiblingOf,
  rectOf,
  textContentOf,
  textDataOf,
} from "../dom/natives.js";
import { clean, squash } from "../dom/text.js";
import {
  childListOf,
  elementsByOwner,
  flattenedParent,
  MAX_NESTING,
  parentElementOf,
  shadowChildren,
} from "../dom/tree.js";
import { hidesValue, inputType, isDisabledOrInDisabledGroup } from "../roles/controls.js";
import { generatedText } from "../roles/generated_content.js";
import { captionOf, isHiddenByStyle, isWithinAriaHidden, NAME_PROHIBITED } from "../roles/labels.js";
import { alternativeOf, contentText, nameOf, newNameWalk } from "../roles/names.js";
import { ARIA_ROLES } from "../roles/role_names.js";
import { hasOwnLabel, roleOf } from "../roles/roles.js";
import { isTinyFrame } from "../snapshot/element_rows.js";
import { markFor, nameMark } from "../snapshot/lines.js";
import { paintedOverReason, textNodesIn } from "../snapshot/overlays.js";
import { contextInside } from "../visibility/contexts.js";
import { collectSurfaces } from "../visibility/surfaces.js";
import {
  NOT_RENDERED,
  PARTLY_CLIPPED,
  RANGE,
  unseenElement,
  unseenPicture,
  unseenText,
  unseenTexts,
} from "../visibility/text_visibility.js";

// Which elements an aria snapshot shows: those that assistive technology would tell of, and those that have a box.

/** @param {Node} node */
const hasTextBox = (node) => {
  RANGE.selectNode(node);
  const rect = RANGE.getBoundingClientRect();
  return rect.width > 0 && rect.height > 0;
};

// An element without a box of its own is as visible as the first of its children.
/** @param {Element} element @param {boolean} pointer @returns {AriaBox} */
const boxOfContents = (element, pointer) => {
  for (const child of childListOf(element)) {
    if (isElement(child) && ariaBoxOf(child).visible) return { visible: true, inline: false, pointer };
    if (isText(child) && hasTextBox(child)) return { visible: true, inline: true, pointer };
  }
  return { visible: false, inline: false, pointer };
};

/** @param {Element} element @returns {AriaBox} */
export const ariaBoxOf = (element) => {
  const style = getComputedStyle(element);
  const pointer = style.cursor === "pointer";
  if (style.display === "contents") return boxOfContents(element, pointer);
  if (!checkVisibility(element) || style.visibility !== "visible") return { visible: false, inline: false, pointer };
  const rect = rectOf(element);
  return { visible: rect.width > 0 && rect.height > 0, inline: style.display === "inline", pointer };
};

const IGNORED = new Set(["style", "script", "noscript", "template"]);

// Whether assistive technology leaves an element out. `around`: whether it leaves out what is around it.
/** @param {Element} element @param {boolean} around @returns {boolean} */
export const isHiddenForAria = (element, around) => {
  if (IGNORED.has(localNameOf(element))) return true;
  const style = getComputedStyle(element);
  if (style.display === "contents" && !isTag(element, "slot"))
    return !childListOf(element).some(
      (child) => (isElement(child) && !isHiddenForAria(child, around)) || (isText(child) && hasTextBox(child)),
    );
  const isChoice = isTag(element, "option") && closestOf(element, "select") !== null;
  if (!isChoice && !isTag(element, "slot") && (!checkVisibility(element) || style.visibility !== "visible"))
    return true;
  return around || hidesContentForAria(element);
};

// Whether assistive technology leaves out an element with all that is in it.
/** @param {Element} element */
const hidesContentForAria = (element) =>
  lowerCaseAttr(element, "aria-hidden") === "true" || getComputedStyle(element).display === "none";

/** @param {Element} element */
const takesPointer = (element) => getComputedStyle(element).pointerEvents !== "none";

// The numbers of elements in aria snapshots: they begin at 1 in each document, and an element gets another number when
// its role or its name changes. An old number still means the same element.

/** @type {WeakMap<Element, { role: string, name: string, number: number }>} */
const ariaNumbers = new WeakMap();
/** @type {Map<number, WeakRef<Element>>} */
const ariaElements = new Map();
let lastAriaNumber = 0;

// Removing dead entries now and then is far cheaper than a finalizer per element.
let ariaSweepAt = 5000;

const sweepAriaElements = () => {
  for (const [number, held] of ariaElements) if (held.deref() === undefined) ariaElements.delete(number);
  ariaSweepAt = Math.max(5000, ariaElements.size * 2);
};

/** @param {Element} element @param {string} role @param {string} name */
const ariaNumberOf = (element, role, name) => {
  const known = ariaNumbers.get(element);
  if (known && known.role === role && known.name === name) return known.number;
  lastAriaNumber += 1;
  ariaNumbers.set(element, { role, name, number: lastAriaNumber });
  ariaElements.set(lastAriaNumber, new WeakRef(element));
  if (ariaElements.size > ariaSweepAt) sweepAriaElements();
  return lastAriaNumber;
};

/** @param {number} number */
export const elementOfAriaNumber = (number) => {
  const held = ariaElements.get(number);
  const element = held && held.deref();
  return element && isConnected(element) ? element : null;
};

// The states that an aria snapshot tells of an element, by its role.

/** @param {string} words */
const rolesIn = (words) => new Set(words.split(" "));

const CHECKED_ROLES = rolesIn("checkbox menuitemcheckbox option radio switch menuitemradio treeitem");
const SELECTED_ROLES = rolesIn("gridcell option row tab rowheader columnheader treeitem");
const EXPANDED_ROLES = rolesIn(
  "application button checkbox combobox gridcell link listbox menuitem row rowheader tab treeitem columnheader " +
    "menuitemcheckbox menuitemradio switch",
);
const LEVEL_ROLES = rolesIn("heading listitem row treeitem");
const INVALID_ROLES = rolesIn(
  "application checkbox columnheader combobox gridcell listbox radiogroup rowheader searchbox slider spinbutton " +
    "switch textbox tree",
);
const DISABLED_ROLES = rolesIn(
  "application button composite gridcell group input link menuitem scrollbar separator tab checkbox columnheader " +
    "combobox grid listbox menu menubar menuitemcheckbox menuitemradio option radio radiogroup row rowheader " +
    "searchbox select slider spinbutton switch tablist textbox toolbar tree treegrid treeitem",
);

const CAN_BE_DISABLED = /^(?:button|input|select|textarea|option|optgroup)$/;

/** @param {any} element */
const checkedIn3Ways = (element) => {
  if (isTag(element, "input") && element.indeterminate) return "mixed";
  if (isTag(element, "input") && /^(?:checkbox|radio)$/.test(inputType(element))) return element.checked;
  const value = attr(element, "aria-checked");
  return value === "mixed" ? "mixed" : value === "true";
};

/** @param {Element} element */
const isAriaDisabled = (element) => {
  if (CAN_BE_DISABLED.test(localNameOf(element)) && isDisabledOrInDisabledGroup(element)) return true;
  for (let node = /** @type {Element | null} */ (element); node; node = parentElementOf(node)) {
    const value = lowerCaseAttr(node, "aria-disabled");
    if (value === "true" || value === "false") return value === "true";
  }
  return false;
};

/** @param {Element} element */
const levelOf = (element) => {
  const native = /^h([1-6])$/.exec(localNameOf(element));
  const level = Number(native ? native[1] : attr(element, "aria-level") || 0);
  return Number.isInteger(level) && level > 0 ? level : 0;
};

/** @param {any} element */
const isAriaSelected = (element) =>
  isTag(element, "option") ? element.selected : lowerCaseAttr(element, "aria-selected") === "true";

/** @param {Element} element */
const invalidWord = (element) => {
  const value = (attr(element, "aria-invalid") || "").trim();
  if (!value || value.toLowerCase() === "false") return "";
  return value === "grammar" || value === "spelling" ? value : "true";
};

/** @param {string} name @param {unknown} value */
const stateWord = (name, value) => (value === true ? ` [${name}]` : value === "mixed" ? ` [${name}=mixed]` : "");

// In the order in which they are told.
/** @param {Element} element @param {string} role @param {boolean} isActive */
const ariaStatesOf = (element, role, isActive) => {
  let states = CHECKED_ROLES.has(role) ? stateWord("checked", checkedIn3Ways(element)) : "";
  if (DISABLED_ROLES.has(role) && isAriaDisabled(element)) states += " [disabled]";
  if (EXPANDED_ROLES.has(role) && attr(element, "aria-expanded") === "true") states += " [expanded]";
  if (isActive) states += " [active]";
  const invalid = INVALID_ROLES.has(role) ? invalidWord(element) : "";
  if (invalid) states += invalid === "true" ? " [invalid]" : ` [invalid=${invalid}]`;
  const level = LEVEL_ROLES.has(role) ? levelOf(element) : 0;
  if (level) states += ` [level=${level}]`;
  const pressed = role === "button" && hasAttr(element, "aria-pressed") ? attr(element, "aria-pressed") : null;
  states += stateWord("pressed", pressed === "true" || pressed);
  if (SELECTED_ROLES.has(role) && isAriaSelected(element)) states += " [selected]";
  return lowerCaseAttr(element, "aria-hidden") === "true" ? `${states} [aria-hidden]` : states;
};

// The marks of an aria tree on texts and names that a person cannot see: the same as those of a snapshot.

// Whether names from attributes are marked, and texts that only assistive technology leaves out.
let marksAttributes = false;

// Their content is shown only where they cannot be.
const SHOWN_INSTEAD = new Set(["audio", "canvas", "object", "video"]);

/** @type {Map<Element, boolean>} */
let skipping = new Map();

// The pass must have begun.
/** @param {boolean} isOutline */
const prepareAriaMarks = (isOutline) => {
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
const markedText = (node) => {
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
const ariaNameMark = (element, role, name, isContent) => {
  if (isContent) return contentMark(element);
  const context = contextInside(element);
  const reason = role === "img" ? unseenPicture(element, context) : context.reason;
  return reason ? markFor(reason) : attributeMark(element, role, name);
};

// What is in a frame is not told where the frame has no size to show it in.
/** @param {Element} element */
const frameMark = (element) =>
  markFor(isTinyFrame(element) ? "no size" : unseenElement(element, contextInside(element)));

/** @param {AriaNode} node */
export const isFrameWithContent = (node) => node.role === "iframe" && node.number !== 0 && !isTinyFrame(node.element);

// The mark of a name is told with the name; a frame has none.
/** @param {AriaNode} node */
export const tellsMark = (node) => node.name !== "" || node.role === "iframe";

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
