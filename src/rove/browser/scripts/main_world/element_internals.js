// Remembers the ElementInternals of custom elements. The role and states that an element gives itself there are known only
// to the script that called attachInternals; they are reported to the isolated world when it asks
// (dom/element_internals.js). `attachShadow` is left alone: pages that test for tampering look at it first.

import { INTERNALS_ANSWER, INTERNALS_QUESTION } from "./event_names.js";
import {
  callNative,
  NativeCustomEvent,
  nativeApply,
  nativeDispatch,
  nativeListen,
  nativeStringify,
} from "./natives.js";

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

export const reportElementInternals = () => {
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
