// Property reads and method calls on DOM objects that a page cannot override. Forms and documents let named children
// shadow any property (<form><input name="parentNode">), so every read goes through the prototype's own getter.

const getterOf = (prototype, property) => Object.getOwnPropertyDescriptor(prototype, property).get;

// The most frequent ones are written out: one shared closure would be slow for all of them.
const firstChildOfGetter = getterOf(Node.prototype, "firstChild");
export const firstChildOf = (node) => firstChildOfGetter.call(node);
const nextSiblingOfGetter = getterOf(Node.prototype, "nextSibling");
export const nextSiblingOf = (node) => nextSiblingOfGetter.call(node);
const parentNodeOfGetter = getterOf(Node.prototype, "parentNode");
export const parentNodeOf = (node) => parentNodeOfGetter.call(node);
const nodeTypeOfGetter = getterOf(Node.prototype, "nodeType");
export const nodeTypeOf = (node) => nodeTypeOfGetter.call(node);
const textDataOfGetter = getterOf(CharacterData.prototype, "data");
export const textDataOf = (node) => textDataOfGetter.call(node);
const localNameOfGetter = getterOf(Element.prototype, "localName");
export const localNameOf = (element) => localNameOfGetter.call(element);
const namespaceOfGetter = getterOf(Element.prototype, "namespaceURI");
export const namespaceOf = (element) => namespaceOfGetter.call(element);
const openShadowOfGetter = getterOf(Element.prototype, "shadowRoot");
export const openShadowOf = (element) => openShadowOfGetter.call(element);
const childCountOfGetter = getterOf(Element.prototype, "childElementCount");
export const childCountOf = (element) => childCountOfGetter.call(element);
const firstElementOfGetter = getterOf(Element.prototype, "firstElementChild");
export const firstElementOf = (element) => firstElementOfGetter.call(element);
const nextElementOfGetter = getterOf(Element.prototype, "nextElementSibling");
export const nextElementOf = (element) => nextElementOfGetter.call(element);

export const reader = (prototype, property) => {
  const get = getterOf(prototype, property);
  return (object) => get.call(object);
};

export const isConnected = reader(Node.prototype, "isConnected");
export const textContentOf = reader(Node.prototype, "textContent");
export const childrenOf = reader(Element.prototype, "children");
export const scrollWidthOf = reader(Element.prototype, "scrollWidth");
export const scrollHeightOf = reader(Element.prototype, "scrollHeight");
export const clientWidthOf = reader(Element.prototype, "clientWidth");
export const clientHeightOf = reader(Element.prototype, "clientHeight");
export const bodyOf = reader(Document.prototype, "body");
export const rootElementOf = reader(Document.prototype, "documentElement");
export const titleOf = reader(Document.prototype, "title");
export const innerTextOf = reader(HTMLElement.prototype, "innerText");

export const nativeGetAttribute = Element.prototype.getAttribute;
export const nativeHasAttribute = Element.prototype.hasAttribute;
export const nativeHasAttributes = Element.prototype.hasAttributes;
const nativeAttributeNames = Element.prototype.getAttributeNames;
export const attributeNames = (element) => nativeAttributeNames.call(element);
const nativeMatches = Element.prototype.matches;
export const matchesSelector = (element, selector) => nativeMatches.call(element, selector);
const nativeClosest = Element.prototype.closest;
export const closestOf = (element, selector) => nativeClosest.call(element, selector);
const nativeRect = Element.prototype.getBoundingClientRect;
export const rectOf = (element) => nativeRect.call(element);
const nativeCheckVisibility = Element.prototype.checkVisibility;
export const checkVisibility = (element, options) => nativeCheckVisibility.call(element, options);
const nativeRootNode = Node.prototype.getRootNode;
export const rootNodeOf = (node) => nativeRootNode.call(node);
const nativeContains = Node.prototype.contains;
export const containsNode = (node, other) => nativeContains.call(node, other);
const nativePosition = Node.prototype.compareDocumentPosition;
export const comesBefore = (a, b) => (nativePosition.call(a, b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
const nativeAssigned = HTMLSlotElement.prototype.assignedNodes;
export const assignedNodesOf = (slot) => nativeAssigned.call(slot);

const searcherOf = (root) =>
  (nodeTypeOf(root) === 9 ? Document : nodeTypeOf(root) === 11 ? DocumentFragment : Element).prototype;

export const queryAll = (root, selector) => searcherOf(root).querySelectorAll.call(root, selector);
export const queryOne = (root, selector) => searcherOf(root).querySelector.call(root, selector);

export const isElement = (node) => nodeTypeOf(node) === 1;
export const isText = (node) => nodeTypeOf(node) === 3;

export const slotOfElement = reader(Element.prototype, "assignedSlot");
export const slotOfText = reader(Text.prototype, "assignedSlot");
export const hostOf = reader(ShadowRoot.prototype, "host");

export const activeElementOf = reader(Document.prototype, "activeElement");

export const zoomOf = reader(Element.prototype, "currentCSSZoom");
