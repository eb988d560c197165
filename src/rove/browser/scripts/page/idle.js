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
  if (!event.isTrusted) return;
  lastInputAt = performance.now();
  pendingPaint ??= nextPaint();
};

export const listenForInput = () => {
  for (const kind of INPUT_EVENTS) addEventListener(kind, onInput, { capture: true, passive: true });
};

// The last input since a moment; now, if there was none.
/** @param {number} moment */
export const inputSince = (moment) => (lastInputAt >= moment ? lastInputAt : performance.now());

// Resolves when the browser is idle; or, if that cannot be known, when a frame after `since` was painted and is over.
/** @param {number} since */
export const untilFrameIsOver = async (since) => {
  if (wasInputRecent() || !(await isBrowserIdle())) await frameAndQuiet(since);
};
