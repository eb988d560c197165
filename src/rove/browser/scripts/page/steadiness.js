// Whether work that goes on in the page has any effect: what the page shows is compared for a while.

import { checkVisibility, isConnected, offsetHeightOf, offsetWidthOf, rectOf } from "../dom/natives.js";
import { elementOfRef } from "../dom/refs.js";
import { takeSnapshot } from "../snapshot/snapshot.js";
import { isInsideClips } from "./animations.js";
import {
  changingTexts,
  contentChangesSoFar,
  isKnownRestless,
  isUndecided,
  markRestless,
  noteIdlyRestyled,
  restyled,
} from "./mutations.js";

// The page is steady when it shows the same after this long. Fields that change without a change of the document are read
// more often, to tell those whose value keeps changing. A page that takes long to read is read less often.
const STEADY_MS = 200;
const BETWEEN_MS = 50;
const MOST_OF_TIME = 4;
// A field whose value alone changes is restless after this long.
const FIELD_RESTLESS_MS = 400;
const FIELD_RESTLESS_CHANGES = 3;

/** @param {Element} element */
const standingOf = (element) => {
  const style = getComputedStyle(element);
  const { a, b } = new DOMMatrixReadOnly(style.transform);
  const size = element instanceof HTMLElement ? `${offsetWidthOf(element)} ${offsetHeightOf(element)}` : "";
  const { left, top } = rectOf(element);
  const at = isInsideClips(element) ? "" : `${Math.round(left)} ${Math.round(top)}`;
  return `${size} ${Math.hypot(a, b).toFixed(2)} ${style.opacity} ${style.visibility} ${style.display} ${style.clipPath} ${at}`;
};

const MAX_STORED = 50;
const MAX_STORED_TEXT = 200;

/** @param {() => Storage} open */
const storedIn = (open) => {
  try {
    const storage = open();
    const keys = Array.from({ length: Math.min(storage.length, MAX_STORED) }, (_, index) => storage.key(index) ?? "");
    return `${storage.length} ${keys.map((key) => `${key}=${storage.getItem(key)?.slice(0, MAX_STORED_TEXT)}`)}`;
  } catch {
    return ""; // a sandboxed or opaque document has no storage
  }
};

const ASKING = new Set(["fetch", "xmlhttprequest", "script", "link", "css", "iframe"]);
const requestsSoFar = () =>
  performance.getEntriesByType("resource").filter((entry) => ASKING.has(/** @type {any} */ (entry).initiatorType))
    .length;

/** @typedef {{ at: number, lines: string[], flags: string[], refs: string[], places: string, rest: string, content: number, restyled: number }} Sample */

/** @returns {Sample} */
const takeSample = () => {
  const at = performance.now();
  const data = /** @type {any} */ (takeSnapshot({}));
  const texts = changingTexts();
  const lines = String(data.lines)
    .split("\n")
    .map((line) => (texts.some((text) => text && line.includes(text)) ? "" : line));
  const [flags, refs] = [String(data.flags).split(" "), String(data.refs).split(" ")];
  const places = [...restyled]
    .filter(isConnected)
    .filter((each) => checkVisibility(each))
    .map(standingOf)
    .join(";");
  const stored = `${storedIn(() => localStorage)} ${storedIn(() => sessionStorage)}`;
  const rest = `${location.href} ${data.scrollX} ${data.scrollY} ${requestsSoFar()} ${stored}`;
  return { at, lines, flags, refs, places, rest, content: contentChangesSoFar(), restyled: restyled.size };
};

// Fields whose value changes without a change of the document, and how often it was seen to.
/** @type {Map<Element, number>} */
const changingFields = new Map();

// How two samples differ: not at all, in the values of fields, or otherwise.
/** @param {Sample} before @param {Sample} after @param {boolean} mayRest @returns {"" | "fields" | "page"} */
const differenceOf = (before, after, mayRest) => {
  if (before.rest !== after.rest || before.content !== after.content || before.places !== after.places) return "page";
  if (before.lines.length !== after.lines.length) return "page";
  /** @type {"" | "fields"} */
  let difference = "";
  for (let i = 0; i < after.lines.length; i++) {
    if (before.lines[i] === after.lines[i] && before.flags[i] === after.flags[i]) continue;
    const element = before.refs[i] === after.refs[i] ? elementOfRef(`e${after.refs[i]}`) : null;
    if (!(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)) return "page";
    if (isKnownRestless(element)) continue;
    const changes = (changingFields.get(element) ?? 0) + 1;
    changingFields.set(element, changes);
    const isRestless = mayRest && changes >= FIELD_RESTLESS_CHANGES && after.at - before.at >= FIELD_RESTLESS_MS;
    if (isRestless) markRestless(element);
    else difference = "fields";
  }
  return difference;
};

let action = -1;
/** @type {Sample | null} */
let first = null;
let isSame = false;
let lastAt = 0;
let cost = 0;

// Whether the page has shown the same for long enough. Called again and again while work goes on that an action, which
// began at a moment, has set off. `loads`: whether the document was loaded rather than acted on.
/** @param {number} began @param {boolean} loads */
export const isSteady = (began, loads) => {
  const now = performance.now();
  if (Math.abs(action - began) > 20) {
    action = began;
    first = null;
    changingFields.clear();
  }
  const hasChanged = first !== null && (first.content !== contentChangesSoFar() || first.restyled !== restyled.size);
  if (isSame && first && !hasChanged) return !isUndecided();
  const isRead = hasChanged || changingFields.size > 0;
  const due = isRead ? lastAt + BETWEEN_MS : (first?.at ?? 0) + STEADY_MS;
  if (first && now < Math.max(due, lastAt + cost * MOST_OF_TIME)) return false;
  const sample = takeSample();
  lastAt = performance.now();
  cost = lastAt - now;
  const difference = first ? differenceOf(first, sample, loads) : "page";
  isSame = difference === "";
  if (difference === "page") first = sample;
  if (!isSame || isUndecided()) return false;
  noteIdlyRestyled();
  return true;
};

// What fades in may be told when the page shows the same for this long.
const TOLD_MS = 60;
/** @type {{ began: number, at: number, shown: string } | null} */
let faded = null;

// Whether the page has shown the same for a while though something fades in.
/** @param {number} began */
export const hasFadedIn = (began) => {
  const now = performance.now();
  if (faded && faded.began === began && now - faded.at < TOLD_MS) return false;
  const { lines, flags } = /** @type {any} */ (takeSnapshot({}));
  const shown = `${lines}\n${flags}`;
  const isSame = faded?.began === began && faded.shown === shown;
  faded = { began, at: performance.now(), shown };
  return isSame;
};

// What changed at the end of the time and may go on: fields whose value does.
export const markFieldsRestless = () => {
  for (const element of changingFields.keys()) if (isConnected(element)) markRestless(element);
};
