// Idle detection. A document is idle when the browser has nothing to do for it and nothing planned before the next frame;
// or, where that cannot be known, when a frame was painted and 12 ms passed without a change. Clocks, tickers and spinners
// never stop changing: elements that keep changing by themselves are restless and are not waited for.

import { takeSnapshot } from "../snapshot/snapshot.js";

const RESTLESS_ROUNDS = 5;
const RESTLESS_MS = 150;
const FORGET_AFTER_MS = 1500;

const changeHistories = new WeakMap();
let currentRound = 0;
let changeCount = 0;
let restlessCount = 0;

/** @param {Node} node @param {number} now */
const isRestless = (node, now) => {
  let history = changeHistories.get(node);
  if (!history || now - history.last > FORGET_AFTER_MS) {
    history = { first: now, last: now, rounds: 1, round: currentRound };
    changeHistories.set(node, history);
    return false;
  }
  if (history.round !== currentRound) history.rounds += 1;
  history.round = currentRound;
  history.last = now;
  return history.rounds >= RESTLESS_ROUNDS && now - history.first > RESTLESS_MS;
};

/** @param {MutationRecord[]} records */
const countChanges = (records) => {
  const now = performance.now();
  for (const record of records) {
    if (isRestless(record.target, now)) restlessCount += 1;
    else changeCount += 1;
  }
};

// Connected only while the driver waits: observing would slow down the parsing of a very large page.
const changeObserver = new MutationObserver(countChanges);
const ALL_CHANGES = { subtree: true, childList: true, characterData: true, attributes: true };

// An idle period ends when the next frame or timer is due, and lasts 50 ms where none is due: for that long it is known
// that nothing will happen. A page that is hidden or always busy has no idle periods.
const IDLE_TIMEOUT_MS = 32;
const MIN_IDLE_MS = 17;

const isBrowserIdle = () =>
  new Promise((resolve) => {
    /** @param {IdleDeadline} moment */
    const answer = (moment) => resolve(!moment.didTimeout && moment.timeRemaining() >= MIN_IDLE_MS);
    requestIdleCallback(answer, { timeout: IDLE_TIMEOUT_MS });
  });

// After a press or a key the browser expects more input and reports no idle time for a while.
const INPUT_EXPECTED_MS = 110;
const INPUT_EVENTS = ["pointermove", "pointerdown", "pointerup", "keydown", "keyup", "wheel"];
let lastInputAt = -Infinity;
const wasInputRecent = () => performance.now() - lastInputAt < INPUT_EXPECTED_MS;

// Changes that come later than this are not counted as effects of the action.
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
const nextPaint = () =>
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
  if (!event.isTrusted) return;
  lastInputAt = performance.now();
  pendingPaint ??= nextPaint();
};

export const listenForInput = () => {
  for (const kind of INPUT_EVENTS) addEventListener(kind, onInput, { capture: true, passive: true });
};

// `ago`: milliseconds since the action began.
/** @param {number} timeout @param {number} ago */
export const untilIdle = async (timeout, ago) => {
  const began = performance.now() - ago;
  listenForInput(); // document.open() removes all listeners; adding one twice has no effect
  changeObserver.observe(document, ALL_CHANGES);
  try {
    return await untilNoChanges(lastInputAt >= began ? lastInputAt : performance.now(), performance.now() + timeout);
  } finally {
    changeObserver.disconnect();
  }
};

/** @param {number} since @param {number} deadline */
const untilNoChanges = async (since, deadline) => {
  const start = changeCount;
  const restlessBefore = restlessCount;
  for (let seen = start; ; seen = changeCount) {
    currentRound += 1;
    if (wasInputRecent() || !(await isBrowserIdle())) await frameAndQuiet(since);
    const result = { changed: changeCount !== start, restless: restlessCount !== restlessBefore };
    if (changeCount === seen) return { busy: false, ...result };
    since = performance.now();
    if (since >= deadline) return { busy: true, ...result };
  }
};

// Takes the snapshot in the same call as soon as the page is idle.
/** @param {number} timeout @param {number} ago */
export const snapshotWhenIdle = async (timeout, ago) => {
  const result = await untilIdle(timeout, ago);
  return result.busy ? result : { ...result, rows: takeSnapshot({}) };
};
