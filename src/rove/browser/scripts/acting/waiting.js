// How long an act waits for an element that is not ready. A page at rest seldom makes it ready by itself.

import { flattenedParent } from "../dom/tree.js";

// For an element that is disabled, or a field that is read-only.
export const DISABLED_MS = 2000;
// For an element that is out of sight or covered: a message over it often goes away by itself.
export const UNREADY_MS = 5000;
// The most, while what is around the element keeps changing.
const MAX_WAIT_MS = 8000;
const SURROUNDING_LEVELS = 2;
const ALL_KINDS = { subtree: true, childList: true, characterData: true, attributes: true };

/** @param {Element} element */
const surroundingsOf = (element) => {
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
  observer.observe(surroundingsOf(element), ALL_KINDS);
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
