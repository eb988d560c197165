// Copying and pasting within one session. The browser has one clipboard for all sessions, and a browser with a
// window shares the person's own: so each copy, cut and paste is taken out of its hands. The page sees an event like
// the one it would have seen; what it copies goes to the driver, and what it gets is what the driver has lent.

const MOST_COPIED = 1_000_000;
let lentText = null;

const runCommand = (...command) => Document.prototype.execCommand.call(document, ...command);

// False for what would be carried into a password field, or out of one: that ends here.
const takeOver = (event) => {
  inspectCarrying(event);
  const isFree = !event.defaultPrevented;
  event.stopImmediatePropagation();
  event.preventDefault();
  return isFree;
};

// True if the page has dealt with it, in which case the browser would do no more.
const handledByPage = (event, transfer) => {
  const facts = { bubbles: true, cancelable: true, composed: true, clipboardData: transfer };
  const shown = new ClipboardEvent(event.type, facts);
  EventTarget.prototype.dispatchEvent.call(event.composedPath()[0], shown);
  return shown.defaultPrevented;
};

const onCopy = (event) => {
  if (!event.isTrusted || !takeOver(event)) return;
  const transfer = new DataTransfer();
  const handled = handledByPage(event, transfer);
  const text = handled ? transfer.getData("text/plain") : getSelection().toString();
  if (text) globalThis.roveCopied?.(text.slice(0, MOST_COPIED));
  if (text && !handled && event.type === "cut") runCommand("delete");
};

const onPaste = (event) => {
  if (!event.isTrusted || !takeOver(event)) return;
  const transfer = new DataTransfer();
  if (lentText) transfer.setData("text/plain", lentText);
  if (!handledByPage(event, transfer) && lentText) insertText(fieldIn(event), lentText);
};

// A page that copies by itself: within moments of a press, as a browser allows it.
const onWrite = (event) => {
  if (typeof event.detail !== "string" || !navigator.userActivation.isActive) return;
  globalThis.roveCopied?.(event.detail.slice(0, MOST_COPIED));
  event.preventDefault();
};

// Again before every use: a page that opens its document anew loses all listeners, ours too.
const watchClipboard = () => {
  addEventListener("copy", onCopy, true);
  addEventListener("cut", onCopy, true);
  addEventListener("paste", onPaste, true);
  addEventListener("clipboardwrite", onWrite, true);
};

const lendClipboard = (text) => {
  watchClipboard();
  lentText = text;
};

watchClipboard();
Object.assign(globalThis.rove, { lendClipboard });
