// Waiting for the page: until everything that an action set off is over, until a document is ready, for a change or a
// text.

import { fieldValue } from "../acting/fields.js";
import { documentOrigin } from "../dom/elements.js";
import { bodyOf, checkVisibility, queryAll, rectOf, textDataOf } from "../dom/natives.js";
import { elementOfRef } from "../dom/refs.js";
import { clip } from "../dom/text.js";
import { knownShadowRoots } from "../dom/tree.js";
import { takeSnapshot } from "../snapshot/snapshot.js";
import { queryTargets } from "../snapshot/targets.js";
import { forgetLook, takeRefusedFields } from "./act_effects.js";
import { animationTimeLeft, hasAnimations, isScrolling } from "./animations.js";
import {
  changesSoFar,
  firstChange,
  hasChangedAfter,
  hasContentChanged,
  markChangingRestless,
  noteActionBegan,
  restlessTexts,
  startCounting,
  stopCounting,
  watchForChanges,
} from "./mutations.js";
import {
  awaitedWork,
  inputSince,
  listenForInput,
  NO_WORK,
  nextPaint,
  noteActionStart,
  noteIdleLoops,
  untilFrameIsOver,
} from "./scheduled_work.js";
import { hasFadedIn, isSteady, markFieldsRestless } from "./steadiness.js";

// Whether a document that was loaded is not ready yet: it is empty, a skeleton, or shows that it is busy.

const BUSY =
  '[aria-busy="true"],[role="progressbar"]:not([aria-valuenow]),progress:not([value]),' +
  '[class*="skeleton" i],[class*="spinner" i],[class*="shimmer" i],[class*="loading" i]';
const BUSY_WORDS = /^\s*(?:loading|please wait|one moment|just a moment)\b.{0,30}$/i;
const MAX_TEXTS = 3000;

/** @param {Element} element */
const isSeen = (element) => {
  const { width, height } = rectOf(element);
  return width > 0 && height > 0 && checkVisibility(element, { visibilityProperty: true, opacityProperty: true });
};

// Elements that a person can use or see though they have no text.
const CONTENT = "img,svg,canvas,video,input,textarea,select,iframe,object,embed";

// Whether the page shows that it is busy.
const showsBusy = () => {
  for (const element of queryAll(document, BUSY)) if (isSeen(element)) return true;
  return texts().isBusy;
};

// Reads the texts that can be seen, as far as needed.
const texts = () => {
  const body = bodyOf(document);
  let isEmpty = true;
  if (!body) return { isEmpty, isBusy: false };
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  for (let count = 0; count < MAX_TEXTS && walker.nextNode(); count++) {
    const node = walker.currentNode;
    const data = textDataOf(node);
    if (!data.trim() || !node.parentElement || /^(?:SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/.test(node.parentElement.tagName))
      continue;
    const isWaiting = BUSY_WORDS.test(data);
    if ((isEmpty || isWaiting) && isSeen(node.parentElement)) {
      if (isWaiting) return { isEmpty: false, isBusy: true };
      isEmpty = false;
    }
  }
  return { isEmpty, isBusy: false };
};

const isUnfinished = () => {
  const { isEmpty, isBusy } = texts();
  if (isBusy || (isEmpty && ![...queryAll(document, CONTENT)].some(isSeen))) return true;
  return showsBusy();
};

// Waiting until everything that an action set off in the document is over: changes, frames, timers, animations.

// What a page shows for a moment ("Copied!") may be gone when all is over. Before a timer of this length the page is
// therefore read, as long as nothing moves; at most a few times for one action.
const MOMENT_MS = 60;
const MAX_MOMENTS = 4;
const SAME_ACTION_MS = 20;
// For this long, the timers that a page has set as it was loaded are named in each answer.
const NEW_PAGE_MS = 3000;
// What is named of what goes on.
const MAX_REPEATS = 20;
const MAX_RESTLESS_TEXT = 60;

// `wait`: milliseconds that one call may take. `ago`: milliseconds since the action began. `limit`: milliseconds that
// changes, timers and animations may still take. `loading`: where a document was loaded, milliseconds that it may take if
// it is empty or shows that it is busy; else 0. `filled`: the refs of fields whose values are read at the end.
/** @typedef {{ wait: number, ago: number, limit: number, loading: number, filled: string[] }} Patience */

// Timers that are longer are for hiding a message again or for a next poll, not for the effect of an action; where the
// content has changed already, those that are longer than a debounce. A page that was loaded and stands needs none to be
// read.
const LONGEST_DELAY_MS = 1050;
const LONGEST_DELAY_AFTER_ANSWER_MS = 700;
const LONGEST_DELAY_AFTER_LOAD_MS = 300;

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
    const before = changesSoFar();
    await untilFrameIsOver(since);
    if (changesSoFar() === before) return true;
    since = performance.now();
    if (since >= deadline) return false;
  }
};

