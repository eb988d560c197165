// The work that the page's scripts have scheduled, as far as an action waits for it. The script in the main world records
// it (main_world/scheduled_work.js).

import { WORK_ANSWER, WORK_QUESTION } from "../main_world/event_names.js";

// Timers that are longer are for hiding a message again or for a next poll, not for the effect of an action.
const LONGEST_DELAY_MS = 1050;
// A repeated timer that is shorter draws an animation; a longer one counts until its first tick.
const ANIMATION_PERIOD_MS = 250;

/** @param {string} detail */
const askMainWorld = (detail) => {
  /** @type {[name: string, left: number, period: number, ticks: number][]} */
  let work = [];
  /** @param {Event} event */
  const onAnswer = (event) => {
    const answer = /** @type {CustomEvent} */ (event).detail;
    if (typeof answer === "string") work = JSON.parse(answer);
  };
  globalThis.addEventListener(WORK_ANSWER, onAnswer, true);
  globalThis.dispatchEvent(new CustomEvent(WORK_QUESTION, { detail }));
  globalThis.removeEventListener(WORK_ANSWER, onAnswer, true);
  return work;
};

export const noteActionStart = () => {
  askMainWorld("-1");
};

// The milliseconds until the next of the work that an action set off is due, and what is left beyond the time to wait.
/** @param {number} since */
export const awaitedWork = (since) => {
  let next = Infinity;
  let later = 0;
  for (const [name, left, period, ticks] of askMainWorld(String(Math.max(since, 0)))) {
    if (name === "interval" && ticks > 0 && period > ANIMATION_PERIOD_MS) continue;
    if (left > LONGEST_DELAY_MS) later = later === 0 ? left : Math.min(later, left);
    else next = Math.min(next, Math.max(left, 0));
  }
  return { next, later };
};
