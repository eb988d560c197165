// The context in which the children of an element are seen: what it inherits from its ancestors. Rectangles are measured
// only where style alone does not decide.

import { ARIA, INERT, isHtml, kindsOf, lowerCaseAttr } from "../dom/elements.js";
import {
  clientHeightOf,
  clientWidthOf,
  firstElementOf,
  localNameOf,
  rectOf,
  rootElementOf,
  scrollHeightOf,
  scrollWidthOf,
} from "../dom/natives.js";
import { flattenedParent, pathOf } from "../dom/tree.js";
import {
  clipPathRect,
  intersectClip,
  isClippedAway,
  isDistorted,
  legacyClipRect,
  paddingBox,
  reachesOver,
  scrollerClip,
} from "./clipping.js";
import { canvasColour, compositeOver } from "./colours.js";
import { readStyle, styleOf } from "./computed_styles.js";
import { outsidePage, pageClip, viewHeight, viewOf } from "./viewport.js";

export const MIN_OPACITY = 0.08;
const FAR_BELOW = 300;

/** @returns {VisibilityContext} */
const rootContext = () => ({
  facts: /** @type {any} */ (null),
  seen: true,
  reason: "",
  inert: "",
  opacity: 1,
  background: canvasColour,
  backgroundImage: null,
  // The colours of a background that is clipped to the text.
  textBackground: null,
  filtered: null,
  blendBackdrop: null,
  blend: "",
  painter: null,
  pictured: null,
  overlaps: false,
  displaced: false,
  sunken: false,
  clip: null,
  placedClip: null,
  fixedClip: null,
  needsMeasuring: false,
  fixed: false,
  pointer: false,
  isInName: false,
  owner: null,
  namer: null,
  isBehindModal: false,
  // False inside of what is not displayed.
  isRendered: true,
  depth: 0,
  inView: 0,
  grouped: false,
  shapes: false,
  role: "",
  // The role of the table around; null where the walk did not start at the top and so does not know.
  table: null,
  struck: false,
});

// The reason why nothing of this rectangle can be seen, however the page is scrolled.
/** @param {Box} rect @param {VisibilityContext} context */
export const geometryReason = (rect, context) => {
  if (rect.width < 1.5 && rect.height < 1.5) return rect.width === 0 && rect.height === 0 ? "no size" : "scaled away";
  if (rect.width < 0.5 || rect.height < 0.5) return "scaled away";
  if (context.clip && isClippedAway(context.clip, rect)) return context.clip.small ? "screen-reader text" : "clipped";
  // What a scroller holds can be scrolled to.
  if (context.clip && context.clip.scrolls) return "";
  return outsidePage(context.clip ? intersectClip(context.clip, rect) : rect, context.fixed) ? "off-screen" : "";
};

/** @param {Element} element */
const isVisibleOverflow = (element) =>
  scrollWidthOf(element) > clientWidthOf(element) + 1 || scrollHeightOf(element) > clientHeightOf(element) + 1;

/** @param {Element} element @param {VisibilityContext} context */
const inertReason = (element, context) => {
  const kinds = kindsOf(element);
  if (kinds & ARIA && lowerCaseAttr(element, "aria-hidden") === "true") return "aria-hidden";
  return kinds & INERT ? "inert" : context.inert;
};

// A line through text is not drawn through boxes of their own within it.
/** @param {StyleRecord} facts */
const inheritsStrike = (facts) =>
  !facts.display.startsWith("inline-") && facts.position !== "absolute" && facts.position !== "fixed";

