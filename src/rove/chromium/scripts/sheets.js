// Which elements a style rule can tell apart from look-alikes: by position, state, id or another attribute.
// Knowing that, all others with the same tag, class and inline style below the same parent share one computed style.

const MAX_SELECTORS = 250;
const MAX_RULES = 20000;
const PSEUDO_ELEMENT = /::[\w-]+(?:\([^)]*\))?|:(?:before|after|first-line|first-letter)\b/g;
const SINGLES_OUT = /[:+~]/;
const EVERYWHERE = /^(?::root|html|body|\*)?$/;

// Looks that only a sheet or a style attribute gives: a family that none of them mentions need not be asked for.
const MOVES = 1;
const PAINTS = 2;
const PICTURES = 4;
const LETTERS = 8;
const PLACES = 16;
const ALL_LOOKS = 31;
const LOOKS = [
  [MOVES, /trans|scale|rotate|offset|perspective|backface|margin[\w-]*:[^;]*(?:-\.?\d|\()/],
  [PAINTS, /opacity|filter|mask|clip|blend/],
  [PICTURES, /background[\w-]*:[^;]*(?:\(|text)/],
  [LETTERS, /text-|letter-spacing|zoom|size-adjust/],
  [PLACES, /grid|content-visibility|contain|pointer-events|z-index/],
];

const newDistinctions = (safe) => ({
  tags: new Map(),
  attributes: new Set(),
  ids: new Set(),
  pseudo: new Set(),
  looks: safe ? 0 : ALL_LOOKS,
  lines: !safe,
  safe,
});

let distinctions = newDistinctions(false);
const readSheets = new WeakMap();

const noteLooks = (text, found) => {
  for (const [family, mentions] of LOOKS) if (!(found.looks & family) && mentions.test(text)) found.looks |= family;
};

const noteSelector = (selector, found, style) => {
  if (!/[#[:+~]/.test(selector)) return;
  if (/:first-(?:line|letter)/.test(selector)) found.lines = true;
  if (/:(?:before|after)/.test(selector) && style.content !== "")
    found.pseudo.push(selector.replace(PSEUDO_ELEMENT, "") || "*");
  for (const match of selector.matchAll(/#((?:[\w-]|\\.)+)/g)) found.ids.add(match[1].replace(/\\/g, ""));
  for (const match of selector.matchAll(/\[\s*([\w-]+)/g)) found.attributes.add(match[1]);
  const bare = selector.replace(PSEUDO_ELEMENT, "").replace(/\[[^\]]*\]/g, "");
  if (SINGLES_OUT.test(bare) && !EVERYWHERE.test(bare.trim()))
    found.selectors.push(selector.replace(PSEUDO_ELEMENT, "").trim());
};

const readRules = (rules, parent, found) => {
  for (const rule of rules) {
    if (++found.count > MAX_RULES) {
      found.safe = false;
      return;
    }
    const kind = rule.constructor.name;
    if (found.looks !== ALL_LOOKS && rule.style) noteLooks(rule.style.cssText, found);
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

const readSheet = (sheet, found) => {
  try {
    readRules(sheet.cssRules, "", found);
  } catch {
    // Another origin's sheet cannot be read: any rule may be in it.
    found.safe = false;
  }
};

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
    attributes: new Set(),
    ids: new Set(),
    safe: true,
    lines: false,
    looks: 0,
    count: 0,
    length,
  };
  readSheet(sheet, found);
  readSheets.set(sheet, found);
  return found;
};

const prepareStyles = () => {
  distinctions = newDistinctions(true);
  const selectors = new Set();
  const pseudo = new Set();
  for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
    if (sheet.disabled) continue;
    const facts = sheetFacts(sheet);
    if (!facts.safe) distinctions.safe = false;
    distinctions.looks |= facts.looks;
    if (facts.lines) distinctions.lines = true;
    for (const name of facts.attributes) distinctions.attributes.add(name);
    for (const id of facts.ids) distinctions.ids.add(id);
    for (const selector of facts.selectors) selectors.add(selector);
    for (const selector of facts.pseudo) pseudo.add(selector);
  }
  for (const name of ["class", "style", "type"]) distinctions.attributes.delete(name);
  if (selectors.size > MAX_SELECTORS) distinctions.safe = false;
  if (distinctions.safe) tagMatches(selectors);
  if (distinctions.safe) notePseudo(pseudo);
  if (distinctions.lines) distinctions.looks |= LETTERS;
  if (!distinctions.safe) {
    distinctions.looks = ALL_LOOKS;
    distinctions.lines = true;
  }
};

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
    distinctions.looks = ALL_LOOKS;
  }
};

const addTag = (element, tag) => {
  distinctions.tags.set(element, (distinctions.tags.get(element) || "") + "," + tag);
};

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

// Whether ::before or ::after could hold text here; asking the style engine each time would cost more than the rest.
const mayHavePseudo = (element) =>
  !distinctions.safe ||
  (distinctions.pseudo.size !== 0 && distinctions.pseudo.has(element)) ||
  localNameOf(element) === "q" ||
  (shadowsWereMet && rootNodeOf(element) !== document);
