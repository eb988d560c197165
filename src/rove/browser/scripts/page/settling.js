// Waiting until everything that an action set off in the document is over: changes, frames, timers, animations.

import { knownShadowRoots } from "../dom/shadow_roots.js";
import { forgetLook } from "../paint/look_changes.js";
import { takeSnapshot } from "../snapshot/snapshot.js";
import { animationTimeLeft, isScrolling } from "./animations.js";
import { inputSince, listenForInput, nextPaint, untilFrameIsOver } from "./idle.js";
import {
  changesSoFar,
  firstChange,
  hasChangedAfter,
  nextRound,
  startCounting,
  stopCounting,
  watchForChanges,
} from "./mutations.js";
import { awaitedWork, noteActionStart } from "./scheduled_work.js";
import { takeRefusedFields } from "./validation.js";

// What a page shows for a moment ("Copied!") may be gone when all is over. Before a timer of this length the page is
// therefore read, as long as nothing moves; at most a few times for one action.
const MOMENT_MS = 60;
const MAX_MOMENTS = 4;
const SAME_ACTION_MS = 20;

// `wait`: milliseconds that one call may take. `ago`: milliseconds since the action began. `limit`: milliseconds that
// changes, timers and animations may still take.
/** @typedef {{ wait: number, ago: number, limit: number }} Patience */

// A document whose changes had to be left unfinished never rests; later actions wait this long for its changes.
const NEVER_RESTS_MS = 300;
let neverRests = false;

// A call takes a while to reach a busy page, which makes the beginning of an action seem later than it was.
const MAX_CALL_MS = 500;
let actionBegan = -Infinity;

/** @param {number} ago */
const momentOf = (ago) => {
  const moment = performance.now() - ago;
  return moment >= actionBegan && moment - actionBegan < MAX_CALL_MS ? actionBegan : moment;
};

// True when a frame passed without changes; false at the deadline.
/** @param {number} since @param {number} deadline */
const untilNoChanges = async (since, deadline) => {
  for (;;) {
    const before = nextRound();
    await untilFrameIsOver(since);
    if (changesSoFar() === before) return true;
    since = performance.now();
    if (since >= deadline) return false;
  }
};

const SCROLL_CHECK_MS = 20;
// Timers fire at their time or a little later.
const TIMER_GRACE_MS = 1;

// Milliseconds until the next of what is under way should be over, null for nothing; and until what is not waited for.
/** @param {number} began @param {number} left */
const underWay = (began, left) => {
  const work = awaitedWork(began);
  const animations = animationTimeLeft(left);
  const candidates = [];
  if (work.next <= left) candidates.push(work.next);
  if (animations.within > 0) candidates.push(animations.within);
  if (isScrolling()) candidates.push(SCROLL_CHECK_MS);
  const next = candidates.length ? Math.min(...candidates) + TIMER_GRACE_MS : null;
  const isMoving = animations.within > 0;
  const isStill = !isMoving && next !== null && next > MOMENT_MS;
  return {
    next,
    isMoving,
    isStill,
    timer: work.next > left && work.next < Infinity ? work.next : work.later,
    animation: animations.later,
  };
};

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// `onStill` is called when the page is still, though a timer that the action set is pending.
/** @param {Patience} patience @param {() => void} [onStill] */
export const untilSettled = async (patience, onStill = () => {}) => {
  const began = momentOf(patience.ago);
  const deadline = performance.now() + patience.wait;
  const limit = performance.now() + Math.max(patience.limit, 0);
  listenForInput(); // document.open() removes all listeners; adding one twice has no effect
  startCounting();
  try {
    const result = await untilNothingIsUnderWay(began, deadline, limit, onStill);
    return { ...result, refused: takeRefusedFields() };
  } finally {
    stopCounting();
  }
};

/** @param {number} began @param {number} deadline @param {number} limit @param {() => void} onStill */
const untilNothingIsUnderWay = async (began, deadline, limit, onStill) => {
  let wasMoving = false;
  for (let since = inputSince(began); ; since = performance.now()) {
    const lastMoment = neverRests ? performance.now() + NEVER_RESTS_MS : limit;
    const isQuiet = await untilNoChanges(since, Math.min(deadline, lastMoment));
    const now = performance.now();
    const { next, isMoving, isStill, timer, animation } = underWay(began, Math.max(limit - now, 0));
    const isOver = next === null && (isQuiet || now >= lastMoment);
    if (!isQuiet && now >= limit) neverRests = true;
    if ((isOver && !wasMoving) || now >= limit) return { busy: false, timer, animation };
    if (now >= deadline) return { busy: true, timer, animation };
    if (isQuiet && isStill) onStill();
    // The end of an animation is reported to the page in the frame after it.
    if (isOver) await nextPaint();
    else if (next !== null) await pause(Math.min(next, deadline - now));
    wasMoving = isMoving;
  }
};

// A snapshot of the whole document is numbered, so that the driver can ask whether anything changed after it. Animations
// change the page without changing the document.
/** @param {SnapshotOptions} options */
export const snapshotAndWatch = (options = {}) => {
  const data = takeSnapshot(options);
  return options.root ? data : { ...data, number: watchForChanges(animationTimeLeft(Infinity).within > 0) };
};

// The snapshots of the moments at which the page was still; kept over several calls for one action. `changes`: how many
// changes there had been at the last of them.
/** @type {{ began: number, moments: any[], changes: number } | null} */
let still = null;

/** @param {number} began */
const keepMoment = (began) => {
  still ??= { began, moments: [], changes: -1 };
  if (still.changes === changesSoFar() || still.moments.length >= MAX_MOMENTS) return;
  still.changes = changesSoFar();
  still.moments.push(takeSnapshot({}));
};

// Takes the snapshot in the same call as soon as nothing is under way; `moments` are earlier ones.
/** @param {Patience} patience */
export const snapshotWhenSettled = async (patience) => {
  const ends = performance.now() + patience.limit;
  const began = Math.round(momentOf(patience.ago));
  // The driver's clock and the page's differ by a little from call to call.
  if (still && Math.abs(still.began - began) > SAME_ACTION_MS) still = null;
  /** @type {any[]} */
  let refused = [];
  for (;;) {
    const result = await untilSettled({ ...patience, limit: ends - performance.now() }, () => keepMoment(began));
    refused = [...refused, ...result.refused];
    if (result.busy) return { ...result, refused };
    const roots = knownShadowRoots().size;
    const rows = snapshotAndWatch();
    // Animations in a shadow tree can be seen only after the snapshot has met it.
    const isComplete = knownShadowRoots().size === roots || animationTimeLeft(ends - performance.now()).within === 0;
    if (isComplete) return { ...result, refused, rows, moments: still ? still.moments : [] };
  }
};

// Whether anything changed after a snapshot. Called when an action begins.
/** @param {number} number */
export const beginAction = (number) => {
  actionBegan = performance.now();
  noteActionStart();
  forgetLook();
  return hasChangedAfter(number);
};

// Whether a timer, a frame or an animation is due within so many milliseconds.
/** @param {number} milliseconds */
export const expectsWork = (milliseconds) => {
  const { next, later } = awaitedWork(0);
  return next <= milliseconds || (later > 0 && later <= milliseconds) || animationTimeLeft(milliseconds).within > 0;
};

// Resolves at the first sign of an effect after the last snapshot, or after the timeout.
/** @param {number} timeout */
export const firstEffect = (timeout) => firstChange(timeout);
