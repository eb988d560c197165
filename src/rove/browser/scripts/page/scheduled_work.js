// What a page still has to do: the work that its scripts have scheduled, and whether the browser is idle.

import { WORK_ANSWER, WORK_QUESTION } from "../main_world/event_names.js";

// The work that the page's scripts have scheduled, as far as an action waits for it. The script in the main world records
// it (main_world/scheduled_work.js).

// A repeated timer that is shorter draws an animation; a longer one counts until its first tick.
const ANIMATION_PERIOD_MS = 250;
// What repeats is a loop once it has run so often and for so long. One that works most of the time does something in slices.
const LOOP_RUNS = 3;
const LOOP_MS = 200;
const BUSY_SHARE = 0.3;
const IDLE = 1;
const NEVER_IDLE = -1;

/** @typedef {[name: string, left: number, period: number, ticks: number, runs: number, age: number, busy: number, state: number]} Work */

/** @param {(string | number)[]} question */
const askMainWorld = (...question) => {
  /** @type {any} */
  let answer = null;
  /** @param {Event} event */
  const onAnswer = (event) => {
    const detail = /** @type {CustomEvent} */ (event).detail;
    if (typeof detail === "string") answer = JSON.parse(detail);
  };
  globalThis.addEventListener(WORK_ANSWER, onAnswer, true);
  globalThis.dispatchEvent(new CustomEvent(WORK_QUESTION, { detail: JSON.stringify(question) }));
  globalThis.removeEventListener(WORK_ANSWER, onAnswer, true);
  return answer;
};

export const noteActionStart = () => {
  askMainWorld("action");
};

/** @typedef {{ began: number, period: number, repeats: boolean } | null} Cause */

// Notes that the document changes, and returns whose callback does that: when its chain began, its period, and whether it
// repeats. Null if it is none that is known.
/** @returns {Cause} */
export const noteEffect = () => {
  const answer = askMainWorld("effect");
  return answer && { began: answer[0], period: answer[1], repeats: answer[2] };
};

/** @param {number} since */
export const noteIdleLoops = (since) => {
  askMainWorld("idle", Math.max(since, 0), LOOP_RUNS, LOOP_MS);
};

/** @param {Work} work */
const isLoop = ([name, , , , runs, age, busy, state]) => {
  if (state === NEVER_IDLE || runs < LOOP_RUNS || age < LOOP_MS) return false;
  return name === "interval" || name === "frame" || busy / age < BUSY_SHARE;
};

// Whether work has repeated at all, as far as it is known.
/** @param {Work} work */
const isRepeated = ([name, , period, , runs]) => (name === "interval" && period <= ANIMATION_PERIOD_MS) || runs > 0;

export const NO_WORK = {
  once: Infinity,
  again: Infinity,
  loop: Infinity,
  later: 0,
  repeats: /** @type {[string, number][]} */ ([]),
};

// The milliseconds until the next of the work that an action set off is due: of what runs once (`once`), of what has begun
// to repeat (`again`), and of what is a loop (`loop`). `later`: until what is not waited for, as it is due after
// `limit`, or has a longer delay than `longest`. `repeats`: what repeats and is not waited for, by its kind and period.
/** @param {number} since @param {number} longest @param {number} [limit] */
export const awaitedWork = (since, longest, limit = longest) => {
  const found = { ...NO_WORK, repeats: /** @type {[string, number][]} */ ([]) };
  /** @type {Work[]} */
  const scheduled = askMainWorld("work", Math.max(since, 0)) ?? [];
  for (const work of scheduled) {
    const [name, left, period, ticks, , , , state] = work;
    const isReply = name === "reply" || name === "message";
    if (name === "interval" && ticks > 0 && period > ANIMATION_PERIOD_MS) continue;
    const isLater = left > limit || (!isReply && Math.max(left, period) > longest);
    if (state === IDLE || (isLater && isRepeated(work))) found.repeats.push([name, period]);
    else if (isLater) found.later = found.later === 0 ? left : Math.min(found.later, left);
    else {
      const kind = isLoop(work) ? "loop" : isRepeated(work) ? "again" : "once";
      found[kind] = Math.min(found[kind], Math.max(left, 0));
    }
  }
  return found;
};

// Idle detection. A document is idle when the browser has nothing to do for it and nothing planned before the next frame;
// or, where that cannot be known, when a frame was painted and 12 ms passed.

// An idle period ends when the next frame or timer is due, and lasts 50 ms where none is due: for that long it is known
// that nothing will happen. A page that is hidden or always busy has no idle periods.
const IDLE_TIMEOUT_MS = 32;
const MIN_IDLE_MS = 17;

const isBrowserIdle = () =>
  new Promise((resolve) => {
    /** @param {IdleDeadline} moment */
    const answer = (moment) => resolve(!moment.didTimeout && moment.timeRemaining() >= MIN_IDLE_MS);
    if ("requestIdleCallback" in globalThis) requestIdleCallback(answer, { timeout: IDLE_TIMEOUT_MS });
    else resolve(false); // not every engine has idle callbacks
  });

// After a press or a key the browser expects more input and reports no idle time for a while.
const INPUT_EXPECTED_MS = 110;
const INPUT_EVENTS = ["pointermove", "pointerdown", "pointerup", "keydown", "keyup", "wheel"];
// What rove's own script does to a field is input too, though the page may tell that it is.
const FIELD_EVENTS = ["input", "change"];
let lastInputAt = -Infinity;
const wasInputRecent = () => performance.now() - lastInputAt < INPUT_EXPECTED_MS;

const QUIET_MS = 12;

/** @param {number} since */
const frameAndQuiet = async (since) => {
  if (pendingPaint || lastPaintAt < since) await (pendingPaint || nextPaint());
  await new Promise((resolve) => setTimeout(resolve, since + QUIET_MS - performance.now()));
};

/** @type {Promise<void> | null} */
let pendingPaint = null;
let lastPaintAt = -Infinity;

// Resolves when a frame has been painted. A throttled page may never paint: a timer bounds the wait.
/** @returns {Promise<void>} */
export const nextPaint = () =>
  new Promise((resolve) => {
    const late = setTimeout(resolve, 50);
    requestAnimationFrame(() => {
      [pendingPaint, lastPaintAt] = [null, performance.now()];
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        channel.port1.close();
        clearTimeout(late);
        resolve();
      };
      channel.port2.postMessage(null);
    });
  });

// The frame that shows the effect of a press begins before the driver can ask for it, so it is requested when the press
// arrives.
/** @param {Event} event */
const onInput = (event) => {
  if (!event.isTrusted && !FIELD_EVENTS.includes(event.type)) return;
  lastInputAt = performance.now();
  pendingPaint ??= nextPaint();
};

export const listenForInput = () => {
  for (const kind of [...INPUT_EVENTS, ...FIELD_EVENTS])
    addEventListener(kind, onInput, { capture: true, passive: true });
};

// The last input since a moment; now, if there was none.
/** @param {number} moment */
export const inputSince = (moment) => (lastInputAt >= moment ? lastInputAt : performance.now());

// Resolves when the browser is idle; or, if that cannot be known, when a frame after `since` was painted and is over.
/** @param {number} since */
export const untilFrameIsOver = async (since) => {
  if (wasInputRecent() || !(await isBrowserIdle())) await frameAndQuiet(since);
};
