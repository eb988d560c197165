// Boxes that paint something and may lie over or under text that is not theirs.

import { SVG } from "../dom/elements.js";
import { closestOf, localNameOf, namespaceOf, queryAll, rectOf, scrollLeftOf, scrollTopOf } from "../dom/natives.js";
import { mayHavePseudo } from "../dom/style_sheets.js";
import { everyElement, flattenedParent } from "../dom/tree.js";
import { backgroundAt, replacedColourAt } from "./backgrounds.js";
import { parseColour } from "./colours.js";
import { contextInside } from "./contexts.js";
import { scrollerOf, scrollersOf, viewHeight, viewWidth } from "./viewport.js";

// Where the boxes of ::before and ::after lie: scripts cannot measure them, so their place follows from their style.

/** @param {CSSStyleDeclaration} style */
const containsPositioned = (style) =>
  style.position !== "static" || style.transform !== "none" || style.filter !== "none" || style.perspective !== "none";

// The box that the offsets of a positioned pseudo-element refer to.
/** @param {Element} element @param {string} position */
const containingBox = (element, position) => {
  if (position === "fixed") return { left: 0, top: 0 };
  for (let around = /** @type {Element | null} */ (element); around; around = flattenedParent(around)) {
    const style = getComputedStyle(around);
    if (!containsPositioned(style)) continue;
    const rect = rectOf(around);
    return {
      left: rect.left + parseFloat(style.borderLeftWidth) - scrollLeftOf(around),
      top: rect.top + parseFloat(style.borderTopWidth) - scrollTopOf(around),
    };
  }
  return { left: -scrollX, top: -scrollY };
};

/** @param {CSSStyleDeclaration} style @param {string[]} properties */
const sumOf = (style, properties) =>
  properties.reduce((sum, property) => sum + (parseFloat(style.getPropertyValue(property)) || 0), 0);

/** @param {CSSStyleDeclaration} style */
const borderBoxSize = (style) => {
  const [width, height] = [parseFloat(style.width) || 0, parseFloat(style.height) || 0];
  if (style.boxSizing === "border-box") return [width, height];
  return [
    width + sumOf(style, ["padding-left", "padding-right", "border-left-width", "border-right-width"]),
    height + sumOf(style, ["padding-top", "padding-bottom", "border-top-width", "border-bottom-width"]),
  ];
};

/** @param {CSSStyleDeclaration} style @param {number} left @param {number} top @param {number} width @param {number} height */
const transformed = (style, left, top, width, height) => {
  if (style.transform === "none") return new DOMRect(left, top, width, height);
  const [x = 0, y = 0] = style.transformOrigin.split(" ").map(parseFloat);
  const matrix = new DOMMatrix().translate(left + x, top + y).multiply(new DOMMatrix(style.transform));
  const corners = [
    [-x, -y],
    [width - x, -y],
    [-x, height - y],
    [width - x, height - y],
  ].map(([across, down]) => matrix.transformPoint({ x: across, y: down }));
  const [xs, ys] = [corners.map((corner) => corner.x), corners.map((corner) => corner.y)];
  const [minX, minY] = [Math.min(...xs), Math.min(...ys)];
  return new DOMRect(minX, minY, Math.max(...xs) - minX, Math.max(...ys) - minY);
};

/** @param {Element} element @param {string} pseudo */
export const pseudoRect = (element, pseudo) => {
  const style = getComputedStyle(element, pseudo);
  const box = containingBox(element, style.position);
  const [width, height] = borderBoxSize(style);
  const left = box.left + sumOf(style, ["left", "margin-left"]);
  const top = box.top + sumOf(style, ["top", "margin-top"]);
  return transformed(style, left, top, width, height);
};

const MAX_SURFACES = 4000;
export const PICTURE_TAGS = new Set(["img", "canvas", "video", "iframe", "object", "embed"]);
const SHAPES = new Set(["rect", "circle", "ellipse", "path", "polygon", "image"]);
const SHAPE_SELECTOR = [...SHAPES].join();
const NOT_DRAWN = "defs, clipPath, mask, symbol, pattern, marker";
const MAX_DRAWN_SHAPES = 300;

/** @type {Surface[]} */
let surfaces = [];
// Boxes in the flow: only text that was moved from its own place lies over or under them.
/** @type {[Element, VisibilityContext][]} */
let boxesInFlow = [];
/** @type {Map<Element, Surface>} */
let surfacesByElement = new Map();
let areComplete = false;

