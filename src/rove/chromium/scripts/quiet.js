// When is this document quiet? When a frame was painted that brought no change. Clocks, tickers and spinners
// never stop changing: what keeps changing by itself is restless, and nobody waits for it.

const RESTLESS_FRAMES = 5;
const RESTLESS_MS = 250;
const FORGOTTEN_MS = 1500;

const histories = new WeakMap();
let frame = 0;
let changes = 0;
let restless = 0;

const isRestless = (node, now) => {
  let history = histories.get(node);
  if (!history || now - history.last > FORGOTTEN_MS) {
    history = { first: now, last: now, frames: 1, frame };
    histories.set(node, history);
    return false;
  }
  if (history.frame !== frame) history.frames += 1;
  history.frame = frame;
  history.last = now;
  return history.frames >= RESTLESS_FRAMES && now - history.first > RESTLESS_MS;
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

// Resolves when a frame has been painted. A hidden or throttled page may never paint: a timer bounds the wait.
const painted = () =>
  new Promise((resolve) => {
    const late = setTimeout(resolve, 50);
    requestAnimationFrame(() => {
      frame += 1;
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        clearTimeout(late);
        resolve();
      };
      channel.port2.postMessage(null);
    });
  });

const quiet = async (patience) => {
  observer.observe(document, EVERYTHING);
  try {
    return await untilQuiet(performance.now() + patience);
  } finally {
    observer.disconnect();
  }
};

const untilQuiet = async (giveUp) => {
  const start = changes;
  const restlessBefore = restless;
  for (let seen = start; ; seen = changes) {
    await painted();
    const told = { changed: changes !== start, restless: restless !== restlessBefore };
    if (changes === seen) return { busy: false, ...told };
    if (performance.now() >= giveUp) return { busy: true, ...told };
  }
};

// What the page looks like the moment it is quiet, in the same call.
const quietThenRows = async (patience) => {
  const told = await quiet(patience);
  return told.busy ? told : { ...told, rows: globalThis.rove.snapshot({}) };
};

Object.assign(globalThis.rove, { quiet, quietThenRows });