const SCROLL_CHECK_MS = 20;
// Timers fire at their time or a little later.
const TIMER_GRACE_MS = 1;
// While changes go on, it is looked this often whether they matter.
const ROUND_MS = 20;

/** @param {number} milliseconds */
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// Waits as `patience` says; returns whether more is to be waited for in another call, and what is left: `timer` and
// `animation` in milliseconds, what `repeats` without effect, `texts` that keep changing. `onStill` is called when the page
// is still, though a timer that the action set is pending.
/** @param {Patience} patience @param {() => void} [onStill] */
export const untilSettled = async (patience, onStill = () => {}) => {
  const wait = new Wait(patience, onStill);
  listenForInput(); // document.open() removes all listeners; adding one twice has no effect
  startCounting(patience.loading > 0);
  try {
    const busy = await wait.run();
    return { busy, ...wait.left(busy), origin: documentOrigin(), refused: takeRefusedFields() };
  } finally {
    stopCounting();
  }
};

// One wait for what an action has set off in the document.
class Wait {
  /** @param {Patience} patience @param {() => void} onStill */
  constructor(patience, onStill) {
    const now = performance.now();
    this.onStill = onStill;
    this.began = momentOf(patience.ago);
    this.deadline = now + patience.wait;
    this.limit = now + Math.max(patience.limit, 0);
    this.loads = patience.loading > 0;
    this.loadingLimit = now + patience.loading;
    this.isUnfinished = false;
    this.isAnswered = false;
    this.work = NO_WORK;
    this.animation = 0;
    this.fading = 0;
    this.isSeenNow = true;
  }

  // Returns whether the time of this call was too short.
  async run() {
    let wasFading = false;
    let lastQuiet = performance.now();
    for (let since = inputSince(this.began); ; ) {
      const isQuiet = await untilNoChanges(since, Math.min(this.deadline, this.limit, since + ROUND_MS));
      const now = performance.now();
      if (isQuiet) lastQuiet = now;
      const { next, isMoving } = this.underWay(now);
      const { again, loop } = this.work;
      const isCalm = isQuiet || (neverRests && now - lastQuiet >= NEVER_RESTS_MS);
      const repeats = Math.min(again, loop) < Infinity;
      const isFading = this.fading > 0;
      if (next === null && !repeats && isCalm && !wasFading && !isFading) return false;
      if (next === null && !repeats && isCalm && isFading && this.isSeenNow && hasFadedIn(this.began)) {
        this.animation ||= this.fading;
        return false;
      }
      if (now >= this.limit) {
        if (!isQuiet) neverRests = true;
        markChangingRestless();
        markFieldsRestless();
        return false;
      }
      if (now >= this.deadline) return true;
      // What is left repeats, or changes what cannot be told.
      const mayBeIdle = repeats || (next === null && !isQuiet);
      if (mayBeIdle && isSteady(this.began, this.loads) && next === null && again === Infinity) {
        noteIdleLoops(this.began);
        return false;
      }
      const isStill = !isMoving && next !== null && next > MOMENT_MS;
      if (isQuiet && isStill) this.onStill();
      // The end of an animation is reported to the page in the frame after it.
      if (next !== null) await pause(Math.min(next, this.deadline - now));
      else if (repeats || isFading) await pause(ROUND_MS);
      since = performance.now();
      const isPainted = next === null ? isQuiet && !repeats && !isFading : isMoving;
      if (isPainted) await nextPaint();
      wasFading = isFading && !isPainted;
    }
  }