// The context of the children of this element.
/** @param {Element} element @param {StyleRecord} facts @param {VisibilityContext} context @returns {VisibilityContext} */
export const enter = (element, facts, context) => {
  const inner = {
    facts,
    seen: facts.visible,
    reason: context.reason || facts.reason,
    inert: context.inert,
    opacity: context.opacity,
    background: context.background,
    backgroundImage: context.backgroundImage,
    textBackground: context.textBackground,
    filtered: facts.filtered || context.filtered,
    blendBackdrop: facts.filtered || facts.blend ? context.background : context.blendBackdrop,
    blend: facts.blend || context.blend,
    painter: context.painter,
    pictured: context.pictured,
    overlaps: context.displaced || facts.displaced,
    displaced: context.displaced || facts.displaced,
    sunken: context.sunken || (facts.placed && facts.zIndex < 0),
    clip: clipAround(facts, context),
    placedClip: context.placedClip,
    fixedClip: context.fixedClip,
    needsMeasuring: context.needsMeasuring || facts.textMayStray,
    fixed: context.fixed || facts.position === "fixed",
    pointer: facts.pointer,
    isInName: context.isInName,
    depth: context.depth,
    inView: context.inView,
    owner: context.owner,
    namer: context.namer,
    isBehindModal: context.isBehindModal,
    isRendered: context.isRendered,
    grouped: false,
    shapes: context.shapes,
    role: "",
    table: context.table,
    struck: facts.struck || (context.struck && inheritsStrike(facts)),
  };
  if (kindsOf(element) & (ARIA | INERT)) inner.inert = inertReason(element, context);
  if (facts.opacity < 1) {
    inner.opacity = context.opacity * facts.opacity;
    if (inner.opacity < MIN_OPACITY && !inner.reason) inner.reason = "transparent";
  }
  if (facts.clippedToText) inner.textBackground = facts.backgroundImage || [facts.background];
  else {
    if (facts.background[3] > 0) {
      inner.background = compositeOver(facts.background, context.background);
      inner.painter = element;
    }
    if (facts.background[3] > 0.95) {
      inner.backgroundImage = null;
      inner.displaced = false;
    }
    if (facts.backgroundImage) {
      inner.backgroundImage = facts.backgroundImage;
      inner.painter = element;
      inner.pictured = element;
    }
  }
  if (!facts.inline || facts.clipPath !== "none" || facts.tag === "svg") measureBox(element, facts, context, inner);
  else if (inner.clip && (facts.placed || facts.moved)) noteStrayBox(element, inner);
  if (facts.placed || facts.holdsFixed) inner.placedClip = inner.clip;
  if (facts.holdsFixed) inner.fixedClip = inner.clip;
  return inner;
};

// Boxes clip only what they are, or hold, the containing block of.
/** @param {StyleRecord} facts @param {VisibilityContext} context */
const clipAround = (facts, context) => {
  if (!facts.placed) return context.clip;
  if (facts.position === "fixed") return context.fixedClip;
  return facts.position === "absolute" ? context.placedClip : context.clip;
};

/** @param {Element} element @param {VisibilityContext} inner */
const noteStrayBox = (element, inner) => {
  if (!inner.needsMeasuring && inner.clip && reachesOver(inner.clip, rectOf(element))) inner.needsMeasuring = true;
};

/** @param {StyleRecord} facts @param {VisibilityContext} context */
const needsBox = (facts, context) =>
  context.inView === 0 || facts.placed || facts.moved || facts.hides || facts.scrolls || facts.clipPath !== "none";

