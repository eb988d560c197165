// Changes of the document and of its shadow trees. Clocks and tickers never stop changing: texts that have kept changing
// are restless from then on; their changes are not waited for, and they are named.

import { checkVisibility, isConnected, textContentOf, textDataOf } from "../dom/natives.js";
import { squash } from "../dom/text.js";
import { knownShadowRoots } from "../dom/tree.js";
import { noteEffect } from "./scheduled_work.js";

// A text is restless once it was replaced so often for so long; later if the action that is waited for began it.
const RESTLESS_CHANGES = 4;
const RESTLESS_MS = 400;
const RESTLESS_OF_ACTION_MS = 2000;
// After a pause of this length a text's changes count as new ones. A timer that is longer makes a clock.
const PAUSE_MS = 300;
const CLOCK_MS = 250;
const LONGEST_READ_TEXT = 500;

let changeCount = 0;
// Changes of attributes are counted apart: what they do is seen by comparing what the page shows (page/steadiness.js).
let contentChanges = 0;
let contentAtAction = 0;
let watchedActionBegan = 0;
let isLoading = false;

/** @typedef {{ first: number, last: number, count: number, text: string, isOlder: boolean }} History */
/** @type {WeakMap<Node, History>} */
const histories = new WeakMap();
// Texts that change now, as far as that is not decided yet; and those that will go on, with when they were last seen to.
/** @type {Set<Node>} */
const changing = new Set();
/** @type {Map<Node, { text: string, at: number, pause: number }>} */
const restless = new Map();

/** @param {Node} node */
const readText = (node) => {
  if (node instanceof HTMLInputElement || node instanceof HTMLTextAreaElement) return node.value;
  const text = node.nodeType === Node.TEXT_NODE ? textDataOf(node) : textContentOf(node);
  return text.slice(0, LONGEST_READ_TEXT);
};

/** @param {Node} node @param {number} pause */
export const markRestless = (node, pause = PAUSE_MS) => {
  changing.delete(node);
  restless.set(node, { text: readText(node), at: performance.now(), pause });
};

// Whether a text that was replaced is restless. A text that grows is content that arrives.
/** @param {Node} node @param {number} now @param {boolean} isOlder */
const isRestless = (node, now, isOlder) => {
  const text = readText(node);
  const history = histories.get(node);
  if (history && text === history.text && now - history.last <= PAUSE_MS) return true; // told by two observers
  if (!history || now - history.last > PAUSE_MS || text.startsWith(history.text)) {
    histories.set(node, { first: now, last: now, count: 1, text, isOlder });
    changing.delete(node);
    return false;
  }
  Object.assign(history, { last: now, count: history.count + 1, text });
  const needed = isLoading || history.isOlder ? RESTLESS_MS : RESTLESS_OF_ACTION_MS;
  if (history.count >= RESTLESS_CHANGES && now - history.first >= needed) markRestless(node);
  else changing.add(node);
  return true;
};

// Elements whose attributes have changed since `startCounting`, and those of which nothing came of that.
const MAX_RESTYLED = 100;
/** @type {Set<Element>} */
export const restyled = new Set();
/** @type {WeakMap<Element, number>} */
const idlyRestyled = new WeakMap();

/** @param {Element} element @param {number} now */
const isIdlyRestyled = (element, now) => {
  const last = idlyRestyled.get(element);
  if (last === undefined) return false;
  if (now - last > PAUSE_MS) idlyRestyled.delete(element);
  else idlyRestyled.set(element, now);
  return now - last <= PAUSE_MS;
};

// Notes that what changed of attributes was not to be seen. While it goes on, it is not counted.
export const noteIdlyRestyled = () => {
  for (const element of restyled) idlyRestyled.set(element, performance.now());
};

/** @typedef {import("./scheduled_work.js").Cause} Cause */

