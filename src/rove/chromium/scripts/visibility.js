// Whether a person would see it: inherited reasons travel down in a context; geometry is asked only where style leaves doubt.

const FAINT = 0.08;
const TINY_FONT = 2.5;
const FAR_BELOW = 300;
const RANGE = document.createRange();

let viewWidth = 0;
let viewHeight = 0;
let pageLeft = 0;
let pageTop = 0;
let pageWidth = 0;
let pageHeight = 0;

const measurePage = () => {
  const root = rootElementOf(document);
  const scroller = document.scrollingElement || root;
  viewWidth = clientWidthOf(root) || innerWidth;
  viewHeight = innerHeight;
  const style = getComputedStyle(root);
  const bodyStyle = bodyOf(document) ? getComputedStyle(bodyOf(document)) : style;
  const locked =
    /hidden|clip/.test(style.overflowY) || (style.overflowY === "visible" && /hidden|clip/.test(bodyStyle.overflowY));
  const lockedX =
    /hidden|clip/.test(style.overflowX) || (style.overflowX === "visible" && /hidden|clip/.test(bodyStyle.overflowX));
  pageLeft = -scrollX;
  pageTop = -scrollY;
  pageWidth = lockedX ? viewWidth + scrollX : Math.max(scrollWidthOf(scroller), viewWidth);
  pageHeight = locked ? viewHeight + scrollY : Math.max(scrollHeightOf(scroller), viewHeight);
  if (style.direction === "rtl") pageLeft -= pageWidth - viewWidth;
};

// What is behind a page that says nothing of its own.
const CANVAS = [255, 255, 255, 1];

const rootContext = () => ({
  facts: null,
  seen: true,
  reason: "",
  apart: "",
  opacity: 1,
  background: CANVAS,
  pictured: null,
  // The colours of a background that is painted in the shape of the text alone.
  ink: null,
  filtered: null,
  under: null,
  blend: "",
  veil: null,
  clip: null,
  doubt: false,
  fixed: false,
  pointer: false,
  quiet: false,
  owner: null,
  behind: false,
  backed: false,
  depth: 0,
  inView: 0,
  grouped: false,
  shapes: false,
  role: "",
  // The role of the table around; null where the walk did not come from the top and so does not know.
  table: null,
});

const outsidePage = (rect, fixed) => {
  if (fixed) return rect.right <= 0 || rect.bottom <= 0 || rect.left >= viewWidth || rect.top >= viewHeight;
  return (
    rect.right <= pageLeft ||
    rect.bottom <= pageTop ||
    rect.left >= pageLeft + pageWidth ||
    rect.top >= pageTop + pageHeight
  );
};

// Why nothing of this rectangle can be seen, however the page is scrolled.
const geometryReason = (rect, context) => {
  if (rect.width < 1.5 && rect.height < 1.5) return rect.width === 0 && rect.height === 0 ? "no size" : "scaled away";
  if (rect.width < 0.5 || rect.height < 0.5) return "scaled away";
  if (context.clip && hiddenBy(context.clip, rect)) return context.clip.small ? "screen-reader text" : "clipped";
  return outsidePage(context.clip ? narrow(context.clip, rect) : rect, context.fixed) ? "off-screen" : "";
};

const isVisibleOverflow = (element) =>
  scrollWidthOf(element) > clientWidthOf(element) + 1 || scrollHeightOf(element) > clientHeightOf(element) + 1;

// 1 inside the window, 2 outside, 0 straddling: descendants of a box that does not straddle need no measuring.
const viewOf = (rect) => {
  if (rect.bottom <= 0 || rect.top >= viewHeight || rect.right <= 0 || rect.left >= viewWidth) return 2;
  return rect.top >= 0 && rect.bottom <= viewHeight && rect.left >= 0 && rect.right <= viewWidth ? 1 : 0;
};

const apartReason = (element, context) => {
  const kinds = kindsOf(element);
  if (kinds & ARIA && token(element, "aria-hidden") === "true") return "aria-hidden";
  return kinds & INERT ? "inert" : context.apart;
};