export const resetSurfaces = () => {
  surfaces = [];
  boxesInFlow = [];
  surfacesByElement = new Map();
  areComplete = false;
  indexed = 0;
  surfacesByBand = new Map();
  tallSurfaces = [];
  fixedOnes = [];
};

/** @param {Element} element @param {StyleRecord} facts */
const paintsItself = (element, facts) => {
  if (!facts.html && namespaceOf(element) === SVG && facts.tag !== "svg") return SHAPES.has(facts.tag);
  if (facts.background[3] > 0 || facts.backgroundImage !== null) return !facts.clippedToText;
  return PICTURE_TAGS.has(facts.tag) || facts.blursBackdrop;
};

/** @param {Element} element @param {string} pseudo @param {VisibilityContext} inner @returns {Surface} */
const newSurface = (element, pseudo, inner) => ({
  element,
  pseudo,
  facts: inner.facts,
  opacity: pseudo ? inner.opacity * Number(getComputedStyle(element, pseudo).opacity) : inner.opacity,
  filtered: inner.filtered,
  blend: inner.blend,
  isFixed: inner.fixed,
  style: getComputedStyle(element, pseudo || null),
  rect: pseudo ? pseudoRect(element, pseudo) : rectOf(element),
  visible: new Map(),
  parts: null,
  order: null,
});

// The surface of an element's own box; null where it paints nothing.
/** @param {Element} element @param {VisibilityContext} inner */
export const surfaceOf = (element, inner) => {
  const known = surfacesByElement.get(element);
  if (known) return known;
  const { facts } = inner;
  if (facts.none || !facts.visible || !paintsItself(element, facts)) return null;
  const surface = newSurface(element, "", inner);
  surfacesByElement.set(element, surface);
  return surface;
};

// Whether a box may lie over or under what is not inside it.
/** @param {StyleRecord} facts */
const mayOverlap = (facts) =>
  facts.placed ||
  facts.moved ||
  facts.overlaps ||
  facts.paintsBefore ||
  facts.paintsAfter ||
  facts.tag === "svg" ||
  facts.tag === "table" ||
  facts.display.startsWith("table-column");

// Called for every element of a walk.
/** @param {Element} element @param {StyleRecord} facts @param {VisibilityContext} inner */
export const noteSurface = (element, facts, inner) => {
  if (inner.reason || areComplete || surfaces.length >= MAX_SURFACES) return;
  if (inner.overlaps || mayOverlap(facts)) addSurfaces(element, facts, inner);
  else if (facts.visible && paintsItself(element, facts) && boxesInFlow.length < MAX_SURFACES)
    boxesInFlow.push([element, inner]);
};

/** @param {Element} element @param {StyleRecord} facts @param {VisibilityContext} inner */
const addSurfaces = (element, facts, inner) => {
  const known = surfacesByElement.size;
  const own = facts.visible && surfaceOf(element, inner);
  if (own && surfacesByElement.size > known) surfaces.push(own);
  if (facts.tag === "svg" && !facts.html) noteShapes(element);
  if (facts.tag === "table" && facts.html) noteColumns(element);
  if (facts.paintsBefore) surfaces.push(newSurface(element, "::before", inner));
  if (facts.paintsAfter) surfaces.push(newSurface(element, "::after", inner));
};

// Adds the boxes in the flow, for text that was moved over them.
export const addBoxesInFlow = () => {
  for (const [element, inner] of boxesInFlow) {
    const surface = surfaceOf(element, inner);
    if (surface) surfaces.push(surface);
  }
  boxesInFlow = [];
};

// The backgrounds of columns lie under the cells, which are not inside them.
/** @param {Element} table */
const noteColumns = (table) => {
  for (const column of queryAll(table, ":scope > colgroup, :scope > colgroup > col, :scope > col")) {
    const surface = surfaceOf(column, contextInside(column));
    if (surface) surfaces.push(surface);
  }
};

// Shapes of a drawing that is larger than an icon.
/** @param {Element} drawing */
const noteShapes = (drawing) => {
  const box = rectOf(drawing);
  if (box.width < 30 || box.height < 12) return;
  for (const shape of [...queryAll(drawing, SHAPE_SELECTOR)].slice(0, MAX_DRAWN_SHAPES)) {
    const inner = closestOf(shape, NOT_DRAWN) ? null : contextInside(shape);
    const surface = inner && inner.seen && !inner.reason && surfaceOf(shape, inner);
    if (surface && surface.rect.width >= 8 && surface.rect.height >= 8) surfaces.push(surface);
  }
};

