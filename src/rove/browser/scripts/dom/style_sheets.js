// Which elements a style rule can tell apart from elements that look alike: by position, state, id or another attribute.
// All others with the same tag, class and inline style below the same parent share one computed style.

import { localNameOf, queryAll, rootNodeOf } from "./natives.js";
import { shadowsWereMet } from "./tree.js";

const MAX_SELECTORS = 250;
const MAX_RULES = 20000;
const PSEUDO_ELEMENT = /::[\w-]+(?:\([^)]*\))?|:(?:before|after|first-line|first-letter)\b/g;
const DISTINGUISHING = /[:+~]/;
const SHOWN_BY_HOVER = /^[^,]*:hover\b[^,]*[\s>+~][^,]*$/;
const MATCHES_ALL = /^(?::root|html|body|\*)?$/;

// Groups of CSS properties that only a style sheet or style attribute sets: a group that none of them mentions need not
// be read.
export const TRANSFORMS = 1;
export const EFFECTS = 2;
export const BACKGROUND_IMAGES = 4;
export const TEXT_STYLES = 8;
export const LAYOUT = 16;
export const ALL_PROPERTY_GROUPS = 31;

/** @type {[number, RegExp][]} */
const PROPERTY_GROUPS = [
  [TRANSFORMS, /trans|scale|rotate|offset|perspective|backface|margin[\w-]*:[^;]*(?:-\.?\d|\()/],
  [EFFECTS, /opacity|filter|mask|clip|blend/],
  [BACKGROUND_IMAGES, /background[\w-]*:[^;]*(?:\(|text)|inset|border-image/],
  [TEXT_STYLES, /text-|letter-spacing|zoom|size-adjust/],
  [LAYOUT, /grid|content-visibility|contain|pointer-events|z-index|float/],
];

/** @param {boolean} safe */
const newDistinctions = (safe) => ({
  tags: new Map(),
  attributes: new Set(),
  ids: new Set(),
  pseudo: new Set(),
  propertyGroups: safe ? 0 : ALL_PROPERTY_GROUPS,
  lines: !safe,
  markers: !safe,
  safe,
});

export let distinctions = newDistinctions(false);
/** @type {Set<string>} Selectors of rules that display an element inside one that the pointer is over. */
export let hoverSelectors = new Set();
/** @type {WeakMap<CSSStyleSheet, SheetFacts>} */
const readSheets = new WeakMap();

/** @param {string} text @param {SheetFacts} found */
const notePropertyGroups = (text, found) => {
  for (const [family, mentions] of PROPERTY_GROUPS)
    if (!(found.propertyGroups & family) && mentions.test(text)) found.propertyGroups |= family;
};

/** @param {string} selector @param {SheetFacts} found @param {CSSStyleDeclaration} style */
const noteSelector = (selector, found, style) => {
  if (!/[#[:+~]/.test(selector)) return;
  if (/:first-(?:line|letter)/.test(selector)) found.lines = true;
  if (selector.includes("::marker")) found.markers = true;
  if (style.display && style.display !== "none" && SHOWN_BY_HOVER.test(selector)) found.hover.push(selector);
  if (/:(?:before|after)/.test(selector) && style.content !== "")
    found.pseudo.push(selector.replace(PSEUDO_ELEMENT, "") || "*");
  for (const match of selector.matchAll(/#((?:[\w-]|\\.)+)/g)) found.ids.add(match[1].replace(/\\/g, ""));
  for (const match of selector.matchAll(/\[\s*([\w-]+)/g)) found.attributes.add(match[1]);
  const bare = selector.replace(PSEUDO_ELEMENT, "").replace(/\[[^\]]*\]/g, "");
  if (DISTINGUISHING.test(bare) && !MATCHES_ALL.test(bare.trim()))
    found.selectors.push(selector.replace(PSEUDO_ELEMENT, "").trim());
};

/** @param {Iterable<any>} rules @param {string} parent @param {SheetFacts} found */
const readRules = (rules, parent, found) => {
  for (const rule of rules) {
    if (++found.count > MAX_RULES) {
      found.safe = false;
      return;
    }
    const kind = rule.constructor.name;
    if (found.propertyGroups !== ALL_PROPERTY_GROUPS && rule.style) notePropertyGroups(rule.style.cssText, found);
    if (kind === "CSSContainerRule" || kind === "CSSScopeRule") found.safe = false;
    if (kind === "CSSImportRule") {
      if (rule.styleSheet) readSheet(rule.styleSheet, found);
    } else if (rule.selectorText !== undefined && kind === "CSSStyleRule") {
      const selector = parent ? rule.selectorText.replaceAll("&", `:is(${parent})`) : rule.selectorText;
      noteSelector(selector, found, rule.style);
      if (rule.cssRules && rule.cssRules.length) readRules(rule.cssRules, selector, found);
    } else if (rule.cssRules) readRules(rule.cssRules, parent, found);
  }
};

/** @param {CSSStyleSheet} sheet @param {SheetFacts} found */
const readSheet = (sheet, found) => {
  try {
    readRules(sheet.cssRules, "", found);
  } catch {
    // A style sheet of another origin cannot be read: it may contain any rule.
    found.safe = false;
  }
};

/** @param {CSSStyleSheet} sheet @returns {SheetFacts} */
const sheetFacts = (sheet) => {
  let length = -1;
  try {
    length = sheet.cssRules.length;
  } catch {
    length = -1;
  }
  const known = readSheets.get(sheet);
  if (known && known.length === length && length > 300) return known;
  const found = {
    selectors: [],
    pseudo: [],
    hover: [],
    attributes: new Set(),
    ids: new Set(),
    safe: true,
    lines: false,
    markers: false,
    propertyGroups: 0,
    count: 0,
    length,
  };
  readSheet(sheet, found);
  readSheets.set(sheet, found);
  return found;
};

export const prepareStyles = () => {
  distinctions = newDistinctions(true);
  hoverSelectors = new Set();
  const selectors = new Set();
  const pseudo = new Set();
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
    if (sheet.disabled) continue;
    const facts = sheetFacts(sheet);
    if (!facts.safe) distinctions.safe = false;
    distinctions.propertyGroups |= facts.propertyGroups;
    if (facts.lines) distinctions.lines = true;
    if (facts.markers) distinctions.markers = true;
    for (const name of facts.attributes) distinctions.attributes.add(name);
    for (const id of facts.ids) distinctions.ids.add(id);
    for (const selector of facts.selectors) selectors.add(selector);
    for (const selector of facts.pseudo) pseudo.add(selector);
    for (const selector of facts.hover) hoverSelectors.add(selector);
  }
  for (const name of ["class", "style", "type"]) distinctions.attributes.delete(name);
  if (selectors.size > MAX_SELECTORS) distinctions.safe = false;
  if (distinctions.safe) tagMatches(selectors);
  if (distinctions.safe) notePseudo(pseudo);
  if (distinctions.lines) distinctions.propertyGroups |= TEXT_STYLES;
  if (!distinctions.safe) {
    distinctions.propertyGroups = ALL_PROPERTY_GROUPS;
    distinctions.lines = true;
    distinctions.markers = true;
  }
};

/** @param {Set<string>} selectors */
const tagMatches = (selectors) => {
  let index = 0;
  for (const selector of selectors) {
    index += 1;
    try {
      for (const element of queryAll(document, selector)) addTag(element, index);
    } catch {
      distinctions.safe = false;
    }
  }
  for (const animation of document.getAnimations()) {
    const target = animation.effect && animation.effect.target;
    if (target) addTag(target, "a" + ++index);
    distinctions.propertyGroups = ALL_PROPERTY_GROUPS;
  }
};

/** @param {Element} element @param {string | number} tag */
const addTag = (element, tag) => {
  distinctions.tags.set(element, (distinctions.tags.get(element) || "") + "," + tag);
};

/** @param {Set<string>} selectors */
const notePseudo = (selectors) => {
  for (const selector of selectors) {
    try {
      // "a, ::before" leaves an empty part behind.
      const cleaned = selector
        .split(",")
        .map((part) => part.trim() || "*")
        .join(",");
      for (const element of queryAll(document, cleaned)) distinctions.pseudo.add(element);
    } catch {
      distinctions.safe = false;
    }
  }
};

// Whether ::before or ::after may have text here. Reading its computed style each time would cost more than everything
// else.
/** @param {Element} element */
export const mayHavePseudo = (element) =>
  !distinctions.safe ||
  (distinctions.pseudo.size !== 0 && distinctions.pseudo.has(element)) ||
  localNameOf(element) === "q" ||
  (shadowsWereMet && rootNodeOf(element) !== document);
