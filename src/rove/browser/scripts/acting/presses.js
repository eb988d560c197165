// Pressing an element: waiting until it can be pressed, at which point, and whether the press arrives there.

import { documentOrigin, FRAMES, isTag } from "../dom/elements.js";
import { checkVisibility, closestOf, isElement, matchesSelector, queryAll, rectOf } from "../dom/natives.js";
import { elementOfRef, msSinceFirstSeen } from "../dom/refs.js";
import { areaBox, areaPoints, deepestAt, flattenedParent, isWithin, pictureOf } from "../dom/tree.js";
import { watchLook } from "../page/act_effects.js";
import { tellDriver } from "../page/reports.js";
import { rememberPasswordFields } from "../roles/controls.js";
import {
  DISABLED_MS,
  isFiniteAndRunning,
  lineOf,
  nextFrameOrTimeout,
  UNREADY_MS,
  waitFor,
  withElement,
} from "./element_calls.js";

// Hit testing: which element receives a press at a point, and at which points an element can be pressed.

const OUTSIDE_HINT = "Show it first: something that can be opened or scrolled holds it. Look with {snapshot}.";

// A person presses a label, or what is drawn inside it, to reach its control.
/** @param {any} element @returns {HTMLLabelElement[]} */
const nativeLabelsOf = (element) => (element.labels ? Array.from(element.labels) : []);

// The field of a combobox is often a combobox too, and lies under the text that shows what is chosen.
/** @param {Element} hit @param {Element} element */
const isPartOfCombobox = (hit, element) => {
  const parent = matchesSelector(element, COMBOBOX) ? flattenedParent(element) : null;
  const around = parent && closestOf(parent, COMBOBOX);
  return Boolean(around && isWithin(hit, around));
};

const COMBOBOX = "[role=combobox i]";