/** @param {Element} element */
const mayPaint = (element) => {
  const tag = localNameOf(element);
  if (PICTURE_TAGS.has(tag) || tag === "svg" || mayHavePseudo(element)) return true;
  const style = getComputedStyle(element);
  return (
    style.backgroundColor !== "rgba(0, 0, 0, 0)" ||
    style.backgroundImage !== "none" ||
    style.borderImageSource !== "none" ||
    style.boxShadow !== "none" ||
    style.backdropFilter !== "none"
  );
};

// Collects every box of the document that paints, for a look in the middle of a walk or from outside of one.
export const collectSurfaces = () => {
  if (areComplete) return;
  resetSurfaces();
  for (const element of everyElement()) {
    if (!mayPaint(element)) continue;
    const inner = contextInside(element);
    if (!inner.facts.none && inner.seen) noteSurface(element, inner.facts, inner);
  }
  addBoxesInFlow();
  areComplete = true;
};

const BAND_HEIGHT = 200;
const MAX_BANDS = 50;
let indexed = 0;
/** @type {Map<number, Surface[]>} */
let surfacesByBand = new Map();
/** @type {Surface[]} */
let tallSurfaces = [];
/** @type {Surface[]} */
let fixedOnes = [];

/** @param {Edges} rect */
const bandsOf = (rect) => [Math.floor(rect.top / BAND_HEIGHT), Math.floor(rect.bottom / BAND_HEIGHT)];

// By vertical position, as most surfaces of a long page are far from each other.
const indexSurfaces = () => {
  for (; indexed < surfaces.length; indexed++) {
    const surface = surfaces[indexed];
    if (surface.isFixed) fixedOnes.push(surface);
    const [first, last] = bandsOf(surface.rect);
    if (!(last - first <= MAX_BANDS)) tallSurfaces.push(surface);
    else
      for (let band = first; band <= last; band++) {
        const within = surfacesByBand.get(band);
        if (within) within.push(surface);
        else surfacesByBand.set(band, [surface]);
      }
  }
};

export const hasSurfaces = () => surfaces.length !== 0;

/** @param {Edges} a @param {Edges} b */
const touches = (a, b) => a.left < b.right && a.right > b.left && a.top < b.bottom && a.bottom > b.top;

/** @param {Edges} rect @param {(surface: Surface) => void} call */
export const forSurfacesNear = (rect, call) => {
  indexSurfaces();
  for (const surface of tallSurfaces) if (touches(surface.rect, rect)) call(surface);
  const [first, last] = bandsOf(rect);
  for (let band = first; band <= Math.min(last, first + MAX_BANDS); band++)
    for (const surface of surfacesByBand.get(band) || []) if (touches(surface.rect, rect)) call(surface);
};

// Content that is scrolled passes over and under these.
export const fixedSurfaces = () => {
  indexSurfaces();
  return fixedOnes;
};

/** @param {StyleRecord} facts */
const isContainingBlock = (facts) => facts.placed || facts.moved;

// The nearest scroll container that moves a surface together with the text that it is compared with.
/** @param {Surface} surface @param {Scroller[]} moving */
const sharedScroller = (surface, moving) => {
  const own = scrollersOf(surface.element);
  return own.find((scroller) => moving.includes(scroller)) || null;
};

// The part of a surface that the boxes around it do not clip. What is moved together with a text is compared with it as
// if all of it were in view.
/** @param {Surface} surface @param {Scroller[]} moving @returns {Edges} */
export const visiblePart = (surface, moving) => {
  const shared = sharedScroller(surface, moving);
  let part = surface.visible.get(shared);
  if (!part) {
    part = clippedPart(surface, shared);
    surface.visible.set(shared, part);
  }
  return part;
};

/** @param {Surface} surface @param {Scroller | null} shared @returns {Edges} */
const clippedPart = (surface, shared) => {
  let { left, top, right, bottom } = surface.rect;
  let position = surface.pseudo ? surface.style.position : surface.facts.position;
  let around = surface.pseudo ? surface.element : flattenedParent(surface.element);
  for (; around; around = flattenedParent(around)) {
    const { facts } = contextInside(around);
    if (position === "fixed" && !facts.moved) continue;
    if (position === "absolute" && !isContainingBlock(facts)) continue;
    position = facts.position;
    if (!facts.hides && !facts.scrolls) continue;
    if (facts.scrolls && shared && scrollerOf(around) === shared) break;
    const box = rectOf(around);
    [left, top] = [Math.max(left, box.left), Math.max(top, box.top)];
    [right, bottom] = [Math.min(right, box.right), Math.min(bottom, box.bottom)];
  }
  return { left, top, right, bottom };
};

