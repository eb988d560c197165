// Checks where each press arrives. Between finding the point and pressing it a page may move: a press that would land on
// another element is stopped before the page sees it, and the driver aims again.

import { FRAMES } from "../dom/elements.js";
import { matchesSelector } from "../dom/natives.js";
import { deepestAt } from "../dom/tree.js";
import { tellDriver } from "../page/reports.js";
import { watchLook } from "../paint/look_changes.js";
import { rememberPasswordFields } from "../roles/passwords.js";
import { lineOf } from "./element_calls.js";
import { isPressedBy } from "./hit_testing.js";
import { nextFrameOrTimeout } from "./waiting.js";

/** @typedef {{ element: Element, arrived: boolean, reason: string | null, left: number }} ExpectedPress */

/** @type {ExpectedPress | null} */
let expectedPress = null;

/** @param {MouseEvent} event */
const inspectPress = (event) => {
  if (!expectedPress || !event.isTrusted) return;
  // The browser decides for down and for up separately in which frame they arrive, and frames may move in between.
  if (!expectedPress.arrived && !event.type.endsWith("down")) return;
  if (!expectedPress.arrived) {
    expectedPress.arrived = true;
    const hit = deepestAt(event.clientX, event.clientY);
    if (!hit || !isPressedBy(hit, expectedPress.element)) {
      expectedPress.reason = hit ? `moved away, and ${lineOf(hit)} was in its place` : "moved away";
    }
  }
  if (event.type === "mouseup" && --expectedPress.left === 0) reportPress(expectedPress);
  if (expectedPress.reason) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
};

// Reports at once, so that the driver need not ask. Events that follow in the same task, such as the click, are still
// checked.
/** @param {ExpectedPress} press */
const reportPress = (press) => {
  tellDriver("roveTell", "pressed " + JSON.stringify(press.reason));
  setTimeout(() => {
    if (expectedPress === press) expectedPress = null;
  });
};

const PRESS_EVENTS = [
  "pointerdown",
  "mousedown",
  "pointerup",
  "mouseup",
  "click",
  "auxclick",
  "dblclick",
  "contextmenu",
];

export const listenForPresses = () => {
  for (const kind of PRESS_EVENTS)
    addEventListener(kind, /** @type {any} */ (inspectPress), { capture: true, passive: false });
};

/** @param {Element} element @param {number} count */
export const expectPress = (element, count) => {
  listenForPresses(); // document.open() removes all listeners; adding one twice has no effect
  // A press inside a frame is seen only by the frame's own document.
  expectedPress = { element, arrived: matchesSelector(element, FRAMES), reason: null, left: count };
  rememberPasswordFields(); // the press may reveal a password
  watchLook(element);
};

// Called when the browser has confirmed the press but no report has come.
export const pressResult = async () => {
  const press = expectedPress;
  // The browser knows the new place of a frame only after a paint, and may confirm a press before the frame has it.
  if (press && !press.arrived) await nextFrameOrTimeout();
  expectedPress = null;
  if (!press || press.arrived) return { missed: press && press.reason };
  return { missed: "did not get the press, which went elsewhere", lost: true };
};

// Whether the mouse moves so far have started an HTML drag that the page did not cancel.
/** @type {DragEvent | null} */
let dragStart = null;

/** @param {DragEvent} event */
const noteDrag = (event) => {
  dragStart = event;
};

export const listenForDrags = () => addEventListener("dragstart", noteDrag, { capture: true });

export const hasDragStarted = () => {
  const begun = dragStart !== null && !dragStart.defaultPrevented;
  dragStart = null;
  return begun;
};
