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

// Snapshots are numbered; this is the number of the last one after which something changed. The first change after a
// snapshot says enough, so the observer is disconnected then.
let watchNumber = 0;
let changedAfter = 0;
/** @type {(() => void) | null} */
let onLateChange = null;

const noteChangeAfterSnapshot = () => {
  changedAfter = watchNumber;
  lateObserver.disconnect();
  onLateChange?.();
};

/** @param {MutationRecord[]} records */
const onLateRecords = (records) => {
  if (!records.every((record) => restlessNodes.has(record.target))) noteChangeAfterSnapshot();
};
const lateObserver = new MutationObserver(onLateRecords);

// Called after each snapshot; returns its number. `isMoving`: whether the page changes without the document changing.
/** @param {boolean} isMoving */
export const watchForChanges = (isMoving) => {
  onLateRecords(lateObserver.takeRecords());
  lateObserver.disconnect();
  watchNumber += 1;
  if (isMoving) changedAfter = watchNumber;
  else observeEverything(lateObserver);
  return watchNumber;
};

// A number that is too high is that of a snapshot of an earlier document.
/** @param {number} number */
export const hasChangedAfter = (number) => {
  onLateRecords(lateObserver.takeRecords());
  return number > watchNumber || changedAfter >= number;
};

// Resolves at the first change after the last snapshot, or after the timeout.
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
    if (hasChangedAfter(watchNumber)) done();
  });
