// The order in which the browser paints (CSS 2.1, appendix E): which of two boxes or texts is above the other.

import { SVG } from "../dom/elements.js";
import { comesBefore, isElement, localNameOf, matchesSelector, namespaceOf } from "../dom/natives.js";
import { flattenedParent, pathOf } from "../dom/tree.js";

// Within a stacking context: negative z-indices are below these levels, positive ones above.
const BLOCK_BACKGROUND = 0.1;
const FLOAT = 0.2;
const INLINE = 0.3;
const POSITIONED = 0.5;
const OWN_BACKGROUND = -Infinity;

const REPLACED = new Set(["img", "canvas", "video", "iframe", "object", "embed", "svg", "image", "input"]);
const ATOMIC_INLINE = /^inline-|^ruby/;
const ITEM_PARENT = /flex|grid/;
const CONTEXT_PROPERTIES =
  /opacity|transform|translate|scale|rotate|filter|perspective|clip-path|mask|isolation|z-index/;
const TOP_LAYER = ":modal, :popover-open, :fullscreen";

/** @type {Map<Element, PaintEntry | null>} */
let layers = new Map();
/** @type {Map<Element, PaintEntry[]>} */
let entriesByElement = new Map();

export const resetPaintOrder = () => {
  layers = new Map();
  entriesByElement = new Map();
};

/** @param {CSSStyleDeclaration} style */
const formsContext = (style) =>
  style.position === "fixed" ||
  style.position === "sticky" ||
  Number(style.opacity) < 1 ||
  style.transform !== "none" ||
  style.translate !== "none" ||
  style.scale !== "none" ||
  style.rotate !== "none" ||
  style.filter !== "none" ||
  style.backdropFilter !== "none" ||
  style.perspective !== "none" ||
  style.clipPath !== "none" ||
  style.maskImage !== "none" ||
  style.mixBlendMode !== "normal" ||
  style.isolation === "isolate" ||
  CONTEXT_PROPERTIES.test(style.willChange) ||
  /layout|paint|strict|content/.test(style.contain);

// The layer of a box with this style; null where it is painted with its parent's layer.
/** @param {Element} element @param {CSSStyleDeclaration} style @param {boolean} isItem @param {number} end @returns {PaintEntry | null} */
const layerFor = (element, style, isItem, end) => {
  const isPlaced = style.position !== "static";
  const hasLevel = style.zIndex !== "auto" && (isPlaced || isItem);
  const isContext = hasLevel || formsContext(style);
  if (isPlaced || isContext) {
    const level = hasLevel ? Number(style.zIndex) || POSITIONED : POSITIONED;
    return { level, node: element, end, isContext, isLayered: true };
  }
  const isFloat = style.float !== "none" && !isItem;
  if (!isFloat && !isItem && !ATOMIC_INLINE.test(style.display)) return null;
  return { level: isFloat ? FLOAT : INLINE, node: element, end, isContext: false, isLayered: false };
};

/** @param {Element} element */
const isInsideDrawing = (element) => {
  const parent = flattenedParent(element);
  return parent !== null && namespaceOf(parent) === SVG && localNameOf(parent) !== "foreignObject";
};

/** @param {Element} element */
const layerOf = (element) => {
  let layer = layers.get(element);
  if (layer === undefined) {
    layer = isInsideDrawing(element) ? null : htmlLayerOf(element);
    layers.set(element, layer);
  }
  return layer;
};

/** @param {Element} element @returns {PaintEntry | null} */
const htmlLayerOf = (element) => {
  const style = getComputedStyle(element);
  if (style.position !== "static" && matchesSelector(element, TOP_LAYER))
    return { level: Infinity, node: element, end: 0, isContext: true, isLayered: true };
  const parent = flattenedParent(element);
  const isItem = parent !== null && ITEM_PARENT.test(getComputedStyle(parent).display);
  return layerFor(element, style, isItem, 0);
};

// A positioned box belongs to the nearest stacking context, whatever lies between.
/** @param {PaintEntry[]} entries @param {PaintEntry} layer */
const withLayer = (entries, layer) => {
  if (!layer.isLayered) return [...entries, layer];
  if (layer.level === Infinity) return [layer];
  const context = entries.findLastIndex((entry) => entry.isContext);
  return [...entries.slice(0, context + 1), layer];
};

// The layers around the content of an element, from the outside in.
/** @param {Element} element @returns {PaintEntry[]} */
const entriesInside = (element) => {
  let entries = entriesByElement.get(element);
  if (entries) return entries;
  const parent = flattenedParent(element);
  entries = parent ? entriesInside(parent) : [];
  const layer = layerOf(element);
  if (layer) entries = withLayer(entries, layer);
  entriesByElement.set(element, entries);
  return entries;
};

/** @param {number} level @param {Node} node @param {number} [end] @returns {PaintEntry} */
const leaf = (level, node, end = 0) => ({ level, node, end, isContext: false, isLayered: false });

/** @param {Node} node */
export const orderOfText = (node) => {
  const parent = isElement(node) ? node : flattenedParent(node);
  return [...(parent ? entriesInside(parent) : []), leaf(INLINE, node, isElement(node) ? 0.5 : 0)];
};

/** @param {Element} element @param {string} pseudo */
export const orderOfBox = (element, pseudo) => {
  if (pseudo) return orderOfPseudo(element, pseudo);
  const entries = entriesInside(element);
  if (layerOf(element)) return [...entries, leaf(OWN_BACKGROUND, element)];
  const isInline =
    namespaceOf(element) === SVG ||
    REPLACED.has(localNameOf(element)) ||
    getComputedStyle(element).display === "inline";
  return [...entries, leaf(isInline ? INLINE : BLOCK_BACKGROUND, element)];
};

// ::before is the first child of its element, ::after the last.
/** @param {Element} element @param {string} pseudo */
const orderOfPseudo = (element, pseudo) => {
  const end = pseudo === "::before" ? 0.1 : 1;
  const isItem = ITEM_PARENT.test(getComputedStyle(element).display);
  const layer = layerFor(element, getComputedStyle(element, pseudo), isItem, end);
  const entries = entriesInside(element);
  return layer
    ? [...withLayer(entries, layer), leaf(OWN_BACKGROUND, element, end)]
    : [...entries, leaf(BLOCK_BACKGROUND, element, end)];
};

// Negative: the first comes earlier in the flattened tree.
/** @param {PaintEntry} a @param {PaintEntry} b */
const treeOrder = (a, b) => {
  if (a.node === b.node) return a.end - b.end;
  const [first, second] = [pathOf(a.node), pathOf(b.node)];
  let shared = 0;
  while (shared < first.length && first[shared] === second[shared]) shared++;
  if (shared === first.length) return a.end === 1 ? 1 : -1;
  if (shared === second.length) return b.end === 1 ? -1 : 1;
  return comesBefore(first[shared], second[shared]) ? -1 : 1;
};

// Negative: the first is painted earlier, and so lies below.
/** @param {PaintEntry[]} a @param {PaintEntry[]} b */
export const comparePaintOrder = (a, b) => {
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a[i].level !== b[i].level) return a[i].level - b[i].level;
    const order = treeOrder(a[i], b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
};
