// The tree of the document as it is rendered, with shadow trees, slots and the areas of image maps; references from one
// element to another, and the focus.

import { attr, FRAMES, hasAttr, isRendered } from "./elements.js";
import {
  activeElementOf,
  assignedNodesOf,
  checkVisibility,
  clientHeightOf,
  closestOf,
  firstChildOf,
  hostOf,
  isConnected,
  isElement,
  localNameOf,
  matchesSelector,
  nextSiblingOf,
  nodeTypeOf,
  openShadowOf,
  parentNodeOf,
  queryAll,
  reader,
  rectOf,
  rootNodeOf,
  slotOfElement,
  slotOfText,
} from "./natives.js";

// Shadow roots of elements, including closed ones that the driver has handed in.

// Scripts cannot see closed shadow roots; the driver finds them over the DevTools protocol and hands them in.
const adoptedShadows = new WeakMap();
let shadowsAreAdopted = false;
// False for as long as all elements are known to be in the document's own tree.
export let shadowsWereMet = false;

// The roots that were met, as neither observers nor lists of animations look into them by themselves.
/** @type {Set<ShadowRoot>} */
const metRoots = new Set();

/** @param {Element} element */
export const shadowOf = (element) => {
  const shadow = openShadowOf(element) || (shadowsAreAdopted && adoptedShadows.get(element)) || null;
  if (shadow !== null) {
    shadowsWereMet = true;
    metRoots.add(shadow);
  }
  return shadow;
};

export const noteShadow = () => {
  shadowsWereMet = true;
};

// The shadow roots of the document that a walk of it has met so far.
export const knownShadowRoots = () => {
  for (const root of metRoots) if (!isConnected(hostOf(root))) metRoots.delete(root);
  return metRoots;
};

// Elements that may have a closed shadow root, which only the driver can find out. Each question costs a round trip,
// so of elements that look alike only a few are asked about, and all of them once one was found to have one.

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
  adoptedShadows.set(host, root);
  shadowsAreAdopted = true;
  hostKinds.add(kindOfHost(host));
};

// References between elements: by id, by reflected elements, and by aria-owns.

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

// Image maps: areas of a picture that are links. An area has no box of its own; its picture has.

/** @param {Element} area */
export const pictureOf = (area) => {
  const map = closestOf(area, "map");
  const name = map && (attr(map, "name") || attr(map, "id"));
  if (!name) return null;
  for (const image of queryAll(rootNodeOf(area), "img[usemap]"))
    if (attr(image, "usemap") === "#" + name && isRendered(image)) return image;
  return null;
};

/** @param {Element} area @param {Element} image */
const isPressableArea = (area, image) => {
  if (!hasAttr(area, "href") && !hasAttr(area, "onclick")) return false;
  const box = areaBox(area, image);
  const picture = rectOf(image);
  const across = Math.min(box.right, picture.right) - Math.max(box.left, picture.left);
  const down = Math.min(box.bottom, picture.bottom) - Math.max(box.top, picture.top);
  return across > 2 && down > 2;
};

/** @param {Element} image */
export const areasOf = (image) => {
  const name = (attr(image, "usemap") || "").slice(1);
  const maps = name ? Array.from(queryAll(rootNodeOf(image), "map")) : [];
  const map = maps.find((one) => attr(one, "name") === name || attr(one, "id") === name);
  if (!map || pictureOf(map.firstElementChild || map) !== image) return [];
  return Array.from(queryAll(map, "area")).filter((area) => isPressableArea(area, image));
};

