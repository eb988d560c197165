// Opaque boxes painted over text: gathered during the walk, compared with the rows afterwards.

const MAX_OVERLAYS = 400;
const MAX_COVER_CHECKS = 6000;
const OPAQUE_TAGS = new Set(["img", "canvas", "video", "iframe"]);

// Copied, as each look at the browser's own would be a call into it.
const plainRect = ({ left, top, right, bottom }) => ({ left, top, right, bottom, width: right - left, height: bottom - top });

const noteOverlay = (element, facts, inner) => {
  if (facts.position === "sticky" || inner.reason) return;
  const opaque =
    inner.opacity > 0.9 &&
    (facts.background[3] > 0.95 ||
      OPAQUE_TAGS.has(localNameOf(element)) ||
      (facts.pictured && facts.placed) ||
      isSheetOfShape(element, facts) ||
      /blur\((?:[89]|\d\d)/.test(getComputedStyle(element).backdropFilter));
  if (!opaque || overlays.length >= MAX_OVERLAYS) return;
  const rect = rectOf(element);
  if (rect.width < 8 || rect.height < 8) return;
  // A fixed bar hides what scrolls beneath it only for a moment; a fixed sheet over the whole window hides everything.
  if (facts.position === "fixed" && (rect.width < viewWidth * 0.9 || rect.height < viewHeight * 0.9)) return;
  overlays.push({ element, rect: plainRect(rect), facts });
};

const layerOf = (path, from) => {
  for (let i = from; i < path.length && isElement(path[i]); i++) {
    const style = getComputedStyle(path[i]);
    if (style.position !== "static" || style.transform !== "none" || Number(style.opacity) < 1) {
      return style.zIndex === "auto" ? 0 : Number(style.zIndex);
    }
  }
  return -0.5;
};

// Later in the tree wins between equals; otherwise the higher layer below the nearest shared ancestor.
const isPaintedOver = (node, overlay) => {
  const below = pathOf(node);
  const above = pathOf(overlay.element);
  let shared = 0;
  while (shared < below.length && below[shared] === above[shared]) shared++;
  if (shared === above.length || shared === below.length) return false;
  const first = layerOf(below, shared);
  const second = layerOf(above, shared);
  return second > first || (second === first && comesBefore(node, overlay.element));
};

// A drawing with a rectangle over all of it, or that rectangle itself, which hides what was drawn before.
const isSheetOfShape = (element, facts) => {
  if (namespaceOf(element) !== SVG) return false;
  if (facts.tag === "rect") return facts.colour[3] > 0.95;
  if (facts.tag !== "svg") return false;
  const box = rectOf(element);
  return [...queryAll(element, "rect")].some((shape) => {
    const rect = rectOf(shape);
    return rect.width >= box.width - 2 && rect.height >= box.height - 2 && fillColour(getComputedStyle(shape))[3] > 0.95;
  });
};

const MAX_LINES = 8;

// Where its words stand: a rectangle for each line of text, or its box.
const rectsOf = (node) => {
  if (isElement(node) && !firstChildOf(node)) return [plainRect(rectOf(node))];
  RANGE.selectNodeContents(node);
  const lines = Array.from(RANGE.getClientRects(), plainRect).filter((rect) => rect.width > 0 && rect.height > 0);
  return lines.length ? lines.slice(0, MAX_LINES) : isElement(node) ? [plainRect(rectOf(node))] : [];
};

// Overlays by the height at which they are, as a long page has many that are nowhere near each other.
const BAND = 200;
const MOST_BANDS = 50;
let bands = new Map();
let tall = [];

const bandsOf = (rect) => [Math.floor(rect.top / BAND), Math.floor(rect.bottom / BAND)];

const sortOverlays = () => {
  bands = new Map();
  tall = [];
  for (const overlay of overlays) {
    const [first, last] = bandsOf(overlay.rect);
    if (last - first > MOST_BANDS) tall.push(overlay);
    else for (let band = first; band <= last; band++) bands.set(band, [...(bands.get(band) || []), overlay]);
  }
};

// In the order of the tree, each once.
const overlaysNear = (rects) => {
  const near = new Set(tall);
  for (const rect of rects) {
    const [first, last] = bandsOf(rect);
    for (let band = first; band <= Math.min(last, first + MOST_BANDS); band++)
      for (const overlay of bands.get(band) || []) if (touches(overlay, rect)) near.add(overlay);
  }
  return [...near];
};

const touches = (overlay, rect) =>
  rect.left < overlay.rect.right &&
  rect.right > overlay.rect.left &&
  rect.top < overlay.rect.bottom &&
  rect.bottom > overlay.rect.top;

const SAMPLES = [0.02, 0.26, 0.5, 0.74, 0.98];

// Several boxes may cover together what none of them covers alone.
const isUnder = (above, rect) =>
  SAMPLES.every((part) => {
    const x = rect.left + rect.width * part;
    return SAMPLES.every((share) => {
      const y = rect.top + rect.height * share;
      return above.some(
        ({ rect: box }) => x >= box.left - 1 && x <= box.right + 1 && y >= box.top - 1 && y <= box.bottom + 1,
      );
    });
  });

// Most of a page lies nowhere near a box that could hide it, which one rectangle tells as well as all of them.
const isNearOverlay = (node) => {
  if (tall.some((overlay) => !containsNode(node, overlay.element))) return true;
  let box = isElement(node) ? rectOf(node) : null;
  if (!box || box.width === 0) {
    RANGE.selectNodeContents(node);
    box = RANGE.getBoundingClientRect();
  }
  const rect = plainRect(box);
  const [first, last] = bandsOf(rect);
  for (let band = first; band <= Math.min(last, first + MOST_BANDS); band++) {
    const within = bands.get(band);
    if (within !== undefined && within.some((overlay) => touches(overlay, rect) && !containsNode(node, overlay.element)))
      return true;
  }
  return false;
};

const isNodeCovered = (node) => {
  const rects = rectsOf(node);
  if (!rects.length || rects[0].width === 0) return false;
  const above = overlaysNear(rects).filter(
    (overlay) => !containsNode(overlay.element, node) && isPaintedOver(node, overlay),
  );
  return above.length !== 0 && rects.every((rect) => isUnder(above, rect));
};

// A text row may be made of several nodes, of which some can be covered.
const coveredReason = (row) => {
  const nodes = row.nodes || [row.node || row.element];
  if (!nodes.some(isNearOverlay)) return "";
  const covered = nodes.filter(isNodeCovered).length;
  return covered === nodes.length ? "covered" : covered ? "partly covered" : sunkReason(row);
};

// Words of the colour of a box that is painted behind them and is none of those that they are in.
const sunkReason = (row) => {
  const node = row.node;
  if (!(row.flags & TEXT) || !node) return "";
  const [rect] = rectsOf(node);
  const below =
    rect && overlaysNear([rect]).filter((overlay) => !containsNode(overlay.element, node) && isUnder([overlay], rect));
  if (!below || !below.length) return "";
  const box = below[below.length - 1];
  if (box.facts.pictured || box.facts.background[3] < 0.95 || isPaintedOver(node, box)) return "";
  const inside = contextInside(flattenedParent(node) || node);
  if (inside.backed && containsNode(parentElementOf(box.element), node) === false) return "";
  return contrast(over(inside.facts.colour, box.facts.background), box.facts.background) < LOW_CONTRAST ? "same colour" : "";
};

const markCovered = () => {
  if (!overlays.length) return;
  sortOverlays();
  let checks = 0;
  for (const row of rows) {
    if (row.flags & (UNSEEN | FOLD) || row.standIn || !(row.node || row.element)) continue;
    if (++checks > MAX_COVER_CHECKS) return;
    const reason = coveredReason(row);
    if (!reason) continue;
    row.flags |= UNSEEN;
    if (row.flags & TEXT) row.mark = reason;
    else row.marks += markFor(reason);
  }
};
