// Property reads and method calls on DOM objects that a page cannot override. Forms and documents let named children
// shadow any property (<form><input name="parentNode">), so every read goes through the prototype's own getter.

/** @param {object} prototype @param {PropertyKey} property */
const getterOf = (prototype, property) =>
  /** @type {() => any} */ (Object.getOwnPropertyDescriptor(prototype, property)?.get);

// The most frequent ones are written out: one shared closure would be slow for all of them.
const firstChildOfGetter = getterOf(Node.prototype, "firstChild");
/** @param {Node} node @returns {ChildNode | null} */
export const firstChildOf = (node) => firstChildOfGetter.call(node);
const nextSiblingOfGetter = getterOf(Node.prototype, "nextSibling");
/** @param {Node} node @returns {ChildNode | null} */
export const nextSiblingOf = (node) => nextSiblingOfGetter.call(node);
const parentNodeOfGetter = getterOf(Node.prototype, "parentNode");
/** @param {Node} node @returns {any} */
export const parentNodeOf = (node) => parentNodeOfGetter.call(node);
const nodeTypeOfGetter = getterOf(Node.prototype, "nodeType");
/** @param {Node} node @returns {number} */
export const nodeTypeOf = (node) => nodeTypeOfGetter.call(node);
const textDataOfGetter = getterOf(CharacterData.prototype, "data");
/** @param {Node} node @returns {string} */
export const textDataOf = (node) => textDataOfGetter.call(node);
const localNameOfGetter = getterOf(Element.prototype, "localName");
/** @param {Element} element @returns {string} */
export const localNameOf = (element) => localNameOfGetter.call(element);
const namespaceOfGetter = getterOf(Element.prototype, "namespaceURI");
/** @param {Element} element @returns {string | null} */
export const namespaceOf = (element) => namespaceOfGetter.call(element);
const openShadowOfGetter = getterOf(Element.prototype, "shadowRoot");
/** @param {Element} element @returns {ShadowRoot | null} */
export const openShadowOf = (element) => openShadowOfGetter.call(element);
const childCountOfGetter = getterOf(Element.prototype, "childElementCount");
/** @param {Element} element @returns {number} */
export const childCountOf = (element) => childCountOfGetter.call(element);
const firstElementOfGetter = getterOf(Element.prototype, "firstElementChild");
/** @param {Element} element @returns {Element | null} */
export const firstElementOf = (element) => firstElementOfGetter.call(element);
const nextElementOfGetter = getterOf(Element.prototype, "nextElementSibling");
/** @param {Element} element @returns {Element | null} */
export const nextElementOf = (element) => nextElementOfGetter.call(element);

/** @template {object} T @template {keyof T} K @param {T} prototype @param {K} property @returns {(object: T) => T[K]} */
export const reader = (prototype, property) => {
  const get = getterOf(prototype, property);
  return (object) => get.call(object);
};

export const isConnected = reader(Node.prototype, "isConnected");
/** @type {(node: Node) => string} */
export const textContentOf = /** @type {any} */ (reader(Node.prototype, "textContent"));
export const childrenOf = reader(Element.prototype, "children");
export const scrollWidthOf = reader(Element.prototype, "scrollWidth");
export const scrollHeightOf = reader(Element.prototype, "scrollHeight");
export const clientWidthOf = reader(Element.prototype, "clientWidth");
export const clientHeightOf = reader(Element.prototype, "clientHeight");
export const clientLeftOf = reader(Element.prototype, "clientLeft");
export const clientTopOf = reader(Element.prototype, "clientTop");
export const scrollLeftOf = reader(Element.prototype, "scrollLeft");
export const scrollTopOf = reader(Element.prototype, "scrollTop");
export const offsetWidthOf = reader(HTMLElement.prototype, "offsetWidth");
export const offsetHeightOf = reader(HTMLElement.prototype, "offsetHeight");
export const bodyOf = reader(Document.prototype, "body");
/** @type {(document: Document) => Element} */
export const rootElementOf = reader(Document.prototype, "documentElement");
export const titleOf = reader(Document.prototype, "title");
export const outerHtmlOf = reader(Element.prototype, "outerHTML");
export const innerTextOf = reader(HTMLElement.prototype, "innerText");

export const nativeGetAttribute = Element.prototype.getAttribute;
export const nativeHasAttribute = Element.prototype.hasAttribute;
export const nativeHasAttributes = Element.prototype.hasAttributes;
const nativeAttributeNames = Element.prototype.getAttributeNames;
/** @param {Element} element */
export const attributeNames = (element) => nativeAttributeNames.call(element);
const nativeMatches = Element.prototype.matches;
/** @param {Element} element @param {string} selector @returns {boolean} */
export const matchesSelector = (element, selector) => nativeMatches.call(element, selector);
const nativeClosest = Element.prototype.closest;
/** @param {Element} element @param {string} selector @returns {Element | null} */
export const closestOf = (element, selector) => nativeClosest.call(element, selector);
const nativeRect = Element.prototype.getBoundingClientRect;
/** @param {Element} element @returns {DOMRect} */
export const rectOf = (element) => nativeRect.call(element);
const nativeCheckVisibility = Element.prototype.checkVisibility;
/** @param {Element} element @param {CheckVisibilityOptions} [options] */
export const checkVisibility = (element, options) => nativeCheckVisibility.call(element, options);
const nativeRootNode = Node.prototype.getRootNode;
/** @param {Node} node @returns {any} */
export const rootNodeOf = (node) => nativeRootNode.call(node);
const nativeContains = Node.prototype.contains;
/** @param {Node} node @param {Node} other */
export const containsNode = (node, other) => nativeContains.call(node, other);
const nativePosition = Node.prototype.compareDocumentPosition;
/** @param {Node} a @param {Node} b */
export const comesBefore = (a, b) => (nativePosition.call(a, b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
const nativeAssigned = HTMLSlotElement.prototype.assignedNodes;
/** @param {HTMLSlotElement} slot */
export const assignedNodesOf = (slot) => nativeAssigned.call(slot);

/** @param {Node} root @returns {ParentNode} */
const searcherOf = (root) =>
  (nodeTypeOf(root) === 9 ? Document : nodeTypeOf(root) === 11 ? DocumentFragment : Element).prototype;

/** @param {Document | DocumentFragment | Element} root @param {string} selector @returns {NodeListOf<Element>} */
export const queryAll = (root, selector) => searcherOf(root).querySelectorAll.call(root, selector);
/** @param {Document | DocumentFragment | Element} root @param {string} selector @returns {Element | null} */
export const queryOne = (root, selector) => searcherOf(root).querySelector.call(root, selector);

/** @param {Node} node @returns {node is Element} */
export const isElement = (node) => nodeTypeOf(node) === 1;
/** @param {Node} node @returns {node is Text} */
export const isText = (node) => nodeTypeOf(node) === 3;

export const slotOfElement = reader(Element.prototype, "assignedSlot");
export const slotOfText = reader(Text.prototype, "assignedSlot");
export const hostOf = reader(ShadowRoot.prototype, "host");

export const activeElementOf = reader(Document.prototype, "activeElement");

/** @type {(element: Element) => number} */
export const zoomOf = "currentCSSZoom" in Element.prototype ? reader(Element.prototype, "currentCSSZoom") : () => 1; // not in WebKit

// Where an engine does what others do not, and no other sign of it can be tested for.
export const isWebKit = navigator.vendor.startsWith("Apple");
