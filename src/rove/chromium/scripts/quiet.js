// When is this document quiet? When the browser has nothing to do for it and nothing planned for the next frame's time;
// or, where that cannot be known, when a frame was painted and a moment passed that brought no change. Clocks, tickers and
// spinners never stop changing: what keeps changing by itself is restless, and nobody waits for it.

const RESTLESS_ROUNDS = 5;
const RESTLESS_MS = 150;
const FORGOTTEN_MS = 1500;

const histories = new WeakMap();
let round = 0;
let changes = 0;
let restless = 0;

const isRestless = (node, now) => {
  let history = histories.get(node);
  if (!history || now - history.last > FORGOTTEN_MS) {
    history = { first: now, last: now, rounds: 1, round };
    histories.set(node, history);
    return false;
  }
  if (history.round !== round) history.rounds += 1;
  history.round = round;
  history.last = now;
  return history.rounds >= RESTLESS_ROUNDS && now - history.first > RESTLESS_MS;
};

const count = (records) => {
  const now = performance.now();
  for (const record of records) {
    if (isRestless(record.target, now)) restless += 1;
    else changes += 1;
  }
};
// Connected only while someone waits: a page of a hundred thousand rows must not be watched as it is parsed.
const observer = new MutationObserver(count);
const EVERYTHING = { subtree: true, childList: true, characterData: true, attributes: true };

// An idle moment ends where the next frame or timer is due, and lasts 50 ms where there is none: for so long is it
// known that nothing will happen. A page that is hidden, or never idle, has none.
const IDLE_PATIENCE = 32;
const CLEAR_MS = 17;

const isClear = () =>
  new Promise((resolve) => {
    const answer = (moment) => resolve(!moment.didTimeout && moment.timeRemaining() >= CLEAR_MS);
    requestIdleCallback(answer, { timeout: IDLE_PATIENCE });
  });

// After a press or a key the browser expects another, and is not idle for a while, whatever there is to do.
const STIRRED_MS = 110;
const INPUTS = ["pointermove", "pointerdown", "pointerup", "keydown", "keyup", "wheel"];
let stirredAt = -Infinity;
const isStirred = () => performance.now() - stirredAt < STIRRED_MS;

// What is put off for longer than this is nothing that an act is waited for.
const MOMENT_MS = 12;
const moment = async (since) => {
  if (drawing || drawnAt < since) await (drawing || drawn());
  await new Promise((resolve) => setTimeout(resolve, since + MOMENT_MS - performance.now()));
};

let drawing = null;
let drawnAt = -Infinity;
// Resolves when a frame has been painted. A throttled page may never paint: a timer bounds the wait.
const drawn = () =>
  new Promise((resolve) => {
    const late = setTimeout(resolve, 50);
    requestAnimationFrame(() => {
      [drawing, drawnAt] = [null, performance.now()];
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        channel.port1.close();
        clearTimeout(late);
        resolve();
      };
      channel.port2.postMessage(null);
    });
  });

// The frame that shows what a press did begins before anyone can ask for it: it is asked for as the press comes in.
const stir = (event) => {
  if (!event.isTrusted) return;
  stirredAt = performance.now();
  drawing ??= drawn();
};
const listenForInput = () => {
  for (const kind of INPUTS) addEventListener(kind, stir, { capture: true, passive: true });
};

// `ago`: milliseconds since the act began that may have stirred the page.
const quiet = async (patience, ago) => {
  const began = performance.now() - ago;
  listenForInput(); // again, as document.open() takes every listener away; one that is there is not added twice
  observer.observe(document, EVERYTHING);
  try {
    return await untilQuiet(stirredAt >= began ? stirredAt : performance.now(), performance.now() + patience);
  } finally {
    observer.disconnect();
  }
};

const untilQuiet = async (since, giveUp) => {
  const start = changes;
  const restlessBefore = restless;
  for (let seen = start; ; seen = changes) {
    round += 1;
    if (isStirred() || !(await isClear())) await moment(since);
    const told = { changed: changes !== start, restless: restless !== restlessBefore };
    if (changes === seen) return { busy: false, ...told };
    since = performance.now();
    if (since >= giveUp) return { busy: true, ...told };
  }
};

// What the page looks like the moment it is quiet, in the same call.
const quietThenRows = async (patience, ago) => {
  const told = await quiet(patience, ago);
  return told.busy ? told : { ...told, rows: globalThis.rove.snapshot({}) };
};

listenForInput();
Object.assign(globalThis.rove, { quiet, quietThenRows });
