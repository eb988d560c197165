// The entry of the script that runs in the page's main world, ahead of the page's own scripts.

import { CLIPBOARD_WRITE, INTERNALS_ANSWER, INTERNALS_QUESTION } from "./main_world/event_names.js";
import {
  callNative,
  NativeCustomEvent,
  NativePromise,
  nativeApply,
  nativeDispatch,
  nativeListen,
  nativeStringify,
} from "./main_world/natives.js";
import { recordScheduledWork } from "./main_world/scheduled_work.js";

// Refuses passkeys. They need a person's finger, and a browser without a person would wait for it for good. The page gets
// the error of a person who declines; to the page the functions look like the browser's own.

const nativeReject = Promise.reject;
const NativeDOMException = DOMException;

/** @param {"create" | "get"} name */
const refusePasskeysIn = (name) => {
  const native = globalThis.CredentialsContainer?.prototype[name];
  if (!native) return;
  CredentialsContainer.prototype[name] = new Proxy(native, {
    apply(target, self, given) {
      if (!given[0]?.publicKey) return callNative(target, self, given);
      const refusal = new NativeDOMException("The operation either timed out or was not allowed.", "NotAllowedError");
      return nativeApply(nativeReject, NativePromise, [refusal]);
    },
  });
};

// Takes text that a page copies by itself after a press to the session's clipboard (acting/data_transfer.js), as the
// browser's own clipboard is shared by all sessions. To the page the function looks like the browser's own.

const nativeResolve = Promise.resolve;

const takeClipboardWrites = () => {
  const native = globalThis.Clipboard?.prototype.writeText;
  if (!native) return;
  Clipboard.prototype.writeText = new Proxy(native, {
    apply(target, self, given) {
      if (self !== navigator.clipboard || !given.length) return callNative(target, self, given);
      const write = new NativeCustomEvent(CLIPBOARD_WRITE, { detail: `${given[0]}`, cancelable: true });
      // Where the isolated world does not take the text, the browser refuses in its own words.
      const isTaken = !nativeApply(nativeDispatch, document, [write]);
      return isTaken ? nativeApply(nativeResolve, NativePromise, []) : callNative(target, self, given);
    },
  });
};

// Remembers the ElementInternals of custom elements. The role and states that an element gives itself there are known only
// to the script that called attachInternals; they are reported to the isolated world when it asks (dom/elements.js).
// `attachShadow` is left alone: pages that test for tampering look at it first.

/** @type {Record<string, string>} */
const ATTRIBUTES = {
  __proto__: /** @type {any} */ (null),
  role: "role",
  ariaBusy: "aria-busy",
  ariaChecked: "aria-checked",
  ariaCurrent: "aria-current",
  ariaDescription: "aria-description",
  ariaDisabled: "aria-disabled",
  ariaExpanded: "aria-expanded",
  ariaHasPopup: "aria-haspopup",
  ariaHidden: "aria-hidden",
  ariaInvalid: "aria-invalid",
  ariaLabel: "aria-label",
  ariaLevel: "aria-level",
  ariaPlaceholder: "aria-placeholder",
  ariaPressed: "aria-pressed",
  ariaReadOnly: "aria-readonly",
  ariaRequired: "aria-required",
  ariaRoleDescription: "aria-roledescription",
  ariaSelected: "aria-selected",
  ariaSort: "aria-sort",
  ariaValueNow: "aria-valuenow",
  ariaValueText: "aria-valuetext",
};
const MAX_REPORTED = 2000;
const MAX_ASKED = 10000;

const NativeWeakRef = WeakRef;
const nativeDeref = WeakRef.prototype.deref;
const weakMap = WeakMap.prototype;
const nativeGet = weakMap.get;
const nativeSet = weakMap.set;
const nativeHas = weakMap.has;
/** @param {object} prototype @param {string} name @returns {any} */
const nativeGetter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name)?.get;
const nativeLocalName = nativeGetter(Element.prototype, "localName");
const nativeIsConnected = nativeGetter(Node.prototype, "isConnected");

const internalsByElement = new WeakMap();
/** @type {WeakRef<HTMLElement>[]} */
const elementRefs = [];
// Pairs of a getter of ElementInternals and the attribute that says the same.
/** @type {[getter: () => any, attribute: string][]} */
const readers = [];

const findReaders = () => {
  for (const name in ATTRIBUTES) {
    const read = nativeGetter(ElementInternals.prototype, name);
    // By index, as a page may have replaced Array.prototype.push when this runs.
    if (read) readers[readers.length] = [read, ATTRIBUTES[name]];
  }
};

/** @param {HTMLElement} element @param {ElementInternals} internals */
const remember = (element, internals) => {
  if (!nativeApply(nativeHas, internalsByElement, [element]))
    elementRefs[elementRefs.length] = new NativeWeakRef(element);
  nativeApply(nativeSet, internalsByElement, [element, internals]);
};

/** @param {ElementInternals} internals */
const attributesOf = (internals) => {
  /** @type {Record<string, string>} */
  const attributes = { __proto__: /** @type {any} */ (null) };
  let isEmpty = true;
  for (let i = 0; i < readers.length; i++) {
    const value = nativeApply(readers[i][0], internals, []);
    if (value === null) continue;
    attributes[readers[i][1]] = value;
    isEmpty = false;
  }
  return isEmpty ? null : attributes;
};

// True if there was something to report.
/** @param {HTMLElement} element */
const report = (element) => {
  const attributes = attributesOf(nativeApply(nativeGet, internalsByElement, [element]));
  if (attributes === null) return false;
  attributes.tag = nativeApply(nativeLocalName, element, []);
  const answer = new NativeCustomEvent(INTERNALS_ANSWER, { detail: nativeStringify(attributes), composed: true });
  nativeApply(nativeDispatch, element, [answer]);
  return true;
};

// Nothing of the page runs in between, or knows the names of these events.
const onQuestion = () => {
  let living = 0;
  let left = MAX_REPORTED;
  for (let i = 0; i < elementRefs.length; i++) {
    const element = nativeApply(nativeDeref, elementRefs[i], []);
    if (!element) continue;
    elementRefs[living++] = elementRefs[i];
    if (left > 0 && living < MAX_ASKED && nativeApply(nativeIsConnected, element, []) && report(element)) left--;
  }
  elementRefs.length = living;
};

const reportElementInternals = () => {
  const native = globalThis.HTMLElement?.prototype.attachInternals;
  if (!native) return;
  findReaders();
  HTMLElement.prototype.attachInternals = new Proxy(native, {
    apply(target, self, given) {
      const internals = callNative(target, self, given);
      remember(self, internals);
      return internals;
    },
  });
  nativeApply(nativeListen, globalThis, [INTERNALS_QUESTION, onQuestion, true]);
};

refusePasskeysIn("create");
refusePasskeysIn("get");
takeClipboardWrites();
reportElementInternals();
recordScheduledWork();
