// HTML drags that this script carries out, for browsers that start a drag by the mouse of the driver and send no events of
// it afterwards. The browser's own drag is cancelled, and the page sees events like it.

import { editCommand, takesDroppedText } from "../acting/fields.js";
import { allowsDrop } from "../acting/typing.js";
import { focusHere } from "../dom/focus.js";
import { deepestAt } from "../dom/tree.js";

/** @typedef {{ source: EventTarget, transfer: DataTransfer, over: Element | null, isAccepted: boolean }} TakenDrag */

let isTaking = false;
/** @type {TakenDrag | null} */
let taken = null;
const RELEASE_EVENTS = ["pointerup", "mouseup", "click"];

/** @param {EventTarget} target @param {string} kind @param {Point} point @param {DataTransfer} transfer */
const dispatchDrag = (target, kind, [clientX, clientY], transfer) => {
  const isCancelable = !["dragleave", "dragend"].includes(kind);
  const facts = { bubbles: true, composed: true, cancelable: isCancelable, clientX, clientY, dataTransfer: transfer };
  const event = new DragEvent(kind, facts);
  EventTarget.prototype.dispatchEvent.call(target, event);
  return event.defaultPrevented;
};

/** @param {EventTarget} source @param {DataTransfer} transfer */
const addOwnData = (source, transfer) => {
  const link = source instanceof Element ? source.closest("a[href]") : null;
  const selected = String(getSelection());
  if (link instanceof HTMLAnchorElement) {
    transfer.setData("text/uri-list", link.href);
    transfer.setData("text/plain", link.href);
  } else if (selected) transfer.setData("text/plain", selected);
};

/** @param {DragEvent} event */
const onDragStart = (event) => {
  if (!isTaking || !event.isTrusted || event.defaultPrevented) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  const source = event.composedPath()[0];
  const transfer = new DataTransfer();
  addOwnData(source, transfer);
  const isCancelled = dispatchDrag(source, "dragstart", [event.clientX, event.clientY], transfer);
  taken = isCancelled ? null : { source, transfer, over: null, isAccepted: false };
};

// A drag ends without the events of a release.
/** @param {Event} event */
const swallowRelease = (event) => {
  if (!event.isTrusted) return;
  event.preventDefault();
  event.stopImmediatePropagation();
};

// Called before the driver presses the mouse for a drag.
export const takeDrags = () => {
  [isTaking, taken] = [true, null];
  addEventListener("dragstart", onDragStart, { capture: true });
};

// The texts that are dragged; null if no drag has started.
export const takenDrag = () => taken && Array.from(taken.transfer.types, (type) => taken?.transfer.getData(type));

/** @param {number} x @param {number} y */
export const dragTo = (x, y) => {
  if (!taken) return;
  const { source, transfer, over } = taken;
  const target = deepestAt(x, y);
  dispatchDrag(source, "drag", [x, y], transfer);
  if (target !== over) {
    if (target) dispatchDrag(target, "dragenter", [x, y], transfer);
    if (over) dispatchDrag(over, "dragleave", [x, y], transfer);
  }
  taken.over = target;
  const isTaken = target !== null && dispatchDrag(target, "dragover", [x, y], transfer);
  taken.isAccepted = isTaken || (target !== null && droppedText(target, transfer) !== "");
};

// The text that a browser inserts if the page does not handle the drop.
/** @param {Element} target @param {DataTransfer} transfer */
const droppedText = (target, transfer) => (takesDroppedText(target) ? transfer.getData("text/plain") : "");

/** @param {TakenDrag} drag @param {Element} target @param {Point} point */
const drop = ({ transfer }, target, point) => {
  if (!allowsDrop(target) || dispatchDrag(target, "drop", point, transfer)) return;
  const text = droppedText(target, transfer);
  // Once more, since the page has seen the drop and may have changed the field.
  if (!text || !allowsDrop(target)) return;
  /** @type {HTMLElement} */ (target).focus();
  if (focusHere() === target && allowsDrop(target)) editCommand("insertText", text);
};

// Ends the drag, with a drop if the element below accepts one. The release of the mouse that follows is not seen.
/** @param {number} x @param {number} y @param {boolean} drops */
export const endDrag = (x, y, drops) => {
  if (taken) {
    const { source, transfer, over, isAccepted } = taken;
    if (over && drops && isAccepted) drop(taken, over, [x, y]);
    else if (over) dispatchDrag(over, "dragleave", [x, y], transfer);
    dispatchDrag(source, "dragend", [x, y], transfer);
    for (const kind of RELEASE_EVENTS) addEventListener(kind, swallowRelease, { capture: true });
  }
  [isTaking, taken] = [false, null];
};

// Called when the driver has released the mouse.
export const endRelease = () => {
  isTaking = false;
  for (const kind of RELEASE_EVENTS) removeEventListener(kind, swallowRelease, { capture: true });
};
