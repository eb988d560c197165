// Hit testing: which element receives a press at a point, and at which points an element can be pressed.

import { isTag } from "../dom/elements.js";
import { checkVisibility, closestOf, isElement, matchesSelector, queryAll, rectOf } from "../dom/natives.js";
import { deepestAt, flattenedParent, isWithin } from "../dom/tree.js";
import { areaBox, areaPoints, pictureOf } from "../visibility/image_maps.js";
import { lineOf } from "./element_calls.js";
import { isFiniteAndRunning, UNREADY_MS } from "./waiting.js";

const OUTSIDE_HINT = "Show it first: something that can be opened or scrolled holds it. Look with {snapshot}.";

// A person presses a label, or what is drawn inside it, to reach its control.
/** @param {any} element @returns {HTMLLabelElement[]} */
export const nativeLabelsOf = (element) => (element.labels ? Array.from(element.labels) : []);

// The field of a combobox is often a combobox too, and lies under the text that shows what is chosen.
/** @param {Element} hit @param {Element} element */
const isPartOfCombobox = (hit, element) => {
  const parent = matchesSelector(element, COMBOBOX) ? flattenedParent(element) : null;
  const around = parent && closestOf(parent, COMBOBOX);
  return Boolean(around && isWithin(hit, around));
};

const COMBOBOX = "[role=combobox i]";

/** @param {Element} hit @param {Element} element */
export const isPressedBy = (hit, element) => {
  if (isWithin(hit, element)) return true;
  if (nativeLabelsOf(element).some((label) => isWithin(hit, label))) return true;
  if (isPartOfCombobox(hit, element)) return true;
  // A press on the link or button around a text or an icon counts as a press on it.
  const pressable = closestOf(element, "a, button, label, summary, option, [role], [onclick], [tabindex]");
  return pressable !== null && pressable !== element && isWithin(hit, pressable) && isWithin(element, hit);
};

/** @param {Element} element */
export const pressBoxOf = (element) => {
  const picture = isTag(element, "area") && pictureOf(element);
  if (picture) return areaBox(element, picture);
  const box = rectOf(element);
  if (box.width > 0 && box.height > 0) return box;
  // Elements with display: contents and inline wrappers have no box of their own, but their content has.
  const range = document.createRange();
  range.selectNodeContents(element);
  const inside = range.getBoundingClientRect();
  return inside.width > 0 && inside.height > 0 ? inside : generatedBoxOf(element) || inside;
};

// CSS may stretch a generated box of an empty link over the whole card around it: only hit testing finds it.
/** @param {Element} element */
const generatedBoxOf = (element) => {
  const isDrawn = checkVisibility(element) || getComputedStyle(element).display === "contents";
  if (!isDrawn) return null; // outside of the viewport, all that is around it would count as its box
  for (let around = flattenedParent(element), up = 0; around && up < 3; around = flattenedParent(around), up++) {
    const box = isElement(around) ? rectOf(around) : null;
    if (box && box.width > 0 && box.height > 0 && isHitInMiddle(box, element)) return box;
  }
  return null;
};

// Also true outside the viewport, where nothing can be hit before it is scrolled into view.
/** @param {Box} box @param {Element} element */
const isHitInMiddle = (box, element) => {
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  return x < 0 || y < 0 || x >= innerWidth || y >= innerHeight || deepestAt(x, y) === element;
};

// The middle first; then the middle of each line box, as the middle of a wrapped link may lie outside it; then the
// corners.
/** @param {Element} element */
export const pointsOf = (element) => {
  const box = pressBoxOf(element);
  const boxes = [box, ...Array.from(Element.prototype.getClientRects.call(element)).slice(0, 4)];
  const points = boxes.map((b) => [b.left + b.width / 2, b.top + b.height / 2]);
  const picture = isTag(element, "area") && pictureOf(element);
  if (picture) points.push(...areaPoints(element, picture));
  for (const across of [0.2, 0.8]) {
    for (const down of [0.2, 0.8]) points.push([box.left + box.width * across, box.top + box.height * down]);
  }
  return points.filter(([x, y]) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight);
};

/** @param {Edges} box */
const isInView = (box) => box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;

/** @param {Element} element */
export const bringIntoView = (element) => {
  const box = pressBoxOf(element);
  const middle = [box.left + box.width / 2, box.top + box.height / 2];
  const hit = isInView(box) && deepestAt(middle[0], middle[1]);
  if (hit && isPressedBy(hit, element)) return;
  const shown = (isTag(element, "area") && pictureOf(element)) || element;
  Element.prototype.scrollIntoView.call(shown, { block: "center", inline: "center", behavior: "instant" });
};

const DIALOG = "dialog[open], [role=dialog i], [role=alertdialog i], [aria-modal=true i]";
const EDGE = 4;
// A dialog at rest seldom goes away by itself; one that closes by script needs some time.
const BEHIND_DIALOG_MS = 800;

/** @param {Element} hit */
const dialogAround = (hit) => {
  for (let around = /** @type {Element | null} */ (hit); around; around = flattenedParent(around))
    if (isElement(around) && matchesSelector(around, DIALOG)) return around;
  return null;
};

/** @param {Element} cover */
const coversViewport = (cover) => {
  const box = rectOf(cover);
  const isWide = box.left <= EDGE && box.right >= innerWidth - EDGE;
  return isWide && box.top <= EDGE && box.bottom >= innerHeight - EDGE;
};

// The dialog that covers an element, itself or with its backdrop, which may stand around it or beside it.
/** @param {Element} element @param {Element} cover */
const dialogOver = (element, cover) => {
  const around = dialogAround(cover);
  if (around) return isWithin(element, around) ? null : around;
  if (!coversViewport(cover)) return null;
  const shown = Array.from(queryAll(document, DIALOG)).filter(
    (dialog) =>
      checkVisibility(dialog, { visibilityProperty: true, opacityProperty: true }) && !isWithin(element, dialog),
  );
  return shown.at(-1) ?? null;
};

/** @param {Element} dialog */
const isAnimated = (dialog) => {
  for (let around = /** @type {Element | null} */ (dialog); around; around = flattenedParent(around)) {
    const options = { subtree: around === dialog };
    if (Element.prototype.getAnimations.call(around, options).some(isFiniteAndRunning)) return true;
  }
  return false;
};

/** @param {Element} element @param {Element} cover */
const coverProblem = (element, cover) => {
  const dialog = dialogOver(element, cover);
  if (!dialog) return { reason: `is covered by ${lineOf(cover)}` };
  const retryFor = isAnimated(dialog) ? UNREADY_MS : BEHIND_DIALOG_MS;
  return { reason: `is behind ${lineOf(dialog)}`, hint: BEHIND_HINT, retryFor };
};

const BEHIND_HINT = "Close the dialog, or act in it: a {snapshot} shows it.";

/** @param {Element} element @returns {{ x: number, y: number } | { reason: string, hint?: string, retryFor?: number }} */
export const pressPoint = (element) => {
  let cover = null;
  const candidates = pointsOf(element);
  for (const label of nativeLabelsOf(element)) candidates.push(...pointsOf(label).slice(0, 2));
  for (const [x, y] of candidates) {
    const hit = deepestAt(x, y);
    if (hit && isPressedBy(hit, element)) return { x, y };
    cover = cover || hit;
  }
  if (!candidates.length) return { reason: "lies outside what can be scrolled into view", hint: OUTSIDE_HINT };
  return cover
    ? coverProblem(element, cover)
    : { reason: "receives no pointer events", hint: "Press what is around it, or reach it with {press}." };
};
