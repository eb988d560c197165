// Copying and pasting within one session. The browser has one clipboard for all sessions, and a browser with a window
// shares the person's own, so each copy, cut and paste is handled here. The page sees an event like the browser's; what it
// copies goes to the driver, and what it pastes is the text that the driver has set.

import { editCommand, insertText } from "../acting/fields.js";
import { fieldOfEvent, inspectTransfer } from "../acting/typing.js";
import { CLIPBOARD_WRITE } from "../main_world/event_names.js";
import { holdSecrets } from "../secrets/secret_fields.js";
import { selectionInContext } from "../secrets/selection.js";
import { tellDriver } from "./reports.js";

const MAX_COPIED = 1_000_000;
/** @type {string | null} */
let clipboardText = null;
// The secrets in that text, which are bound to the origin of this document.
/** @type {import("../secrets/secret_fields.js").HeldSecret[]} */
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
/** @param {string | null} text @param {import("../secrets/secret_fields.js").HeldSecret[]} secrets @param {boolean} withheld */
export const setClipboardText = (text, secrets = [], withheld = false) => {
  listenForClipboard();
  const wasWithheld = wasPasteWithheld;
  [clipboardText, clipboardSecrets, isWithheld, wasPasteWithheld] = [text, secrets, withheld, false];
  return wasWithheld;
};