/** @param {Element} hit @param {Element} element */
const isPressedBy = (hit, element) => {
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

// Checks where each press arrives. Between finding the point and pressing it a page may move: a press that would land on
// another element is stopped before the page sees it, and the driver aims again.

/** @typedef {{ element: Element, arrived: boolean, reason: string | null, left: number }} ExpectedPress */

/** @type {ExpectedPress | null} */
let expectedPress = null;

/** @param {MouseEvent} event */
const inspectPress = (event) => {
  if (!expectedPress || !event.isTrusted) return;
  // The browser decides for down and for up separately in which frame they arrive, and frames may move in between.
  if (!expectedPress.arrived && !event.type.endsWith("down")) return;
  if (!expectedPress.arrived) {
    expectedPress.arrived = true;
    const hit = deepestAt(event.clientX, event.clientY);
    if (!hit || !isPressedBy(hit, expectedPress.element)) {
      expectedPress.reason = hit ? `moved away, and ${lineOf(hit)} was in its place` : "moved away";
    }
  }
  if (event.type === "mouseup" && --expectedPress.left === 0) reportPress(expectedPress);
  if (expectedPress.reason) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
};

// Reports at once, so that the driver need not ask. Events that follow in the same task, such as the click, are still
// checked.
/** @param {ExpectedPress} press */
const reportPress = (press) => {
  tellDriver("roveTell", "pressed " + JSON.stringify(press.reason));
  setTimeout(() => {
    if (expectedPress === press) expectedPress = null;
  });
};

const PRESS_EVENTS = [
  "pointerdown",
  "mousedown",
  "pointerup",
  "mouseup",
  "click",
  "auxclick",
  "dblclick",
  "contextmenu",
];

export const listenForPresses = () => {
  for (const kind of PRESS_EVENTS)
    addEventListener(kind, /** @type {any} */ (inspectPress), { capture: true, passive: false });
};

/** @param {Element} element @param {number} count */
const expectPress = (element, count) => {
  listenForPresses(); // document.open() removes all listeners; adding one twice has no effect
  // A press inside a frame is seen only by the frame's own document.
  expectedPress = { element, arrived: matchesSelector(element, FRAMES), reason: null, left: count };
  rememberPasswordFields(); // the press may reveal a password
  watchLook(element);
};

// Called when the browser has confirmed the press but no report has come.
export const pressResult = async () => {
  const press = expectedPress;
  // The browser knows the new place of a frame only after a paint, and may confirm a press before the frame has it.
  if (press && !press.arrived) await nextFrameOrTimeout();
  expectedPress = null;
  if (!press || press.arrived) return { missed: press && press.reason };
  return { missed: "did not get the press, which went elsewhere", lost: true };
};

// Whether the mouse moves so far have started an HTML drag that the page did not cancel.
/** @type {DragEvent | null} */
let dragStart = null;

/** @param {DragEvent} event */
const noteDrag = (event) => {
  dragStart = event;
};

export const listenForDrags = () => addEventListener("dragstart", noteDrag, { capture: true });

export const hasDragStarted = () => {
  const begun = dragStart !== null && !dragStart.defaultPrevented;
  dragStart = null;
  return begun;
};

// Actionability: wait until an element is visible, steady, enabled and not covered, then return the point to press.

const DISABLEABLE = "button, input, select, textarea, option, optgroup, fieldset";

/** @param {Element} element */
export const isDisabled = (element) =>
  (matchesSelector(element, DISABLEABLE) && matchesSelector(element, ":disabled")) ||
  closestOf(element, "[aria-disabled='true' i]") !== null;

// The problem of a disabled element, for every act that needs an enabled one.
export const DISABLED = {
  reason: "is disabled",
  hint: "Do first what enables it, such as a required field or a choice; at a limit it stays disabled. If the page enables it by itself, {wait}.",
  retryFor: DISABLED_MS,
};
const MOVING = { reason: "keeps moving", hint: "{wait} until it stands still.", retryFor: Infinity };
export const HIDDEN_HINT = "Open the menu, tab or section that shows it, or use what a {snapshot} shows.";

// Asked of each ancestor, as the document does not list the animations in shadow roots.
/** @param {Element} element */
const isMoving = (element) => {
  for (let around = /** @type {Element | null} */ (element); around; around = flattenedParent(around)) {
    if (Element.prototype.getAnimations.call(around).some(isFiniteAndRunning)) return true;
  }
  return false;
};

// An element of these positions is dragged to a place of its own, not to one in a list.
const FREE_POSITIONS = new Set(["absolute", "fixed"]);

// What a browser reacts to by itself, without a listener that a script adds.
const NATIVE_CONTROLS =
  "a[href]:not([href=''], [href^='#'], [href^='javascript:' i]), form button:not([type=button i]), input, select, " +
  "textarea, label, summary, option, iframe, video[controls], audio[controls], [popovertarget], [commandfor], [onclick]";
// Scripts add their listeners to an element soon after it has appeared.
const NEW_MS = 300;

// `isFree`: where it is dragged to is a place of its own. `newMs`: for how long it may still wait for its listeners.
// `isDownload`: a press asks the browser for a file, which the page does not notice.
/** @param {Element} element */
const pressFacts = (element) => ({
  isFree: FREE_POSITIONS.has(getComputedStyle(element).position),
  isDownload: closestOf(element, "a[download][href]") !== null,
  newMs: closestOf(element, NATIVE_CONTROLS) ? 0 : Math.max(0, NEW_MS - msSinceFirstSeen(element)),
});

/** @param {Box} a @param {Box} b */
const sameBox = (a, b) => a.left === b.left && a.top === b.top && a.width === b.width && a.height === b.height;

/** @typedef {{ reason: string, hint?: string, retryFor: number }} Problem */

// The reason why the element cannot be pressed now; null where there is none.
/** @param {Element} element @param {{ enabled: boolean, press: number }} wants @returns {Problem | null} */
const actionabilityProblem = (element, wants) => {
  const box = pressBoxOf(element);
  const style = getComputedStyle(element);
  if (box.width === 0 || box.height === 0) {
    return nativeLabelsOf(element).some((label) => pressBoxOf(label).width > 0)
      ? null
      : { reason: "has no size on the page", hint: HIDDEN_HINT, retryFor: UNREADY_MS };
  }
  if (style.visibility !== "visible") return { reason: "is not visible", hint: HIDDEN_HINT, retryFor: UNREADY_MS };
  return wants.enabled && isDisabled(element) ? DISABLED : null;
};

/** @typedef {{ box: Box | null, problem?: Problem, point?: { x: number, y: number } }} Aim */

// Where to press the element, or why it cannot be pressed now. `before`: its box in the last frame.
/** @param {Element} element @param {{ enabled: boolean, press: number }} wants @param {Box | null} before @returns {Aim} */
const aimAt = (element, wants, before) => {
  const problem = actionabilityProblem(element, wants);
  if (problem) return { box: null, problem };
  bringIntoView(element);
  const box = pressBoxOf(element);
  if (isMoving(element) && !(before && sameBox(before, box))) return { box, problem: MOVING };
  const found = pressPoint(element);
  return "reason" in found ? { box, problem: { retryFor: UNREADY_MS, ...found } } : { box, point: found };
};

/** @param {string} ref @param {number} timeout @param {{ enabled: boolean, press: number }} wants */
export const untilActionable = async (ref, timeout, wants) => {
  const target = elementOfRef(ref);
  if (!target) return { gone: true };
  const known = { line: lineOf(target), whose: documentOrigin() };
  const wait = waitFor(target, timeout);
  try {
    for (let before = null; ; ) {
      if (!elementOfRef(ref)) return { gone: true };
      const { box, problem, point } = aimAt(target, wants, before);
      if (point && wants.press) expectPress(target, wants.press);
      if (point) return { ...known, ...point, ...pressFacts(target) };
      if (problem && wait.isOver(problem.retryFor)) return { ...known, ...wait.result(problem) };
      before = box;
      await nextFrameOrTimeout();
    }
  } finally {
    wait.stop();
  }
};

export const boxNow = withElement((element) => {
  const box = pressBoxOf(element);
  return { x: box.left, y: box.top, width: box.width, height: box.height };
});

export const pageBox = withElement((element) => {
  bringIntoView(element);
  const box = pressBoxOf(element);
  return { x: box.left, y: box.top, width: box.width, height: box.height };
});
