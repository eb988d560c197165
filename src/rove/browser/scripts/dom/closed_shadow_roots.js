// Elements that may have a closed shadow root, which only the driver can find out. Each question costs a round trip,
// so of elements that look alike only a few are asked about, and all of them once one was found to have one.

import { attr, hasAttr } from "./attributes.js";
import { clientHeightOf, firstChildOf, isConnected, localNameOf, parentNodeOf, queryAll } from "./natives.js";
import { adoptShadowRoot, shadowOf } from "./shadow_roots.js";

const ASKED_PER_KIND = 3;
const MAX_CANDIDATES = 100;

export const HOST_TAGS = new Set(
  "article aside blockquote div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
);

/** @type {Element[]} */
export let closedHosts = [];
let slottedInto = new Set();
let notedKinds = new Map();
const askedHosts = new WeakSet();
const askedKinds = new Map();
const hostKinds = new Set();

export const resetClosedHosts = () => {
  closedHosts = [];
  notedKinds = new Map();
  slottedInto = new Set();
  for (const child of queryAll(document, "[slot]")) slottedInto.add(parentNodeOf(child));
};

/** @param {Element} element */
const kindOfHost = (element) => {
  const tag = localNameOf(element);
  return tag.includes("-") ? tag : tag + "." + (attr(element, "class") || "");
};

/** @param {Element | null} element */
export const noteClosedHost = (element) => {
  if (!element || askedHosts.has(element) || shadowOf(element) || closedHosts.length >= MAX_CANDIDATES) return;
  const kind = kindOfHost(element);
  const noted = notedKinds.get(kind) || 0;
  if (!hostKinds.has(kind) && noted + (askedKinds.get(kind) || 0) >= ASKED_PER_KIND) return;
  notedKinds.set(kind, noted + 1);
  closedHosts.push(element);
};

// A custom element, an element whose children name a slot, or a box that has a size though neither its children nor its
// background explain it.
/** @param {Element} element @param {StyleRecord} facts */
export const isLikelyHost = (element, facts) => {
  if (facts.custom || slottedInto.has(element)) return true;
  if (firstChildOf(element) !== null) return false;
  if (facts.background[3] > 0 || facts.backgroundImage || hasAttr(element, "style")) return false;
  return clientHeightOf(element) > 0;
};

export const takeClosedHosts = () => {
  const found = closedHosts.filter((element) => isConnected(element) && !askedHosts.has(element));
  closedHosts = [];
  for (const element of found) {
    askedHosts.add(element);
    const kind = kindOfHost(element);
    askedKinds.set(kind, (askedKinds.get(kind) || 0) + 1);
  }
  return found;
};

/** @param {Element} host @param {ShadowRoot} root */
export const adoptShadow = (host, root) => {
  adoptShadowRoot(host, root);
  hostKinds.add(kindOfHost(host));
};
