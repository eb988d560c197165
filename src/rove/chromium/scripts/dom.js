// DOM primitives that a page cannot bend. Forms and documents let named children shadow any property
// (<form><input name="parentNode">), so every read goes through the prototype's own getter.

const reader = (prototype, property) => {
  const get = Object.getOwnPropertyDescriptor(prototype, property).get;
  return (object) => get.call(object);
};
const method = (prototype, property) => {
  const call = prototype[property];
  return (object, ...rest) => call.apply(object, rest);
};

const firstChildOf = reader(Node.prototype, "firstChild");
const nextSiblingOf = reader(Node.prototype, "nextSibling");
const parentNodeOf = reader(Node.prototype, "parentNode");
const nodeTypeOf = reader(Node.prototype, "nodeType");
const isConnected = reader(Node.prototype, "isConnected");
const ownerDocumentOf = reader(Node.prototype, "ownerDocument");
const textContentOf = reader(Node.prototype, "textContent");
const textDataOf = reader(CharacterData.prototype, "data");
const localNameOf = reader(Element.prototype, "localName");
const namespaceOf = reader(Element.prototype, "namespaceURI");
const openShadowOf = reader(Element.prototype, "shadowRoot");
const childCountOf = reader(Element.prototype, "childElementCount");
const firstElementOf = reader(Element.prototype, "firstElementChild");
const lastElementOf = reader(Element.prototype, "lastElementChild");
const nextElementOf = reader(Element.prototype, "nextElementSibling");
const previousElementOf = reader(Element.prototype, "previousElementSibling");
const scrollWidthOf = reader(Element.prototype, "scrollWidth");
const scrollHeightOf = reader(Element.prototype, "scrollHeight");
const clientWidthOf = reader(Element.prototype, "clientWidth");
const clientHeightOf = reader(Element.prototype, "clientHeight");
const bodyOf = reader(Document.prototype, "body");
const rootElementOf = reader(Document.prototype, "documentElement");
const titleOf = reader(Document.prototype, "title");
const isContentEditable = reader(HTMLElement.prototype, "isContentEditable");
const tabIndexOf = reader(HTMLElement.prototype, "tabIndex");

const nativeGetAttribute = Element.prototype.getAttribute;
const attr = (element, name) => nativeGetAttribute.call(element, name);
const nativeHasAttribute = Element.prototype.hasAttribute;
const hasAttr = (element, name) => nativeHasAttribute.call(element, name);
const hasAnyAttribute = method(Element.prototype, "hasAttributes");
const matchesSelector = method(Element.prototype, "matches");
const closestOf = method(Element.prototype, "closest");
const rectOf = method(Element.prototype, "getBoundingClientRect");
const checkVisibility = method(Element.prototype, "checkVisibility");
const queryAll = (root, selector) =>
  (nodeTypeOf(root) === 9 ? Document : nodeTypeOf(root) === 11 ? DocumentFragment : Element)
    .prototype.querySelectorAll.call(root, selector);
const queryOne = (root, selector) =>
  (nodeTypeOf(root) === 9 ? Document : nodeTypeOf(root) === 11 ? DocumentFragment : Element)
    .prototype.querySelector.call(root, selector);
const rootNodeOf = method(Node.prototype, "getRootNode");
const comesBefore = (a, b) => (Node.prototype.compareDocumentPosition.call(a, b) & 4) !== 0;
const containsNode = method(Node.prototype, "contains");
const assignedNodesOf = method(HTMLSlotElement.prototype, "assignedNodes");

const HTML = "http://www.w3.org/1999/xhtml";
const SVG = "http://www.w3.org/2000/svg";
const MATHML = "http://www.w3.org/1998/Math/MathML";
const isHtml = (element) => namespaceOf(element) === HTML;
const isTag = (element, name) => localNameOf(element) === name && isHtml(element);

const isElement = (node) => nodeTypeOf(node) === 1;
const isText = (node) => nodeTypeOf(node) === 3;

// Closed roots cannot be seen from here; the driver finds them over CDP and hands them in.
const adoptedShadows = new WeakMap();
const shadowOf = (element) => openShadowOf(element) || adoptedShadows.get(element) || null;

const elementById = (scope, id) => {
  if (!id) return null;
  const root = rootNodeOf(scope);
  const kind = nodeTypeOf(root) === 9 ? Document : DocumentFragment;
  return nodeTypeOf(root) === 1 ? null : kind.prototype.getElementById.call(root, id);
};

const idrefs = (element, name) => {
  const value = attr(element, name);
  if (!value) return [];
  const found = [];
  for (const id of value.split(/\s+/)) {
    const target = id && elementById(element, id);
    if (target) found.push(target);
  }
  return found;
};

// Elements re-parented by aria-owns: found natively once per pass, then a set lookup each.
let owned = new Set();
let owners = new Map();
const collectOwned = (root) => {
  owned = new Set();
  owners = new Map();
  for (const owner of queryAll(root, "[aria-owns]")) {
    const targets = idrefs(owner, "aria-owns").filter(
      (target) => !owned.has(target) && !containsNode(target, owner)
    );
    for (const target of targets) owned.add(target);
    if (targets.length) owners.set(owner, targets);
  }
};

// First child in the flattened tree as a list only where the flattening differs from the light tree.
const flattenedChildren = (element) => {
  const shadow = shadowOf(element);
  let children = null;
  if (shadow) children = childListOf(shadow);
  else if (localNameOf(element) === "slot" && element instanceof HTMLSlotElement) {
    const assigned = assignedNodesOf(element);
    if (assigned.length) children = assigned;
  }
  const adopted = owners.size ? owners.get(element) : undefined;
  if (adopted) children = (children || childListOf(element)).concat(adopted);
  return children;
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
  const slot = isElement(node) ? slotOfElement(node) : slotOfText(node);
  if (slot) return slot;
  const parent = parentNodeOf(node);
  if (!parent) return null;
  const type = nodeTypeOf(parent);
  if (type === 11) return parent instanceof ShadowRoot ? hostOf(parent) : null;
  return type === 1 ? parent : null;
};