  // The longest delay of a timer that is waited for.
  longest() {
    if (this.loads) return LONGEST_DELAY_AFTER_LOAD_MS;
    return this.isAnswered || hasContentChanged() ? LONGEST_DELAY_AFTER_ANSWER_MS : LONGEST_DELAY_MS;
  }

  // Before a timer that is long is waited for: whether the page shows the answer to the action, by attributes alone.
  /** @param {number} left */
  noteAnswer(left) {
    if (awaitedWork(this.began, LONGEST_DELAY_AFTER_ANSWER_MS, left).once < Infinity) return;
    this.isAnswered ||= showsAnswer();
    if (this.isAnswered) this.work = awaitedWork(this.began, this.longest(), left);
  }

  // Milliseconds until the next of what is under way should be over, null for nothing; and whether something moves.
  /** @param {number} now */
  underWay(now) {
    const left = Math.max(this.limit - now, 0);
    this.work = awaitedWork(this.began, this.longest(), left);
    const mayBeContent = this.work.later > 0 && this.work.later < this.loadingLimit - now;
    if (this.loads && (mayBeContent || now >= this.limit)) {
      this.isUnfinished = isUnfinished();
      if (this.isUnfinished && this.loadingLimit > this.limit) this.limit = this.loadingLimit;
      if (this.isUnfinished) this.work = awaitedWork(this.began, Infinity, this.limit - now);
    }
    const animations = animationTimeLeft(left);
    if (!this.loads && this.work.once < Infinity && animations.within === 0) this.noteAnswer(left);
    this.animation = animations.later;
    this.fading = animations.fading;
    this.isSeenNow = animations.isSeenNow;
    const candidates = [];
    if (this.work.once < Infinity) candidates.push(this.work.once);
    if (animations.within > 0) candidates.push(animations.within);
    if (isScrolling()) candidates.push(SCROLL_CHECK_MS);
    const next = candidates.length ? Math.min(...candidates) + TIMER_GRACE_MS : null;
    return { next, isMoving: animations.within > 0 };
  }

  // What is not waited for any more.
  /** @param {boolean} busy */
  left(busy) {
    if (busy) return { timer: 0, animation: 0, repeats: [], texts: [], unfinished: false };
    const now = performance.now();
    const limit = Math.max(this.limit - now, 0);
    const { later, repeats } = awaitedWork(this.began, this.longest(), limit);
    return {
      // What a page that was just loaded has still to do may not have been told.
      timer: now < NEW_PAGE_MS ? awaitedWork(0, this.longest(), limit).later : later,
      animation: this.animation,
      repeats: repeats.slice(0, MAX_REPEATS),
      texts: restlessTexts().map((text) => clip(text, MAX_RESTLESS_TEXT)),
      unfinished: this.isUnfinished && isUnfinished(),
    };
  }
}

// The lines of the last snapshot of the whole document, and of that before the action.
/** @type {string | null} */
let lastLines = null;
/** @type {string | null} */
let linesBefore = null;

const showsAnswer = () => linesBefore !== null && String(/** @type {any} */ (takeSnapshot({})).lines) !== linesBefore;

// Whether the page shows something else than before the action, other than that it is busy.
export const hasAnswered = () => showsAnswer() && !showsBusy();