// A rotated box is smaller than the rectangle around it.
/** @param {Surface} surface @param {number} x @param {number} y */
const isInsideRotated = (surface, x, y) => {
  if (surface.pseudo || !surface.facts.moved || surface.style.transform === "none") return true;
  const matrix = new DOMMatrix(surface.style.transform);
  if (Math.abs(matrix.b) < 0.02 && Math.abs(matrix.c) < 0.02) return true;
  const { rect } = surface;
  matrix.e = matrix.f = 0;
  const point = matrix
    .inverse()
    .transformPoint({ x: x - (rect.left + rect.right) / 2, y: y - (rect.top + rect.bottom) / 2 });
  const box = /** @type {HTMLElement} */ (surface.element);
  return Math.abs(point.x) <= box.offsetWidth / 2 && Math.abs(point.y) <= box.offsetHeight / 2;
};

/** @param {any} shape @param {number} x @param {number} y */
const isInsideShape = (shape, x, y) => {
  const matrix = shape.isPointInFill && shape.getScreenCTM();
  return !matrix || shape.isPointInFill(new DOMPoint(x, y).matrixTransform(matrix.inverse()));
};

/** @param {Surface} surface */
const isShape = (surface) => !surface.facts.html && surface.facts.tag !== "svg";

/** @param {PlacedSurface} placed @param {number} x @param {number} y */
export const reaches = ({ surface, part }, x, y) => {
  if (x < part.left - 1 || x > part.right + 1 || y < part.top - 1 || y > part.bottom + 1) return false;
  return isShape(surface) ? isInsideShape(surface.element, x, y) : isInsideRotated(surface, x, y);
};

/** @param {any} frame @returns {(Colour[] | null)[]} */
const frameColours = (frame) => {
  const root = frame.contentDocument && frame.contentDocument.documentElement;
  if (!root) return [null];
  return [root, frame.contentDocument.body]
    .filter((element) => element)
    .map((element) => [parseColour(getComputedStyle(element).backgroundColor)])
    .filter(([colour]) => colour[3] > 0);
};

/** @param {StyleRecord} facts @param {CSSStyleDeclaration} style @returns {Colour[] | null} */
const shapeColours = (facts, style) => {
  if (facts.tag === "image" || style.fill.startsWith("url(")) return null;
  if (style.fill === "none") return [];
  const [red, green, blue, alpha] = parseColour(style.fill);
  return [[red, green, blue, alpha * Number(style.fillOpacity)]];
};

/** @param {Surface} surface @param {number} x @param {number} y @returns {(Colour[] | null)[]} */
const unfilteredParts = ({ element, pseudo, facts, style, rect }, x, y) => {
  if (!pseudo && !facts.html && facts.tag !== "svg") return [shapeColours(facts, style)];
  const background = backgroundAt(style, rect, x, y);
  if (pseudo || !PICTURE_TAGS.has(facts.tag)) return background;
  if (facts.tag === "iframe") return [...background, ...frameColours(element)];
  return [...background, replacedColourAt(element, x, y)];
};

// Whether it has the same colour everywhere.
/** @param {Surface} surface */
const isPlain = ({ facts, style }) =>
  facts.html &&
  !PICTURE_TAGS.has(facts.tag) &&
  style.backgroundImage === "none" &&
  style.borderImageSource === "none" &&
  style.boxShadow === "none";

// What a surface paints at a point, from the bottom up.
/** @param {Surface} surface @param {number} x @param {number} y */
export const partsAt = (surface, x, y) => {
  if (surface.parts) return surface.parts;
  const found = unfilteredParts(surface, x, y);
  const { filtered } = surface;
  const parts = filtered ? found.map((part) => part && part.map(filtered)) : found;
  if (isPlain(surface)) surface.parts = parts;
  return parts;
};

/** @param {Surface} surface */
export const fillsViewport = ({ rect }) =>
  rect.right - rect.left >= viewWidth * 0.9 && rect.bottom - rect.top >= viewHeight * 0.9;
