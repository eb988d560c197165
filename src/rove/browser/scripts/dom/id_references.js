// References between elements: by id, by reflected elements, and by aria-owns.

import { attr } from "./attributes.js";
import {
  checkVisibility,
  closestOf,
  matchesSelector,
  nodeTypeOf,
  parentNodeOf,
  queryAll,
  reader,
  rootNodeOf,
} from "./natives.js";

/** @param {Node} scope @param {string} id */
export const elementById = (scope, id) => {
  if (!id) return null;
  const root = rootNodeOf(scope);
  const kind = nodeTypeOf(root) === 9 ? Document : DocumentFragment;
  return nodeTypeOf(root) === 1 ? null : kind.prototype.getElementById.call(root, id);
};

// A script can set the referenced elements themselves; the attribute is then present and empty. Not all browsers
// support that.
/** @param {string} property */
const elementReflection = (property) =>
  property in Element.prototype ? reader(/** @type {any} */ (Element.prototype), property) : () => null;

/** @type {Record<string, (element: Element) => Element[] | null>} */
const REFLECTED_ELEMENTS = {
  "aria-labelledby": elementReflection("ariaLabelledByElements"),
  "aria-describedby": elementReflection("ariaDescribedByElements"),
  "aria-owns": elementReflection("ariaOwnsElements"),
};

/** @param {Element} element @param {string} name @returns {Element[]} */
export const idrefs = (element, name) => {
  const value = attr(element, name);
  if (!value) return (value === "" && REFLECTED_ELEMENTS[name](element)) || [];
  const found = [];
  for (const id of value.split(/\s+/)) {
    const target = id && elementById(element, id);
    if (target) found.push(target);
  }
  return found;
};

// Elements that aria-owns gives another parent, with that parent, and the reverse. Found once per pass, then looked up.
/** @type {Map<Element, Element>} */
export let ownersByElement = new Map();
/** @type {Map<Element, Element[]>} */
export let elementsByOwner = new Map();

// An element cannot own its own ancestor, directly or through other owned elements.
/** @param {Element} target @param {Element} owner */
const containsOrOwns = (target, owner) => {
  for (let node = owner; node; node = ownersByElement.get(node) || parentNodeOf(node)) if (node === target) return true;
  return false;
};

// The content of these is not shown.
const WITHOUT_CONTENT =
  "img,input,select,textarea,iframe,frame,video,audio,canvas,object,embed,br,wbr,hr,meter,progress,area";

// An element that is not shown, or hidden from the accessibility tree, would take what it owns away with it.
/** @param {Element} owner */
const mayOwn = (owner) =>
  !matchesSelector(owner, WITHOUT_CONTENT) &&
  closestOf(owner, '[aria-hidden="true" i]') === null &&
  checkVisibility(owner, { contentVisibilityAuto: false });

/** @param {Document} root */
export const collectAriaOwns = (root) => {
  ownersByElement = new Map();
  elementsByOwner = new Map();
  for (const owner of queryAll(root, "[aria-owns]")) {
    if (!mayOwn(owner)) continue;
    const targets = idrefs(owner, "aria-owns").filter(
      (target) => !ownersByElement.has(target) && !containsOrOwns(target, owner) && checkVisibility(target),
    );
    for (const target of targets) ownersByElement.set(target, owner);
    if (targets.length) elementsByOwner.set(owner, targets);
  }
};
