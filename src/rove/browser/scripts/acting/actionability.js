// Actionability: wait until an element is visible, steady, enabled and not covered, then return the point to press.

import { documentOrigin } from "../dom/elements.js";
import { closestOf, matchesSelector } from "../dom/natives.js";
import { elementOfRef, msSinceFirstSeen } from "../dom/refs.js";
import { flattenedParent } from "../dom/tree.js";
import { lineOf, withElement } from "./element_calls.js";
import { bringIntoView, nativeLabelsOf, pressBoxOf, pressPoint } from "./hit_testing.js";
import { expectPress } from "./presses.js";
import { DISABLED_MS, isFiniteAndRunning, nextFrameOrTimeout, UNREADY_MS, waitFor } from "./waiting.js";

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
