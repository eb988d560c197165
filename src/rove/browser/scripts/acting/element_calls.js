// Calls from the driver that concern one element, and how long they wait for it. Every answer carries the element's line,
// so that acting and reporting need one call.

import { documentOrigin } from "../dom/elements.js";
import { closestOf, queryOne } from "../dom/natives.js";
import { elementOfRef, refNumber } from "../dom/refs.js";
import { flattenedParent } from "../dom/tree.js";
import { tellDriver } from "../page/reports.js";
import { describeElement } from "../snapshot/targets.js";

// How long an act waits for an element that is not ready. A page at rest seldom makes it ready by itself.

// For an element that is disabled, or a field that is read-only.
export const DISABLED_MS = 2000;
// For an element that is out of sight or covered: a message over it often goes away by itself.
export const UNREADY_MS = 5000;
// The most, while what is around the element keeps changing.
const MAX_WAIT_MS = 8000;
const SURROUNDING_LEVELS = 2;
const ALL_KINDS = { subtree: true, childList: true, characterData: true, attributes: true };

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

// A page that is hidden or throttled may never paint; a timer bounds the wait for a frame.
/** @returns {Promise<void>} */
export const nextFrameOrTimeout = () =>
  new Promise((resolve) => {
    const late = setTimeout(resolve, 100);
    nextFrame().then(() => {
      clearTimeout(late);
      resolve();
    });
  });

/** @param {Element} element */
const contentAround = (element) => {
  let around = element;
  for (let level = 0; level < SURROUNDING_LEVELS; level++) around = flattenedParent(around) ?? around;
  return around;
};

// A wait for an element. It also watches what is around the element: a countdown or a spinner there shows that the
// element may soon be ready.
/** @param {Element} element @param {number} timeout */
export const waitFor = (element, timeout) => {
  const began = performance.now();
  let changedAt = began;
  const observer = new MutationObserver(() => {
    changedAt = performance.now();
  });
  observer.observe(contentAround(element), ALL_KINDS);
  const hasTimedOut = () => performance.now() - began >= timeout;
  /** @param {number} restMs */
  const hasRested = (restMs) => performance.now() - changedAt >= restMs || performance.now() - began >= MAX_WAIT_MS;
  return {
    /** @param {number} restMs */
    isOver: (restMs) => restMs === 0 || hasTimedOut() || hasRested(restMs),
    // `mayChange`: there is time left, which the driver uses if the page is loading something.
    /** @param {{ retryFor?: number }} problem */
    result: ({ retryFor = 0, ...answer }) => ({ ...answer, mayChange: retryFor > 0 && !hasTimedOut() }),
    stop: () => observer.disconnect(),
  };
};

/** @param {Animation} animation */
export const isFiniteAndRunning = (animation) =>
  animation.playState === "running" && Number.isFinite(animation.effect?.getComputedTiming().activeDuration);

const LAYERS = "dialog, [popover], [aria-modal=true i], [role=dialog i], [role=alertdialog i], [role=menu i]";

/** @param {Animation} animation */
const movesLayer = (animation) => {
  const target = animation.effect?.target;
  return !!target && (closestOf(target, LAYERS) !== null || queryOne(target, LAYERS) !== null);
};

// Resolves when no dialog or menu is opening or closing: many ignore keys until their animation is over.
/** @param {number} timeout */
export const untilLayersRest = async (timeout) => {
  const deadline = performance.now() + timeout;
  const areMoving = () => document.getAnimations().some((each) => isFiniteAndRunning(each) && movesLayer(each));
  if (!areMoving()) return;
  while (areMoving() && performance.now() < deadline) await nextFrameOrTimeout();
  // A page learns of the end of an animation in the next frame.
  await nextFrameOrTimeout();
  await nextFrameOrTimeout();
};

// What an element is called. Its states and its value are left out: an act may be about to change them.
/** @param {Element} element */
export const lineOf = (element) => describeElement(element).label;

/** @param {(element: any, ...rest: any[]) => object} work @returns {(ref: string, ...rest: any[]) => any} */
export const withElement =
  (work) =>
  (ref, ...rest) => {
    const element = elementOfRef(ref);
    return element ? { line: lineOf(element), whose: documentOrigin(), ...work(element, ...rest) } : { gone: true };
  };

/** @param {Element} element */
export const described = (element) => ({
  line: lineOf(element),
  ref: "e" + refNumber(element),
  origin: documentOrigin(),
});

// Tells the driver the answer of an act that is done, before the page's listeners run: a dialog that one of them opens
// would hold the answer back.
/** @param {Element} element @param {object} answer */
export const tellDone = (element, answer) =>
  tellDriver("roveTell", "done " + JSON.stringify({ line: lineOf(element), whose: documentOrigin(), ...answer }));

// Calls the work again until it answers without a reason to retry, or that reason's time is over.
/** @param {(element: any, ...rest: any[]) => any} work @returns {(ref: string, timeout: number, ...rest: any[]) => Promise<any>} */
export const withRetries =
  (work) =>
  async (ref, timeout, ...rest) => {
    const target = elementOfRef(ref);
    if (!target) return { gone: true };
    const wait = waitFor(target, timeout);
    try {
      for (;;) {
        if (!elementOfRef(ref)) return { gone: true };
        const line = lineOf(target);
        const answer = await work(target, ...rest);
        if (wait.isOver(answer.retryFor ?? 0)) return { line, whose: documentOrigin(), ...wait.result(answer) };
        await nextFrameOrTimeout();
      }
    } finally {
      wait.stop();
    }
  };