/** @param {Element} element @param {StyleRecord} facts @param {VisibilityContext} context @param {VisibilityContext} inner */
const measureBox = (element, facts, context, inner) => {
  if (!needsBox(facts, context)) return;
  const rect = rectOf(element);
  inner.inView = facts.placed || facts.moved || context.inView === 0 ? viewOf(rect) : context.inView;
  // Once a child of a long list is far below the viewport, so are those after it.
  if (context.grouped && !facts.placed && rect.top > viewHeight + FAR_BELOW) context.inView = 2;
  // A box that does not clip may be smaller than its content, so only a clipping box decides for its children.
  if (inner.inView !== 0 && !facts.hides && !facts.scrolls && (rect.height < 1 || rect.width < 1)) inner.inView = 0;
  if (facts.placed || facts.moved) {
    if (geometryReason(rect, inner) || (inner.clip && reachesOver(inner.clip, rect)) || isDistorted(element, rect))
      inner.needsMeasuring = true;
  }
  if (facts.scrolls) clipToScroller(element, facts, rect, inner);
  else if (facts.hides && (!facts.inline || facts.tag === "svg")) clipToBox(element, rect, inner);
  // Content that is aligned to another edge overflows where it does not count as scrollable.
  if (inner.clip && facts.mayOverflowStart && firstElementOf(element))
    noteStrayBox(/** @type {Element} */ (firstElementOf(element)), inner);
  const shape =
    facts.clipPath !== "none"
      ? clipPathRect(facts.clipPath, rect)
      : facts.legacyClip
        ? legacyClipRect(element, rect)
        : null;
  if (shape) {
    inner.clip = intersectClip(inner.clip, shape);
    inner.placedClip = intersectClip(inner.placedClip, shape);
    inner.fixedClip = intersectClip(inner.fixedClip, shape);
    inner.needsMeasuring = true;
  }
};

// The overflow of the root element, or else of the body, is that of the viewport.
/** @param {string} tag */
const isClippedByViewport = (tag) =>
  tag === "html" || (tag === "body" && getComputedStyle(rootElementOf(document)).overflow === "visible");

/** @param {VisibilityContext} inner */
const clipToPage = (inner) => {
  if (!pageClip) return;
  inner.clip = pageClip;
  inner.needsMeasuring = true;
};

/** @param {Element} element @param {StyleRecord} facts @param {Box} rect @param {VisibilityContext} inner */
const clipToScroller = (element, facts, rect, inner) => {
  if (isClippedByViewport(facts.tag)) return clipToPage(inner);
  if (rect.width <= 2 || rect.height <= 2) {
    inner.clip = intersectClip(inner.clip, rect);
    inner.needsMeasuring = true;
  } else if (!geometryReason(rect, inner)) {
    inner.clip = scrollerClip(element, facts, rect);
    inner.needsMeasuring = facts.textMayStray || (facts.hides && isVisibleOverflow(element));
  } else inner.needsMeasuring = true;
};

/** @param {Element} element @param {Box} rect @param {VisibilityContext} inner */
const clipToBox = (element, rect, inner) => {
  if (isClippedByViewport(localNameOf(element))) return clipToPage(inner);
  const box = paddingBox(element, rect);
  inner.clip = intersectClip(inner.clip, box);
  if (isVisibleOverflow(element) || box.right - box.left <= 4 || box.bottom - box.top <= 4 || !isHtml(element))
    inner.needsMeasuring = true;
};

// The context inside each element, as a walk from the top would compute it.
/** @type {Map<Element, VisibilityContext>} */
let contextsByElement = new Map();

export const resetContexts = () => {
  contextsByElement = new Map();
};

/** @param {Element} element @returns {VisibilityContext} */
export const contextInside = (element) => {
  const known = contextsByElement.get(element);
  if (known) return known;
  let context = rootContext();
  for (const step of pathOf(element)) {
    const met = contextsByElement.get(step);
    if (met) {
      context = met;
      continue;
    }
    const facts = context.isRendered ? styleOf(step, context.facts) : null;
    context = !facts
      ? { ...context }
      : facts.none
        ? { ...context, facts: readStyle(rootElementOf(document)), seen: false, isRendered: false }
        : enter(step, facts, context);
    contextsByElement.set(step, context);
  }
  return context;
};

// The context around a node; a copy, as walks change theirs.
/** @param {Node} node @returns {VisibilityContext} */
export const contextAt = (node) => {
  const parent = flattenedParent(node);
  const context = parent ? { ...contextInside(parent) } : rootContext();
  if (!context.facts) context.facts = readStyle(rootElementOf(document));
  return context;
};
