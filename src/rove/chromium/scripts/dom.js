// DOM primitives that a page cannot bend. Forms and documents let named children shadow any property
// (<form><input name="parentNode">), so every read goes through the prototype's own getter.

const getterOf = (prototype, property) => Object.getOwnPropertyDescriptor(prototype, property).get;

// The hot ones are written out one by one: a shared closure would be slow for all of them.
const firstChildOfGetter = getterOf(Node.prototype, "firstChild");
const firstChildOf = (node) => firstChildOfGetter.call(node);
const nextSiblingOfGetter = getterOf(Node.prototype, "nextSibling");
const nextSiblingOf = (node) => nextSiblingOfGetter.call(node);
const parentNodeOfGetter = getterOf(Node.prototype, "parentNode");
const parentNodeOf = (node) => parentNodeOfGetter.call(node);
const nodeTypeOfGetter = getterOf(Node.prototype, "nodeType");
const nodeTypeOf = (node) => nodeTypeOfGetter.call(node);
const textDataOfGetter = getterOf(CharacterData.prototype, "data");
const textDataOf = (node) => textDataOfGetter.call(node);
const localNameOfGetter = getterOf(Element.prototype, "localName");
const localNameOf = (element) => localNameOfGetter.call(element);
const namespaceOfGetter = getterOf(Element.prototype, "namespaceURI");
const namespaceOf = (element) => namespaceOfGetter.call(element);
const openShadowOfGetter = getterOf(Element.prototype, "shadowRoot");
const openShadowOf = (element) => openShadowOfGetter.call(element);
const childCountOfGetter = getterOf(Element.prototype, "childElementCount");
const childCountOf = (element) => childCountOfGetter.call(element);
const firstElementOfGetter = getterOf(Element.prototype, "firstElementChild");
const firstElementOf = (element) => firstElementOfGetter.call(element);
const nextElementOfGetter = getterOf(Element.prototype, "nextElementSibling");
const nextElementOf = (element) => nextElementOfGetter.call(element);

const reader = (prototype, property) => {
  const get = getterOf(prototype, property);
  return (object) => get.call(object);
};
const isConnected = reader(Node.prototype, "isConnected");
const textContentOf = reader(Node.prototype, "textContent");
const childrenOf = reader(Element.prototype, "children");
const scrollWidthOf = reader(Element.prototype, "scrollWidth");
const scrollHeightOf = reader(Element.prototype, "scrollHeight");
const clientWidthOf = reader(Element.prototype, "clientWidth");
const clientHeightOf = reader(Element.prototype, "clientHeight");
const bodyOf = reader(Document.prototype, "body");
const rootElementOf = reader(Document.prototype, "documentElement");
const titleOf = reader(Document.prototype, "title");
const innerTextOf = reader(HTMLElement.prototype, "innerText");

// What elements say of themselves without attributes (semantics.js): mostly there are none.
let semantics = new Map();
let anySemantics = false;
const saidOf = (element, name) => semantics.get(element)?.get(name) ?? null;

const nativeGetAttribute = Element.prototype.getAttribute;
const attr = (element, name) => {
  const value = nativeGetAttribute.call(element, name);
  return value !== null || !anySemantics ? value : saidOf(element, name);
};
// Of a word out of a list, in which capitals count for nothing.
const token = (element, name) => {
  const value = attr(element, name);
  return value === null ? null : value.toLowerCase();
};
const nativeHasAttribute = Element.prototype.hasAttribute;
const hasAttr = (element, name) =>
  nativeHasAttribute.call(element, name) || (anySemantics && saidOf(element, name) !== null);
const nativeHasAttributes = Element.prototype.hasAttributes;
const hasAnyAttribute = (element) =>
  nativeHasAttributes.call(element) || (anySemantics && semantics.has(element));
