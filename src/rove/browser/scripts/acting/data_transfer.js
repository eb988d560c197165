// Data that a page is handed as a browser would: copied and pasted text, HTML drags, and files.

import { isTag } from "../dom/elements.js";
import { deepestAt, focusHere } from "../dom/tree.js";
import { CLIPBOARD_WRITE } from "../main_world/event_names.js";
import { tellDriver } from "../page/reports.js";
import { dispatchEvents, inputType, setValue } from "../roles/controls.js";
import { tellDone, withElement } from "./element_calls.js";
import { editCommand, insertText, takesDroppedText } from "./fields.js";
import { bringIntoView, pressBoxOf } from "./presses.js";
import { holdSecrets, selectionInContext } from "./secret_fields.js";
import { allowsDrop, fieldOfEvent, inspectTransfer } from "./typing.js";

// Copying and pasting within one session. The browser has one clipboard for all sessions, and a browser with a window
// shares the person's own, so each copy, cut and paste is handled here. The page sees an event like the browser's; what it
// copies goes to the driver, and what it pastes is the text that the driver has set.

const MAX_COPIED = 1_000_000;
/** @type {string | null} */
let clipboardText = null;
// The secrets in that text, which are bound to the origin of this document.
/** @type {import("./secret_fields.js").HeldSecret[]} */
let clipboardSecrets = [];
// Whether the text has secrets that are not bound to it.
let isWithheld = false;
let wasPasteWithheld = false;

/** @param {{ before: string, text: string, after: string }} copied */
const tellCopied = ({ before, text, after }) =>
  tellDriver("roveCopied", JSON.stringify({ before, text: text.slice(0, MAX_COPIED), after }));

// Takes the event from the browser. False where it would move text into or out of a password field.
/** @param {Event} event */
const takeEvent = (event) => {
  inspectTransfer(event);
  const isFree = !event.defaultPrevented;
  event.stopImmediatePropagation();
  event.preventDefault();
  return isFree;
};

// The event that the page has seen; if it has prevented the default, the browser would do nothing more.
/** @param {Event} event @param {DataTransfer} transfer */
const shownToPage = (event, transfer) => {
  const facts = { bubbles: true, cancelable: true, composed: true, clipboardData: transfer };
  const shown = new ClipboardEvent(event.type, facts);
  const text = transfer.getData("text/plain");
  // Firefox gives the event a transfer of its own.
  if (text && shown.clipboardData && shown.clipboardData !== transfer) shown.clipboardData.setData("text/plain", text);
  EventTarget.prototype.dispatchEvent.call(event.composedPath()[0], shown);
  return shown;
};

/** @param {ClipboardEvent} event */
const onCopy = (event) => {
  if (!event.isTrusted || !takeEvent(event)) return;
  const transfer = new DataTransfer();
  const shown = shownToPage(event, transfer);
  const handled = shown.defaultPrevented;
  const chosen = selectionInContext();
  const text = handled ? (shown.clipboardData ?? transfer).getData("text/plain") : String(getSelection());
  // What a page copies in place of the selection may be a part of it.
  if (text) tellCopied(text === chosen.text ? chosen : { before: chosen.text + "\n", text, after: "" });
  if (text && !handled && event.type === "cut") editCommand("delete");
};

/** @param {ClipboardEvent} event */
const onPaste = (event) => {
  if (!event.isTrusted || !takeEvent(event)) return;
  const transfer = new DataTransfer();
  if (clipboardText) transfer.setData("text/plain", clipboardText);
  wasPasteWithheld ||= isWithheld;
  const field = fieldOfEvent(event);
  if (!shownToPage(event, transfer).defaultPrevented && clipboardText) insertText(field, clipboardText);
  if (field && clipboardText && clipboardSecrets.length) holdSecrets(field, clipboardSecrets);
};

// A page may write to the clipboard by itself shortly after a press, as in a browser.
/** @param {CustomEvent} event */
const onClipboardWrite = (event) => {
  if (typeof event.detail !== "string" || !navigator.userActivation.isActive) return;
  tellCopied({ before: "", text: event.detail, after: "" });
  event.preventDefault();
};

// Called before every use, as document.open() removes all listeners.
export const listenForClipboard = () => {
  addEventListener("copy", onCopy, true);
  addEventListener("cut", onCopy, true);
  addEventListener("paste", onPaste, true);
  addEventListener(CLIPBOARD_WRITE, /** @type {any} */ (onClipboardWrite), true);
};

// Sets what a paste inserts. Answers whether a paste was withheld since the last call.
/** @param {string | null} text @param {import("./secret_fields.js").HeldSecret[]} secrets @param {boolean} withheld */
export const setClipboardText = (text, secrets = [], withheld = false) => {
  listenForClipboard();
  const wasWithheld = wasPasteWithheld;
  [clipboardText, clipboardSecrets, isWithheld, wasPasteWithheld] = [text, secrets, withheld, false];
  return wasWithheld;
};

// HTML drags that this script carries out, for browsers that start a drag by the mouse of the driver and send no events of
// it afterwards. The browser's own drag is cancelled, and the page sees events like it.

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

// Files of file inputs, and files dropped onto elements.

/** @param {string} base64 */
const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

export const clearFiles = withElement((element) => {
  if (!isTag(element, "input") || inputType(element) !== "file") {
    return { reason: "is no file input", hint: "Name the file input itself to take its files back.", never: true };
  }
  if (!element.files?.length) return {};
  setValue(element, "");
  tellDone(element, {});
  dispatchEvents(element, "input", "change");
  return {};
});

// Drops files from outside the browser onto an element.
export const dropFiles = withElement((element, files, texts) => {
  const transfer = new DataTransfer();
  for (const { name, type, data } of files) transfer.items.add(new File([bytesOf(data)], name, { type }));
  for (const [kind, text] of Object.entries(texts || {})) transfer.setData(kind, String(text));
  bringIntoView(element);
  const box = pressBoxOf(element);
  const facts = {
    bubbles: true,
    cancelable: true,
    composed: true,
    dataTransfer: transfer,
    clientX: box.left + box.width / 2,
    clientY: box.top + box.height / 2,
  };
  for (const kind of ["dragenter", "dragover", "drop"]) {
    if (kind === "drop") tellDone(element, {});
    element.dispatchEvent(new DragEvent(kind, facts));
  }
  return {};
});