// The context that children of this element are seen in.
const enter = (element, facts, context) => {
  const inner = {
    facts,
    seen: facts.visible,
    reason: context.reason || facts.reason,
    apart: context.apart,
    opacity: context.opacity,
    background: context.background,
    pictured: context.pictured,
    ink: context.ink,
    filtered: facts.filtered || context.filtered,
    under: facts.filtered || facts.blend ? context.background : context.under,
    blend: facts.blend || context.blend,
    veil: context.veil && facts.placed && liftedOver(facts, context.veil) ? null : context.veil,
    clip: context.clip,
    doubt: context.doubt || facts.strays,
    fixed: context.fixed || facts.position === "fixed",
    pointer: facts.pointer,
    quiet: context.quiet,
    depth: context.depth,
    inView: context.inView,
    owner: context.owner,
    behind: context.behind,
    backed: context.backed,
    grouped: false,
    shapes: context.shapes,
    role: "",
    table: context.table,
  };
  if (kindsOf(element) & (ARIA | INERT)) inner.apart = apartReason(element, context);
  if (facts.opacity < 1) {
    inner.opacity = context.opacity * facts.opacity;
    if (inner.opacity < FAINT && !inner.reason) inner.reason = "transparent";
  }
  if (facts.clippedToText) inner.ink = facts.pictured || [facts.background];
  else {
    if (facts.background[3] > 0) inner.background = over(facts.background, context.background);
    if (facts.background[3] > 0.95) inner.pictured = null;
    if (facts.pictured) inner.pictured = facts.pictured;
  }
  if (facts.veiled && (facts.before || facts.after)) inner.veil = veilOver(element, facts) || inner.veil;
  if (facts.zIndex < 0 && facts.placed && context.backed && !inner.reason) inner.reason = "covered";
  if (facts.background[3] > 0.95 && facts.tag !== "html" && facts.tag !== "body") inner.backed = true;
  if (!facts.inline || facts.clipPath !== "none" || facts.tag === "svg")
    measureBox(element, facts, context, inner);
  return inner;
};

// Whether a child stands before what a sheet has laid over its parent.
const liftedOver = (facts, veil) => facts.zIndex > veil.layer || (facts.zIndex === veil.layer && !veil.isLater);

const veilOver = (element, facts) => {
  for (const which of ["::after", "::before"]) {
    const veil = facts[which.slice(2)] ? veilOf(element, which) : null;
    if (!veil) continue;
    const rect = rectOf(element);
    const [width, height] = [parseFloat(veil.style.width), parseFloat(veil.style.height)];
    const [left, top] = [parseFloat(veil.style.left), parseFloat(veil.style.top)];
    if (width >= rect.width - 4 && height >= rect.height - 4 && Math.abs(left) < 4 && Math.abs(top) < 4) return veil;
  }
  return null;
};

const needsBox = (facts, context) =>
  context.inView === 0 || facts.placed || facts.moved || facts.hides || facts.scrolls || facts.clipPath !== "none";

const measureBox = (element, facts, context, inner) => {
  if (!needsBox(facts, context)) return;
  const rect = rectOf(element);
  inner.inView = facts.placed || facts.moved || context.inView === 0 ? viewOf(rect) : context.inView;
  // Once a child of a long list is far below the window, those after it are too.
  if (context.grouped && !facts.placed && rect.top > viewHeight + FAR_BELOW) context.inView = 2;
  // A box that does not clip may be smaller than what it holds, so only a clipping box settles the view for its children.
  if (inner.inView !== 0 && !facts.hides && !facts.scrolls && (rect.height < 1 || rect.width < 1)) inner.inView = 0;
  if (facts.placed || facts.moved) {
    if (geometryReason(rect, inner)) inner.doubt = true;
  }
  if (facts.scrolls) {
    inner.clip = facts.fixed ? null : inner.clip && hiddenBy(inner.clip, rect) ? inner.clip : null;
    if (rect.width <= 2 || rect.height <= 2) {
      inner.clip = narrow(inner.clip, rect);
      inner.doubt = true;
    }
  } else if (
    facts.hides &&
    (isVisibleOverflow(element) || rect.width <= 4 || rect.height <= 4 || localNameOf(element) === "svg")
  ) {
    inner.clip = narrow(inner.clip, rect);
    inner.doubt = true;
  }
  const shape =
    facts.clipPath !== "none"
      ? clipPathRect(facts.clipPath, rect)
      : facts.legacyClip
        ? legacyClipRect(element, rect)
        : null;
  if (shape) {
    inner.clip = narrow(inner.clip, shape);
    inner.doubt = true;
  }
};

// Why a text node directly inside `context.facts` is not seen ("" when it is).
const unseenText = (node, context) => {
  if (context.reason) return context.reason;
  const facts = context.facts;
  if (context.veil) return "covered";
  if (facts.fontSize < TINY_FONT) return "tiny";
  if (highlights.length && isPaintedAway(node, context)) return "same colour";
  const faded = fadedColour(facts, context);
  if (faded) return faded;
  if (!context.doubt) return "";
  RANGE.selectNodeContents(node);
  return geometryReason(RANGE.getBoundingClientRect(), context);
};