// The corners of an area's shape in the viewport; two opposite ones for a circle.
/** @param {Element} area @param {Element} image */
const cornersOf = (area, image) => {
  const box = rectOf(image);
  const style = getComputedStyle(image);
  const left = box.left + image.clientLeft + parseFloat(style.paddingLeft);
  const top = box.top + image.clientTop + parseFloat(style.paddingTop);
  const numbers = (attr(area, "coords") || "")
    .split(/[\s,;]+/)
    .map(Number)
    .filter(Number.isFinite);
  const shape = (attr(area, "shape") || "rect").toLowerCase();
  if (shape === "default" || numbers.length < 3)
    return [
      [box.left, box.top],
      [box.right, box.bottom],
    ];
  if (shape.startsWith("circ")) {
    const [x, y, radius] = numbers;
    return [
      [left + x - radius, top + y - radius],
      [left + x + radius, top + y + radius],
    ];
  }
  const corners = [];
  for (let i = 0; i + 1 < numbers.length; i += 2) corners.push([left + numbers[i], top + numbers[i + 1]]);
  return corners;
};

/** @param {Element} area @param {Element} image */
export const areaBox = (area, image) => {
  const corners = cornersOf(area, image);
  const across = corners.map(([x]) => x);
  const down = corners.map(([, y]) => y);
  const [left, top] = [Math.min(...across), Math.min(...down)];
  return new DOMRect(left, top, Math.max(...across) - left, Math.max(...down) - top);
};

// The area of a picture that a point lies in, where the browser's own hit testing finds only the picture.
/** @param {Element} image @param {number} x @param {number} y */
const areaAt = (image, x, y) =>
  (ENGINE_TRAITS.hitsAreas ? [] : areasOf(image)).find((area) => {
    const corners = cornersOf(area, image);
    const shape = (attr(area, "shape") || "rect").toLowerCase();
    if (shape.startsWith("circ")) {
      const [[left, top], [right]] = corners;
      const radius = (right - left) / 2;
      return Math.hypot(x - left - radius, y - top - radius) <= radius;
    }
    if (corners.length < 3) {
      const box = areaBox(area, image);
      return x >= box.left && x <= box.right && y >= box.top && y <= box.bottom;
    }
    // An odd number of edges to the right of a point means that it is inside.
    let isInside = false;
    corners.forEach(([x1, y1], index) => {
      const [x2, y2] = corners[(index + 1) % corners.length];
      if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) isInside = !isInside;
    });
    return isInside;
  });

// Points that lie inside most shapes: the centre of three neighbouring corners, as the middle of a shape may be outside
// it.
/** @param {Element} area @param {Element} image */
export const areaPoints = (area, image) => {
  const corners = cornersOf(area, image);
  return corners.map((corner, index) => {
    const three = [corner, corners[(index + 1) % corners.length], corners[(index + 2) % corners.length]];
    return [0, 1].map((axis) => three.reduce((sum, point) => sum + point[axis], 0) / 3);
  });
};

// The flattened tree: the document as it is rendered, with shadow trees and slots.

// The children in the flattened tree; null where they are the same as in the document.
/** @param {Element} element @returns {Node[] | null} */
export const flattenedChildren = (element) => {
  const children = shadowChildren(element);
  const adopted = elementsByOwner.size ? elementsByOwner.get(element) : undefined;
  return adopted ? (children || childListOf(element)).concat(adopted) : children;
};

/** @param {Element} element @returns {Node[] | null} */
export const shadowChildren = (element) => {
  const shadow = shadowOf(element);
  if (shadow) return childListOf(shadow);
  if (localNameOf(element) !== "slot" || !(element instanceof HTMLSlotElement)) return null;
  const assigned = assignedNodesOf(element);
  return assigned.length ? assigned : null;
};

/** @param {Node} node @returns {Node[]} */
export const childListOf = (node) => {
  const list = [];
  for (let child = firstChildOf(node); child; child = nextSiblingOf(child)) list.push(child);
  return list;
};

// What an element shows as its children: those of its shadow tree, and what is slotted in place of each slot.
/** @param {Element} element @returns {Node[]} */
export const shownChildren = (element) =>
  (shadowChildren(element) || childListOf(element)).flatMap((child) =>
    isElement(child) && localNameOf(child) === "slot" ? shownChildren(child) : [child],
  );