const nativeAttributeNames = Element.prototype.getAttributeNames;
const attributeNames = (element) => nativeAttributeNames.call(element);
const nativeMatches = Element.prototype.matches;
const matchesSelector = (element, selector) => nativeMatches.call(element, selector);
const nativeClosest = Element.prototype.closest;
const closestOf = (element, selector) => nativeClosest.call(element, selector);
const nativeRect = Element.prototype.getBoundingClientRect;
const rectOf = (element) => nativeRect.call(element);
const nativeCheckVisibility = Element.prototype.checkVisibility;
const checkVisibility = (element, options) => nativeCheckVisibility.call(element, options);
const nativeRootNode = Node.prototype.getRootNode;
const rootNodeOf = (node) => nativeRootNode.call(node);
const nativeContains = Node.prototype.contains;
const containsNode = (node, other) => nativeContains.call(node, other);
const nativePosition = Node.prototype.compareDocumentPosition;
const comesBefore = (a, b) => (nativePosition.call(a, b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
const nativeAssigned = HTMLSlotElement.prototype.assignedNodes;
const assignedNodesOf = (slot) => nativeAssigned.call(slot);

const searcherOf = (root) =>
  (nodeTypeOf(root) === 9 ? Document : nodeTypeOf(root) === 11 ? DocumentFragment : Element).prototype;
const queryAll = (root, selector) => searcherOf(root).querySelectorAll.call(root, selector);
const queryOne = (root, selector) => searcherOf(root).querySelector.call(root, selector);

const HTML = "http://www.w3.org/1999/xhtml";
const SVG = "http://www.w3.org/2000/svg";
const MATHML = "http://www.w3.org/1998/Math/MathML";
const isHtml = (element) => namespaceOf(element) === HTML;
const isTag = (element, name) => localNameOf(element) === name && isHtml(element);

const isElement = (node) => nodeTypeOf(node) === 1;
const isText = (node) => nodeTypeOf(node) === 3;

// Closed roots cannot be seen from here; the driver finds them over CDP and hands them in.
const adoptedShadows = new WeakMap();
let shadowsAreAdopted = false;
// Once a shadow tree was met, an element may be in one: until then, all are in the document.
let shadowsWereMet = false;
const shadowOf = (element) => {
  const shadow = openShadowOf(element) || (shadowsAreAdopted && adoptedShadows.get(element)) || null;
  if (shadow !== null) shadowsWereMet = true;
  return shadow;
};

const elementById = (scope, id) => {
  if (!id) return null;
  const root = rootNodeOf(scope);
  const kind = nodeTypeOf(root) === 9 ? Document : DocumentFragment;
  return nodeTypeOf(root) === 1 ? null : kind.prototype.getElementById.call(root, id);
};

// A script may point at elements instead of naming their ids; the attribute is then there and empty. Not every browser
// has that.
const pointer = (property) => (property in Element.prototype ? reader(Element.prototype, property) : () => null);
const POINTED = {
  "aria-labelledby": pointer("ariaLabelledByElements"),
  "aria-describedby": pointer("ariaDescribedByElements"),
  "aria-owns": pointer("ariaOwnsElements"),
};

const idrefs = (element, name) => {
  const value = attr(element, name);
  if (!value) return (value === "" && POINTED[name](element)) || [];
  const found = [];
  for (const id of value.split(/\s+/)) {
    const target = id && elementById(element, id);
    if (target) found.push(target);
  }
  return found;
};

// Elements re-parented by aria-owns, each with its new parent: found natively once per pass, then a lookup each.
let owned = new Map();
let owners = new Map();
// Nobody can own what holds them, be it through others that are owned.
const holds = (target, owner) => {
  for (let node = owner; node; node = owned.get(node) || parentNodeOf(node)) if (node === target) return true;
  return false;
};
const collectOwned = (root) => {
  owned = new Map();
  owners = new Map();
  for (const owner of queryAll(root, "[aria-owns]")) {
    const targets = idrefs(owner, "aria-owns").filter((target) => !owned.has(target) && !holds(target, owner));
    for (const target of targets) owned.set(target, owner);
    if (targets.length) owners.set(owner, targets);
  }
};

// First child in the flattened tree as a list only where the flattening differs from the light tree.
const flattenedChildren = (element) => {
  const children = shadowChildren(element);
  const adopted = owners.size ? owners.get(element) : undefined;
  return adopted ? (children || childListOf(element)).concat(adopted) : children;
};

const shadowChildren = (element) => {
  const shadow = shadowOf(element);
  if (shadow) return childListOf(shadow);
  if (localNameOf(element) !== "slot" || !(element instanceof HTMLSlotElement)) return null;
  const assigned = assignedNodesOf(element);
  return assigned.length ? assigned : null;
};

const childListOf = (node) => {
  const list = [];
  for (let child = firstChildOf(node); child; child = nextSiblingOf(child)) list.push(child);
  return list;
};

const slotOfElement = reader(Element.prototype, "assignedSlot");
const slotOfText = reader(Text.prototype, "assignedSlot");
const hostOf = reader(ShadowRoot.prototype, "host");

const flattenedParent = (node) => {
  const parent = parentNodeOf(node);
  if (!parent) return null;
  const type = nodeTypeOf(parent);
  if (type === 11) {
    shadowsWereMet = true;
    return parent instanceof ShadowRoot ? hostOf(parent) : null;
  }
  if (type !== 1) return null;
  // Only the child of a shadow host can be somewhere else in the flattened tree.
  if (!shadowOf(parent)) return parent;
  return (isElement(node) ? slotOfElement(node) : slotOfText(node)) || parent;
};