// A snapshot of the whole document is numbered, so that the driver can ask whether anything changed after it. Animations
// change the page without changing the document.
/** @param {SnapshotOptions} options */
export const snapshotAndWatch = (options = {}) => {
  const data = /** @type {any} */ (takeSnapshot(options));
  if (!options.root) lastLines = String(data.lines);
  return options.root ? data : { ...data, number: watchForChanges(hasAnimations(Infinity)) };
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
  const loadingEnds = performance.now() + patience.loading;
  const began = Math.round(momentOf(patience.ago));
  // The driver's clock and the page's differ by a little from call to call.
  if (still && Math.abs(still.began - began) > SAME_ACTION_MS) still = null;
  /** @type {any[]} */
  let refused = [];
  for (;;) {
    const now = performance.now();
    const loading = patience.loading ? Math.max(loadingEnds - now, 1) : 0;
    const result = await untilSettled({ ...patience, limit: ends - now, loading }, () => keepMoment(began));
    refused = [...refused, ...result.refused];
    if (result.busy) return { ...result, refused };
    const roots = knownShadowRoots().size;
    const rows = snapshotAndWatch();
    // Animations in a shadow tree can be seen only after the snapshot has met it.
    const isComplete = knownShadowRoots().size === roots || animationTimeLeft(ends - performance.now()).within === 0;
    if (!isComplete) continue;
    return { ...result, refused, rows, moments: still ? still.moments : [], values: patience.filled.map(fieldValue) };
  }
};

// Whether anything changed after a snapshot. Called when an action begins.
/** @param {number} number */
export const beginAction = (number) => {
  actionBegan = performance.now();
  noteActionStart();
  noteActionBegan();
  linesBefore = lastLines;
  forgetLook();
  return hasChangedAfter(number);
};

// Whether a timer, a frame or an animation is due within so many milliseconds.
/** @param {number} milliseconds */
export const expectsWork = (milliseconds) => {
  const { once, again, loop } = awaitedWork(0, Infinity, milliseconds);
  return Math.min(once, again, loop) <= milliseconds || hasAnimations(milliseconds);
};

// Resolves at the first sign of an effect after the last snapshot, or after the timeout.
/** @param {number} timeout */
export const firstEffect = (timeout) => firstChange(timeout);

// What a page that was loaded or acted on set off so lately may still be content.
const RECENT_MS = 2000;
const MOST_PICTURE_MS = 1000;

// The pictures in view that have not arrived.
const missingPictures = () =>
  [...document.images].filter((image) => {
    const { left, top, right, bottom, width, height } = rectOf(image);
    const isInView = width * height > 1 && right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
    return isInView && !image.complete;
  });

const showsCanvas = () => [...queryAll(document, "canvas")].some((canvas) => checkVisibility(canvas));

// Waits for what an answer did not wait for, as what is read now has no later answer: timers that are due, and before a
// picture also what is drawn on a canvas, and pictures. Returns how many pictures in view are missing.
/** @param {boolean} isPicture */
export const untilComplete = async (isPicture) => {
  const now = performance.now();
  const since = Math.max(now - RECENT_MS, 0);
  const canvas = isPicture && showsCanvas();
  for (;;) {
    const at = performance.now();
    const { once, again, loop, repeats } = awaitedWork(since, LONGEST_DELAY_MS);
    const draws = canvas && (Math.min(again, loop) < Infinity || repeats.length > 0);
    const isLate = isPicture && at - now < MOST_PICTURE_MS && missingPictures().length > 0;
    if (at - now >= RECENT_MS || (once === Infinity && !draws && !isLate)) break;
    await pause(Math.min(once, draws || isLate ? ROUND_MS : Infinity) + TIMER_GRACE_MS);
  }
  if (performance.now() - now > ROUND_MS) await nextPaint();
  return isPicture ? missingPictures().length : 0;
};

// Waiting for changes of the document, and for text and selectors to appear.

// Resolves at the next change of the document, or after the timeout.
/** @param {number} timeout */
export const nextChange = (timeout) =>
  new Promise((resolve) => {
    const done = () => {
      observer.disconnect();
      clearTimeout(timer);
      resolve(true);
    };
    const observer = new MutationObserver(done);
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    const timer = setTimeout(done, timeout);
  });

export const bodyText = () => bodyOf(document)?.innerText ?? "";

/** @param {string} text */
export const showsText = (text) => bodyText().includes(text);

/** @param {string} css */
export const showsSelector = (css) => {
  const found = queryTargets({ css, limit: 200 }).matches;
  return found.some((match) => {
    const element = elementOfRef(match.ref);
    return element && checkVisibility(element, { visibilityProperty: true });
  });
};
