// What lies under and over a text, point by point, in the order in which the browser paints.

import { SVG } from "../dom/elements.js";
import {
  bodyOf,
  comesBefore,
  containsNode,
  firstChildOf,
  isElement,
  localNameOf,
  matchesSelector,
  namespaceOf,
  rectOf,
  rootElementOf,
} from "../dom/natives.js";
import { flattenedParent, isWithin, pathOf } from "../dom/tree.js";
import { backgroundAt, paintOver } from "./backgrounds.js";
import { blendColours, canvasColour, contrast, LOW_CONTRAST } from "./colours.js";
import { contextInside } from "./contexts.js";
import {
  fillsViewport,
  fixedSurfaces,
  forSurfacesNear,
  PICTURE_TAGS,
  partsAt,
  reaches,
  surfaceOf,
  visiblePart,
} from "./surfaces.js";
import { scrollersInside, scrollersOf, scrollShift } from "./viewport.js";

// The order in which the browser paints (CSS 2.1, appendix E): which of two boxes or texts is above the other.

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
const orderOfText = (node) => {
  const parent = isElement(node) ? node : flattenedParent(node);
  return [...(parent ? entriesInside(parent) : []), leaf(INLINE, node, isElement(node) ? 0.5 : 0)];
};

/** @param {Element} element @param {string} pseudo */
const orderOfBox = (element, pseudo) => {
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
const comparePaintOrder = (a, b) => {
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a[i].level !== b[i].level) return a[i].level - b[i].level;
    const order = treeOrder(a[i], b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
};

// The boxes over and under each line of a text.

const MAX_LINES = 8;
const ACROSS = [0.02, 0.26, 0.5, 0.74, 0.98];
const DOWN = [0.15, 0.5, 0.85];
const TEXT_RANGE = document.createRange();

// A plain copy, as each read of a DOMRect is a call into the browser.
/** @param {Edges} rect @returns {Box} */
export const plainRect = ({ left, top, right, bottom }) => ({
  left,
  top,
  right,
  bottom,
  width: right - left,
  height: bottom - top,
});

// The rectangle of each line of its text, or its box.
/** @param {Node} node */
export const linesOf = (node) => {
  if (isElement(node) && !firstChildOf(node)) return [plainRect(rectOf(node))];
  TEXT_RANGE.selectNodeContents(node);
  const lines = Array.from(TEXT_RANGE.getClientRects(), plainRect).filter((rect) => rect.width > 0 && rect.height > 0);
  return lines.length ? lines.slice(0, MAX_LINES) : isElement(node) ? [plainRect(rectOf(node))] : [];
};

/** @param {Box} rect @param {number} x @param {number} y @returns {Box} */
const movedBy = (rect, x, y) => ({
  ...rect,
  left: rect.left + x,
  right: rect.right + x,
  top: rect.top + y,
  bottom: rect.bottom + y,
});

/** @param {Surface} surface */
const orderOf = (surface) => {
  surface.order ??= orderOfBox(surface.element, surface.pseudo);
  return surface.order;
};

// Its ancestors that paint, except for the page's own background.
/** @param {Element | null} element */
const surfacesAround = (element) => {
  /** @type {Surface[]} */
  const found = [];
  for (let around = element; around; around = flattenedParent(around)) {
    if (isPageBackground(around)) continue;
    const surface = surfaceOf(around, contextInside(around));
    if (surface) found.push(surface);
  }
  return found;
};

/** @param {Element} element */
const hasBackground = (element) => {
  const style = getComputedStyle(element);
  return style.backgroundColor !== "rgba(0, 0, 0, 0)" || style.backgroundImage !== "none";
};

// The background of the root element, or else of the body, fills the whole canvas.
/** @param {Element} element */
const isPageBackground = (element) => {
  const root = rootElementOf(document);
  return element === root || (element === bodyOf(document) && !hasBackground(root));
};

// Of a page whose background is the same everywhere.
/** @type {Omit<PaintedPoint, "cover"> | null} */
let plainPage = null;

export const resetBackdrops = () => {
  plainPage = null;
};

/** @param {number} x @param {number} y */
const pageColours = (x, y) => {
  if (plainPage) return plainPage;
  const root = rootElementOf(document);
  const body = bodyOf(document);
  const painter = hasBackground(root) || !body ? root : body;
  const { filtered } = contextInside(painter);
  /** @type {Colour[] | null} */
  let colours = [canvasColour];
  const style = getComputedStyle(painter);
  const parts = backgroundAt(style, rectOf(root), x, y);
  for (const part of parts) colours = paintOver(colours, part && filtered ? part.map(filtered) : part, 1);
  const page = {
    colours,
    known: colours || [canvasColour],
    isPainted: parts.length !== 0,
    isPattern: style.backgroundImage !== "none",
  };
  if (!page.isPattern && style.boxShadow === "none") plainPage = page;
  return page;
};

// All surfaces that may lie under or over these lines, here or where scrolling brings them.
/** @param {Node} node @param {Element | null} element @param {Box[]} lines @param {Scroller[]} moving @param {boolean} isWhole */
const surfacesFor = (node, element, lines, moving, isWhole) => {
  const found = new Set(surfacesAround(element));
  /** @param {Surface} surface */
  const add = (surface) => {
    if (isWhole && isWithin(surface.element, /** @type {Element} */ (node))) return;
    if (!isElement(node) || surface.pseudo || surface.element === node || !containsNode(node, surface.element))
      if (!isPageBackground(surface.element) || surface.pseudo) found.add(surface);
  };
  for (const line of lines) {
    forSurfacesNear(line, add);
    const { x, y } = scrollShift(moving, [], line);
    if (x || y) forSurfacesNear(movedBy(line, x, y), add);
  }
  fixedSurfaces().forEach(add);
  return [...found];
};

const BLACK = [0, 0, 0, 1];
const WHITE = [255, 255, 255, 1];

// Whether black and white become alike below a blended colour.
/** @param {string} blend @param {Colour[]} part */
const blendHides = (blend, part) =>
  part.every(
    (colour) => contrast(blendColours(blend, BLACK, colour), blendColours(blend, WHITE, colour)) < LOW_CONTRAST,
  );

// How much a surface hides of what is below it at a point: 1, 0, or a half where that cannot be told.
/** @param {PlacedSurface} placed @param {number} x @param {number} y */
const coverAt = (placed, x, y) => {
  if (!reaches(placed, x, y)) return 0;
  const { surface } = placed;
  if (surface.facts.blursBackdrop && !surface.pseudo) return 1;
  let through = 1;
  for (const part of partsAt(surface, x, y)) {
    // An overlay for effects, which lets most of the page through.
    if (!part && surface.facts.tag === "canvas") continue;
    if (!part) return 0.5;
    if (surface.blend && !blendHides(surface.blend, part)) continue;
    if (part.length) through *= 1 - Math.min(...part.map((colour) => colour[3]));
  }
  return (1 - through) * surface.opacity >= 0.9 ? 1 : 0;
};

/** @param {PlacedSurface} placed @param {number} x @param {number} y */
const coverOf = (placed, x, y) => {
  const { shift } = placed;
  const there = coverAt(placed, x + shift.x, y + shift.y);
  if (shift.isOut || !there || (!shift.x && !shift.y)) return there;
  return Math.min(there, coverAt(placed, x, y));
};

/** @param {Surface} surface */
const isPatterned = ({ facts, style }) => style.backgroundImage !== "none" || PICTURE_TAGS.has(facts.tag);

/** @param {PlacedSurface[]} below @param {number} x @param {number} y */
const coloursUnder = (below, x, y) => {
  let { colours, known, isPainted, isPattern } = pageColours(x, y);
  for (const placed of below) {
    const { surface, shift } = placed;
    const [atX, atY] = shift.isOut ? [x + shift.x, y + shift.y] : [x, y];
    if (!reaches(placed, atX, atY)) continue;
    for (const part of partsAt(surface, atX, atY)) {
      colours = paintOver(colours, part, surface.opacity, surface.blend);
      known = colours || known;
      isPainted = true;
      isPattern ||= isPatterned(surface);
    }
  }
  return { colours, known, isPainted, isPattern };
};

/** @param {Surface[]} found @param {Node} node @param {Box} line @param {Scroller[]} moving @returns {{ above: PlacedSurface[], below: PlacedSurface[] }} */
const divided = (found, node, line, moving) => {
  const order = orderOfText(node);
  /** @type {PlacedSurface[]} */
  const above = [];
  /** @type {PlacedSurface[]} */
  const below = [];
  for (const surface of found) {
    const shift = scrollShift(moving, scrollersOf(surface.element), line);
    const isOwn = surface.element === node && !surface.pseudo;
    const side = !isOwn && comparePaintOrder(orderOf(surface), order) > 0 ? above : below;
    side.push({ surface, shift, part: visiblePart(surface, moving) });
  }
  below.sort((a, b) => comparePaintOrder(orderOf(a.surface), orderOf(b.surface)));
  return { above, below };
};

// What is painted at points of a text: how far it is covered, and the colours below it (null where they are unknown). An
// element as a whole is not covered by what is inside it, such as the knob that its ::after draws.
/** @param {Node} node @param {Box[]} [lines] @param {boolean} [isWhole] @returns {PaintedPoint[]} */
export const paintedPoints = (node, lines = linesOf(node), isWhole = false) => {
  const element = isElement(node) ? node : flattenedParent(node);
  const hasText = !isElement(node) || firstChildOf(node) !== null;
  const moving = !element ? [] : hasText ? scrollersInside(element) : scrollersOf(element);
  const found = surfacesFor(node, element, lines, moving, isWhole);
  return lines.flatMap((line) => {
    const { above, below } = divided(found, node, line, moving);
    return ACROSS.flatMap((part) =>
      DOWN.map((share) => {
        const [x, y] = [line.left + line.width * part, line.top + line.height * share];
        const cover = above.reduce((most, placed) => Math.max(most, coverOf(placed, x, y)), 0);
        return { cover, ...coloursUnder(below, x, y) };
      }),
    );
  });
};

// Whether anything paints near an element or in it, except for what is around it.
/** @param {Element} element */
export const isNearAnySurface = (element) => {
  let isNear = fixedSurfaces().length !== 0;
  if (!isNear)
    forSurfacesNear(rectOf(element), (surface) => {
      isNear ||= surface.pseudo !== "" || !isWithin(element, surface.element);
    });
  return isNear;
};

// Whether something that is not around a node paints near it. What is inside an element is judged with its texts.
/** @param {Node} node @param {Edges} rect */
export const isNearSurface = (node, rect) => {
  let isNear = false;
  /** @param {Surface} surface */
  const check = (surface) => {
    isNear ||= surface.pseudo !== "" || !isRelated(surface.element, node);
  };
  forSurfacesNear(rect, check);
  if (!isNear) fixedSurfaces().filter(fillsViewport).forEach(check);
  return isNear;
};

// Whether a text that was moved from its own place still lies on the nearest background around it.
/** @param {Element | null} painter @param {Edges} rect */
export const isOnBackground = (painter, rect) => {
  if (!painter || isPageBackground(painter)) return true;
  const box = rectOf(painter);
  return (
    rect.left >= box.left - 1 && rect.right <= box.right + 1 && rect.top >= box.top - 1 && rect.bottom <= box.bottom + 1
  );
};

/** @param {Element} element @param {Node} node */
const isRelated = (element, node) =>
  element === node || containsNode(element, node) || containsNode(node, element) || isWithin(node, element);