// Whether a record counts as a change. `causeOf` tells whose callback made it, and that it has had an effect.
/** @param {MutationRecord} record @param {number} now @param {() => Cause} causeOf */
const counts = (record, now, causeOf) => {
  const { target, type } = record;
  if (type === "attributes") {
    const element = /** @type {Element} */ (target);
    if (isIdlyRestyled(element, now)) return false;
    if (restyled.size < MAX_RESTYLED) restyled.add(element);
    else contentChanges += 1;
    return true;
  }
  if (restless.has(target)) return false;
  const isReplaced = type === "characterData" || (record.removedNodes.length > 0 && target !== document.body);
  const history = histories.get(target);
  if (isReplaced && history && now - history.last <= PAUSE_MS) {
    if (isRestless(target, now, false)) return !restless.has(target);
  }
  const cause = causeOf();
  contentChanges += 1;
  if (!isReplaced) return true;
  const isOlder = cause !== null && cause.began < watchedActionBegan;
  isRestless(target, now, isOlder);
  if (cause && cause.period > CLOCK_MS && cause.repeats) markRestless(target, cause.period);
  return true;
};

/** @param {MutationRecord[]} records */
const countedIn = (records) => {
  const now = performance.now();
  /** @type {Cause | undefined} */
  let cause;
  const causeOf = () => {
    if (cause === undefined) cause = noteEffect();
    return cause;
  };
  let count = 0;
  for (const record of records) if (counts(record, now, causeOf)) count += 1;
  return count;
};

/** @param {MutationRecord[]} records */
const countChanges = (records) => {
  changeCount += countedIn(records);
};

const ALL_CHANGES = { subtree: true, childList: true, characterData: true, attributes: true };

/** @param {MutationObserver} observer */
const observeEverything = (observer) => {
  observer.observe(document, ALL_CHANGES);
  for (const root of knownShadowRoots()) observer.observe(root, ALL_CHANGES);
};

// Connected from the beginning of an action until the page has settled: observing would slow down the parsing of a large page. `loads`: whether
// the document has been loaded rather than acted on.
const changeObserver = new MutationObserver(countChanges);
/** @param {boolean} loads */
export const startCounting = (loads) => {
  isLoading = loads;
  observeEverything(changeObserver);
};
export const stopCounting = () => {
  countChanges(changeObserver.takeRecords());
  changeObserver.disconnect();
  restyled.clear();
};

export const noteActionBegan = () => {
  watchedActionBegan = performance.now();
  contentAtAction = contentChanges;
  changing.clear();
  startCounting(false);
};

export const changesSoFar = () => changeCount;
// Whether anything but attributes has changed since the action began.
export const hasContentChanged = () => contentChanges > contentAtAction;
export const contentChangesSoFar = () => contentChanges;
// Whether a text keeps changing of which it is not decided whether that will end.
export const isUndecided = () => {
  const now = performance.now();
  for (const node of changing) if (now - (histories.get(node)?.last ?? 0) > 2 * PAUSE_MS) changing.delete(node);
  return changing.size > 0;
};

// The texts that change: restless ones and those that are not decided.
export const changingTexts = () =>
  [...restless.keys(), ...changing].filter(isConnected).map((node) => squash(readText(node)));

/** @param {Node} node */
export const isKnownRestless = (node) => restless.has(node);

// Notes that what still changes at the end of the time will go on.
export const markChangingRestless = () => {
  if (isUndecided()) for (const node of [...changing]) markRestless(node);
};

// The restless texts that still change, as a person sees them now. One that has rested for long is forgotten.
export const restlessTexts = () => {
  const now = performance.now();
  const texts = [];
  for (const [node, seen] of restless) {
    const text = readText(node);
    const isOver = text === seen.text && now - seen.at > 2 * seen.pause + PAUSE_MS;
    if (!isConnected(node) || isOver) {
      restless.delete(node);
      continue;
    }
    if (text !== seen.text) Object.assign(seen, { text, at: now });
    const element = node instanceof Element ? node : node.parentElement;
    const shown = squash(text);
    if (shown && element && checkVisibility(element, { visibilityProperty: true, opacityProperty: true }))
      texts.push(shown);
  }
  return texts;
};

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
  if (countedIn(records) > 0) noteChangeAfterSnapshot();
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
