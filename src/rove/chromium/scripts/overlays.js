// Opaque boxes painted over text: gathered during the walk, compared with the rows afterwards.

const MAX_OVERLAYS = 60;
const MAX_COVER_CHECKS = 1500;
const OPAQUE_TAGS = new Set(["img", "canvas", "video", "iframe"]);

const noteOverlay = (element, facts, inner) => {
  if (facts.position === "sticky" || inner.reason) return;
  const opaque =
    inner.opacity > 0.9 &&
    (facts.background[3] > 0.95 || OPAQUE_TAGS.has(localNameOf(element)) || (facts.pictured && facts.placed));
  if (!opaque || overlays.length >= MAX_OVERLAYS) return;
  const rect = rectOf(element);
  if (rect.width < 8 || rect.height < 8) return;
  // A fixed bar hides what scrolls beneath it only for a moment; a fixed sheet over the whole window hides everything.
  if (facts.position === "fixed" && (rect.width < viewWidth * 0.9 || rect.height < viewHeight * 0.9)) return;
  overlays.push({ element, rect, facts });
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

const covers = (overlay, rect) =>
  rect.left >= overlay.rect.left - 1 &&
  rect.top >= overlay.rect.top - 1 &&
  rect.right <= overlay.rect.right + 1 &&
  rect.bottom <= overlay.rect.bottom + 1;

const rowRect = (row) => {
  if (row.node) {
    RANGE.selectNodeContents(row.node);
    return RANGE.getBoundingClientRect();
  }
  return row.element ? rectOf(row.element) : null;
};

const isCovered = (row) => {
  const rect = rowRect(row);
  if (!rect || rect.width === 0) return false;
  const node = row.node || row.element;
  return overlays.some(
    (overlay) => covers(overlay, rect) && !containsNode(overlay.element, node) && isPaintedOver(node, overlay),
  );
};

const markCovered = () => {
  if (!overlays.length) return;
  let checks = 0;
  for (const row of rows) {
    if (row.flags & (UNSEEN | FOLD) || row.standIn || !(row.node || row.element)) continue;
    if (++checks > MAX_COVER_CHECKS) return;
    if (!isCovered(row)) continue;
    row.flags |= UNSEEN;
    if (row.flags & TEXT) row.mark = "covered";
    else row.marks += markFor("covered");
  }
};