// The nodes inside an element, also those that are slotted or in shadow trees; at most about `limit` of them.
/** @param {Element} element @param {number} limit @param {Node[]} [found] */
export const shownNodesIn = (element, limit, found = []) => {
  for (const child of shownChildren(element)) {
    if (found.length > limit) break;
    found.push(child);
    if (isElement(child)) shownNodesIn(child, limit, found);
  }
  return found;
};

/** @param {Node} node @returns {Element | null} */
export const flattenedParent = (node) => {
  const parent = parentNodeOf(node);
  if (!parent) return null;
  const type = nodeTypeOf(parent);
  if (type === 11) {
    noteShadow();
    return parent instanceof ShadowRoot ? hostOf(parent) : null;
  }
  if (type !== 1) return null;
  // Only children of a shadow host have another parent in the flattened tree.
  if (!shadowOf(parent)) return parent;
  return (isElement(node) ? slotOfElement(node) : slotOfText(/** @type {Text} */ (node))) || parent;
};

/** @param {Node} element @returns {Element | null} */
export const parentElementOf = (element) => {
  const parent = flattenedParent(element);
  return parent && isElement(parent) ? parent : null;
};

// The parent in the accessibility tree: the element that owns it, else its parent.
/** @param {Element} element */
export const ownerOrParentOf = (element) =>
  (ownersByElement.size !== 0 && ownersByElement.get(element)) || parentElementOf(element);

const MAX_PATH = 400;

/** @param {Node} node @returns {any[]} */
export const pathOf = (node) => {
  const path = [];
  for (let step = /** @type {Node | null} */ (node); step && path.length < MAX_PATH; step = flattenedParent(step))
    path.push(step);
  return path.reverse();
};

// More than Chromium nests when it parses; only scripts make deeper trees.
export const MAX_NESTING = 600;

export const allRoots = () => {
  const roots = [document];
  for (let i = 0; i < roots.length && i < 2000; i++) {
    for (const element of queryAll(roots[i], "*")) {
      const shadow = shadowOf(element);
      if (shadow) roots.push(shadow);
    }
  }
  return roots;
};

export const everyElement = function* () {
  for (const root of allRoots()) yield* queryAll(root, "*");
};

/** @param {Node | null} node @param {Element} ancestor */
export const isWithin = (node, ancestor) => {
  for (let current = /** @type {Node | null} */ (node); current; current = flattenedParent(current))
    if (current === ancestor) return true;
  return false;
};

// The element that a press at a point would hit, also inside shadow trees.
/** @param {number} x @param {number} y */
export const deepestAt = (x, y) => {
  let hit = document.elementFromPoint(x, y);
  while (hit) {
    const shadow = shadowOf(hit);
    const inner = shadow && shadow.elementFromPoint(x, y);
    if (!inner || inner === hit) return hit.matches("img[usemap]") ? areaAt(hit, x, y) || hit : hit;
    hit = inner;
  }
  return hit;
};

// The focused element, also inside shadow trees.

export const deepActiveElement = () => {
  let active = activeElementOf(document);
  while (active) {
    const shadow = shadowOf(active);
    const inner = shadow && shadow.activeElement;
    if (!inner) return active;
    active = inner;
  }
  return null;
};

/** @type {Element | null} */
export let activeElement = null;

export const findActiveElement = () => {
  activeElement = deepActiveElement();
};

// A page is treated as focused whichever window is, also where the browser knows only one active window. Of a frame, the
// browser alone tells whether the page has the focus in it.
const canHaveFocus = () => window === window.top || Document.prototype.hasFocus.call(document);

// The focused element, if it is in this document and not in a frame of it.
export const focusHere = () => {
  const element = canHaveFocus() ? deepActiveElement() : null;
  return element && !matchesSelector(element, FRAMES) ? element : null;
};