// Every colour that the letters may have, against every colour that may be behind them.
const fadedColour = (facts, context) => {
  const behind = backgroundsIn(context);
  const seen = (colour) => !behind.length || behind.some((below) => contrast(over(colour, below), below) >= LOW_CONTRAST);
  const { decoration } = facts;
  if (decoration && decoration.smothers && !seen(decoration.smothers)) return "same colour";
  if (decoration && decoration.shows.some(seen)) return "";
  if (context.ink && (context.ink.length === 0 || context.ink.some(seen))) return "";
  if (facts.firstLine && !seen(shownColour(facts.firstLine, context))) return "same colour";
  if (facts.colour[3] * context.opacity < FAINT) return context.ink ? "same colour" : "transparent";
  if (!context.pictured && !context.filtered && !context.blend) return sameColour(facts, context) ? "same colour" : "";
  return seen(shownColour(facts.colour, context)) ? "" : "same colour";
};

// Empty where a picture is behind the text, of which nothing is known.
const backgroundsIn = (context) => {
  if (context.pictured) return context.pictured;
  const own = context.background !== context.under;
  return [context.filtered && own ? context.filtered(context.background) : context.background];
};

const shownColour = (colour, context) => {
  const shown = context.filtered ? context.filtered(colour) : colour;
  // With the canvas itself nothing is blended.
  const isBlended = context.blend && context.background === context.under && context.under !== CANVAS;
  return isBlended ? blended(context.blend, context.under, shown) : shown;
};

const sameColour = (facts, context) => {
  if (facts.contrastWith === context.background) return facts.lowContrast;
  const shown = over(facts.colour, context.background);
  facts.contrastWith = context.background;
  facts.lowContrast = contrast(shown, context.background) < LOW_CONTRAST;
  return facts.lowContrast;
};

// Ranges that the page has painted in other colours than the style says: highlights, and what is selected.
let highlights = [];

const findHighlights = () => {
  highlights = [];
  const registry = CSS.highlights;
  if (registry)
    for (const [name, ranges] of registry) for (const range of ranges) highlights.push([`::highlight(${name})`, range]);
  const selection = getSelection();
  if (selection && !selection.isCollapsed && selection.rangeCount) highlights.push(["::selection", selection.getRangeAt(0)]);
};

const isPaintedAway = (node, context) =>
  highlights.some(([pseudo, range]) => {
    const element = isElement(node) ? node : parentElementOf(node);
    if (!element || !Range.prototype.intersectsNode.call(range, node)) return false;
    const style = getComputedStyle(element, pseudo);
    const behind = over(parseColour(style.backgroundColor), context.background);
    return style.color !== getComputedStyle(element).color && contrast(over(parseColour(style.color), behind), behind) < LOW_CONTRAST;
  });

const unseenElement = (element, context) => {
  if (context.reason) return context.reason;
  if (!context.doubt) return "";
  return geometryReason(rectOf(element), context);
};

const MAX_LABEL_NODES = 40;

// Whether any words of an element that names another one are not to be seen.
const unseenWords = (element) => {
  if (isHiddenByStyle(element)) return "not rendered";
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(), count = 0; node && count < MAX_LABEL_NODES; node = walker.nextNode(), count++) {
    if (!textDataOf(node).trim()) continue;
    const inside = contextInside(flattenedParent(node) || element);
    const reason = inside.seen ? unseenText(node, inside) : "";
    if (reason) return reason;
  }
  return "";
};

// The context inside each element, as a walk from the top would have made it; kept for one pass.
let insides = new Map();

const contextInside = (element) => {
  const known = insides.get(element);
  if (known) return known;
  let context = rootContext();
  for (const step of pathOf(element)) {
    const met = insides.get(step);
    if (met) {
      context = met;
      continue;
    }
    const facts = styleOf(step, context.facts);
    context = facts.none
      ? { ...context, facts: readStyle(rootElementOf(document)), seen: false }
      : enter(step, facts, context);
    insides.set(step, context);
  }
  return context;
};

// What surrounds a node; a copy, because walks write into theirs.
const contextAt = (node) => {
  const parent = flattenedParent(node);
  const context = parent ? { ...contextInside(parent) } : rootContext();
  if (!context.facts) context.facts = readStyle(rootElementOf(document));
  return context;
};

const MAX_PATH = 400;
const pathOf = (node) => {
  const path = [];
  for (let step = node; step && path.length < MAX_PATH; step = flattenedParent(step)) path.push(step);
  return path.reverse();
};
