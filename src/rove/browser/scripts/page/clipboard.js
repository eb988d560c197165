// Copying and pasting within one session. The browser has one clipboard for all sessions, and a browser with a window
// shares the person's own, so each copy, cut and paste is handled here. The page sees an event like the browser's; what it
// copies goes to the driver, and what it pastes is the text that the driver has set.

import { editCommand, insertText } from "../acting/fields.js";
import { fieldOfEvent, inspectTransfer } from "../acting/typing.js";
import { CLIPBOARD_WRITE } from "../main_world/event_names.js";
import { tellDriver } from "./reports.js";

const MAX_COPIED = 1_000_000;
/** @type {string | null} */
let clipboardText = null;

// Takes the event from the browser. False where it would move text into or out of a password field.
/** @param {Event} event */
const takeEvent = (event) => {
  inspectTransfer(event);
  const isFree = !event.defaultPrevented;
  event.stopImmediatePropagation();
  event.preventDefault();
  return isFree;
};

// True if the page has handled the event, in which case the browser would do nothing more.
/** @param {Event} event @param {DataTransfer} transfer */
const handledByPage = (event, transfer) => {
  const facts = { bubbles: true, cancelable: true, composed: true, clipboardData: transfer };
  const shown = new ClipboardEvent(event.type, facts);
  EventTarget.prototype.dispatchEvent.call(event.composedPath()[0], shown);
  return shown.defaultPrevented;
};

/** @param {ClipboardEvent} event */
const onCopy = (event) => {
  if (!event.isTrusted || !takeEvent(event)) return;
  const transfer = new DataTransfer();
  const handled = handledByPage(event, transfer);
  const text = handled ? transfer.getData("text/plain") : String(getSelection());
  if (text) tellDriver("roveCopied", text.slice(0, MAX_COPIED));
  if (text && !handled && event.type === "cut") editCommand("delete");
};

/** @param {ClipboardEvent} event */
const onPaste = (event) => {
  if (!event.isTrusted || !takeEvent(event)) return;
  const transfer = new DataTransfer();
  if (clipboardText) transfer.setData("text/plain", clipboardText);
  if (!handledByPage(event, transfer) && clipboardText) insertText(fieldOfEvent(event), clipboardText);
};

// A page may write to the clipboard by itself shortly after a press, as in a browser.
/** @param {CustomEvent} event */
const onClipboardWrite = (event) => {
  if (typeof event.detail !== "string" || !navigator.userActivation.isActive) return;
  tellDriver("roveCopied", event.detail.slice(0, MAX_COPIED));
  event.preventDefault();
};

// Called before every use, as document.open() removes all listeners.
export const listenForClipboard = () => {
  addEventListener("copy", onCopy, true);
  addEventListener("cut", onCopy, true);
  addEventListener("paste", onPaste, true);
  addEventListener(CLIPBOARD_WRITE, /** @type {any} */ (onClipboardWrite), true);
};

/** @param {string} text */
export const setClipboardText = (text) => {
  listenForClipboard();
  clipboardText = text;
};
