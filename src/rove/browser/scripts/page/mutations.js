// Changes of the document and of its shadow trees. Clocks, tickers and spinners never stop changing: elements that have
// kept changing for a second are restless from then on, and their changes are not waited for.

import { knownShadowRoots } from "../dom/shadow_roots.js";

const RESTLESS_ROUNDS = 8;
const RESTLESS_MS = 1200;
// After a pause of this length an element's changes count as new ones.
const PAUSE_MS = 300;

const restlessNodes = new WeakSet();
const changeHistories = new WeakMap();
let currentRound = 0;
let changeCount = 0;

/** @param {Node} node @param {number} now */
const isRestless = (node, now) => {
  if (restlessNodes.has(node)) return true;
  const history = changeHistories.get(node);
  if (!history || now - history.last > PAUSE_MS) {
    changeHistories.set(node, { first: now, last: now, rounds: 1, round: currentRound });
    return false;
  }
  if (history.round !== currentRound) history.rounds += 1;
  history.round = currentRound;
  history.last = now;
  if (history.rounds < RESTLESS_ROUNDS || now - history.first < RESTLESS_MS) return false;
  restlessNodes.add(node);
  return true;
};

/** @param {MutationRecord[]} records */
const countChanges = (records) => {
  const now = performance.now();
  for (const record of records) if (!isRestless(record.target, now)) changeCount += 1;
};

const ALL_CHANGES = { subtree: true, childList: true, characterData: true, attributes: true };

/** @param {MutationObserver} observer */
const observeEverything = (observer) => {
  observer.observe(document, ALL_CHANGES);
  for (const root of knownShadowRoots()) observer.observe(root, ALL_CHANGES);
};

// Connected only while the driver waits: observing would slow down the parsing of a very large page.
const changeObserver = new MutationObserver(countChanges);
export const startCounting = () => observeEverything(changeObserver);
export const stopCounting = () => changeObserver.disconnect();

// Begins a round of waiting; the number tells whether anything has changed since an earlier round.
export const nextRound = () => {
  currentRound += 1;
  return changeCount;
};
export const changesSoFar = () => changeCount;

// Whether anything has changed since the last snapshot. The first change answers that, so the observer is disconnected.
let hasChanged = false;
/** @type {(() => void) | null} */
let onLateChange = null;

/** @param {MutationRecord[]} records */
const noteLateChange = (records) => {
  if (records.every((record) => restlessNodes.has(record.target))) return;
  hasChanged = true;
  lateObserver.disconnect();
  onLateChange?.();
};
const lateObserver = new MutationObserver(noteLateChange);

export const watchForChanges = () => {
  hasChanged = false;
  lateObserver.disconnect();
  observeEverything(lateObserver);
};

export const hasChangedSinceWatch = () => {
  const records = lateObserver.takeRecords();
  if (records.length) noteLateChange(records);
  return hasChanged;
};

// Resolves at the first change since `watchForChanges`, or after the timeout.
/** @param {number} timeout @returns {Promise<void>} */
export const firstChange = (timeout) =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      onLateChange = null;
      resolve();
    };
    const timer = setTimeout(done, timeout);
    onLateChange = done;
    if (hasChangedSinceWatch()) done();
  });
