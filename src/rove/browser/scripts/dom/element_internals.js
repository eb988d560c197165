// Semantics that custom elements give themselves through ElementInternals, collected from the script in the page's main
// world. They count like attributes where the attribute is not set: a page could set the attribute as well.

import { INTERNALS_ANSWER, INTERNALS_QUESTION } from "../main_world/event_names.js";
import { setInternals } from "./attributes.js";
import { localNameOf } from "./natives.js";
import { clip } from "./text.js";

const MAX_INTERNALS = 2000;
const SEMANTIC_ATTRIBUTE = /^(?:role|aria-[a-z]+)$/;

let received = new Map();

/** @param {CustomEvent} event */
const receiveInternals = (event) => {
  const host = event.composedPath()[0];
  if (received.size >= MAX_INTERNALS || typeof event.detail !== "string" || !(host instanceof Element)) return;
  const { tag, ...values } = JSON.parse(event.detail);
  // An event from inside a closed shadow tree seems to come from its host.
  if (tag !== localNameOf(host)) return;
  const kept = new Map();
  for (const [name, value] of Object.entries(values))
    if (SEMANTIC_ATTRIBUTE.test(name) && typeof value === "string") kept.set(name, clip(value, 1000));
  if (kept.size) received.set(host, kept);
};

// Answers arrive synchronously while the question is dispatched.
export const collectInternals = () => {
  received = new Map();
  globalThis.addEventListener(INTERNALS_ANSWER, /** @type {any} */ (receiveInternals), true);
  globalThis.dispatchEvent(new CustomEvent(INTERNALS_QUESTION));
  globalThis.removeEventListener(INTERNALS_ANSWER, /** @type {any} */ (receiveInternals), true);
  setInternals(received);
};
