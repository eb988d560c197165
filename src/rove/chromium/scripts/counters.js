// What a style sheet has counted: asked for only where a number is part of a name, then once for the whole document.

// Beyond so many elements a number is not worth the time; the name goes without it.
const MOST_COUNTED = 8000;

// Per element and pseudo-element, the value of each counter that it writes.
let counted = null;

const forgetCounters = () => {
  counted = null;
};

// A counter belongs to the element that made it, to what that holds and to what follows it below the same parent.
const makeCounter = (counters, name, value, maker, parent) => {
  const scopes = counters.get(name) || [];
  if (scopes.length && scopes[scopes.length - 1].parent === parent) scopes.pop();
  scopes.push({ value, maker, parent });
  counters.set(name, scopes);
};

const pairsOf = (text) => (text === "none" ? [] : [...text.matchAll(/([^\s()]+)\)?\s+(-?\d+)/g)]);

const countBy = (counters, style, maker, parent) => {
  for (const [, name, value] of pairsOf(style.counterReset)) makeCounter(counters, name, Number(value), maker, parent);
  for (const [, name, value] of pairsOf(style.counterIncrement))
    innermostCounter(counters, name, maker, parent).value += Number(value);
  for (const [, name, value] of pairsOf(style.counterSet))
    innermostCounter(counters, name, maker, parent).value = Number(value);
};

const innermostCounter = (counters, name, maker, parent) => {
  if (!(counters.get(name) || []).length) makeCounter(counters, name, 0, maker, parent);
  const scopes = counters.get(name);
  return scopes[scopes.length - 1];
};

const countPseudo = (counters, element, which, found) => {
  const style = getComputedStyle(element, which);
  const content = style.content;
  if (content === "none" || content === "normal" || style.display === "none") return;
  countBy(counters, style, which, element);
  if (!content.includes("counter")) return;
  const values = new Map();
  for (const [name, scopes] of counters) values.set(name, scopes.map((scope) => scope.value));
  if (!found.values.has(element)) found.values.set(element, {});
  found.values.get(element)[which] = values;
};

const countElement = (element, parent, counters, found, nesting) => {
  if (found.left-- <= 0 || nesting > MAX_NESTING) return;
  const style = getComputedStyle(element);
  if (style.display === "none") return;
  countBy(counters, style, element, parent);
  const marked = mayHavePseudo(element);
  if (marked) countPseudo(counters, element, "::before", found);
  for (const child of shadowChildren(element) || childrenOf(element))
    if (isElement(child)) countElement(child, element, counters, found, nesting + 1);
  if (marked) countPseudo(counters, element, "::after", found);
  for (const scopes of counters.values())
    while (scopes.length && scopes[scopes.length - 1].parent === element) scopes.pop();
};

const ROMAN = [
  [1000, "m"], [900, "cm"], [500, "d"], [400, "cd"], [100, "c"], [90, "xc"], [50, "l"], [40, "xl"], [10, "x"],
  [9, "ix"], [5, "v"], [4, "iv"], [1, "i"],
];

const roman = (value) => {
  let text = "";
  for (const [worth, letters] of ROMAN) for (; value >= worth; value -= worth) text += letters;
  return text;
};

const alphabetic = (value) => {
  let text = "";
  for (; value > 0; value = Math.floor((value - 1) / 26)) text = String.fromCharCode(97 + ((value - 1) % 26)) + text;
  return text;
};

const written = (value, kind) => {
  if (kind === "none") return "";
  if (kind === "decimal-leading-zero") return String(value).padStart(2, "0");
  if (value < 1 || value > 3999 || !/^(?:lower|upper)-(?:alpha|latin|roman)$/.test(kind)) return String(value);
  const text = kind.endsWith("roman") ? roman(value) : alphabetic(value);
  return kind.startsWith("upper") ? text.toUpperCase() : text;
};

const COUNTER = /^(counters?)\(\s*([^\s,()]+)\s*(?:,\s*"((?:[^"\\]|\\.)*)"\s*)?(?:,\s*([\w-]+)\s*)?\)$/;

// The words for one counter() or counters() in what an element writes before or after itself.
const counterText = (call, element, which) => {
  const parts = COUNTER.exec(call);
  if (!parts || parts[2] === "list-item") return ""; // which the browser counts by itself
  if (counted === null) {
    counted = { left: MOST_COUNTED, values: new Map() };
    countElement(rootElementOf(document), null, new Map(), counted, 0);
  }
  const known = (counted.values.get(element) || {})[which];
  if (!known) return "";
  const values = known.get(parts[2]) || [0];
  const shown = parts[1] === "counter" ? values.slice(-1) : values;
  return shown.map((value) => written(value, parts[4] || "decimal")).join(unescaped(parts[3] || ""));
};
