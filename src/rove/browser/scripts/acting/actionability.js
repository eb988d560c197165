// Actionability: wait until an element is visible, steady, enabled and not covered, then return the point to press.

import { closestOf, matchesSelector } from "../dom/natives.js";
import { elementOfRef } from "../dom/refs.js";
import { isWithin } from "../dom/tree.js";
import { lineOf, nextFrameOrTimeout, withElement } from "./element_calls.js";
import { bringIntoView, nativeLabelsOf, pressBoxOf, pressPoint } from "./hit_testing.js";
import { expectPress } from "./presses.js";

const DISABLEABLE = "button, input, select, textarea, option, optgroup, fieldset";

/** @param {Element} element */
export const isDisabled = (element) =>
  (matchesSelector(element, DISABLEABLE) && matchesSelector(element, ":disabled")) ||
  closestOf(element, "[aria-disabled='true' i]") !== null;

/** @param {Element} element */
const isMoving = (element) =>
  document.getAnimations().some((animation) => {
    if (animation.playState !== "running" || !animation.effect || !animation.effect.target) return false;
    const { activeDuration } = animation.effect.getComputedTiming();
    return Number.isFinite(activeDuration) && isWithin(element, animation.effect.target);
  });

/** @param {Box} a @param {Box} b */
const sameBox = (a, b) => a.left === b.left && a.top === b.top && a.width === b.width && a.height === b.height;

// The reason why the element cannot be pressed now; null where there is none.
/** @param {Element} element @param {{ enabled: boolean, press: number }} wants */
const actionabilityProblem = (element, wants) => {
  const box = pressBoxOf(element);
  const style = getComputedStyle(element);
  if (box.width === 0 || box.height === 0) {
    return nativeLabelsOf(element).some((label) => pressBoxOf(label).width > 0)
      ? null
      : { reason: "has no size on the page" };
  }
  if (style.visibility !== "visible") return { reason: "is not visible" };
  if (wants.enabled && isDisabled(element)) return { reason: "is disabled" };
  return null;
};

/** @param {string} ref @param {{ enabled: boolean, press: number }} wants @param {number} timeout */
export const untilActionable = async (ref, wants, timeout) => {
  const deadline = performance.now() + timeout;
  const target = elementOfRef(ref);
  const line = target && lineOf(target);
  let before = null;
  for (;;) {
    const element = elementOfRef(ref);
    if (!element) return { gone: true };
    /** @type {{ reason?: string } | null} */
    let problem = actionabilityProblem(element, wants);
    if (!problem) {
      bringIntoView(element);
      const box = pressBoxOf(element);
      const steady = !isMoving(element) || (before && sameBox(before, box));
      before = box;
      const point = pressPoint(element);
      if (steady && !point.reason) {
        if (wants.press) expectPress(element, wants.press);
        return { line, whose: self.origin, ...point };
      }
      problem = steady ? point : { reason: "keeps moving" };
    }
    if (performance.now() >= deadline) return { line, whose: self.origin, ...problem };
    await nextFrameOrTimeout();
  }
};

export const pageBox = withElement((element) => {
  bringIntoView(element);
  const box = pressBoxOf(element);
  return { x: box.left, y: box.top, width: box.width, height: box.height };
});
