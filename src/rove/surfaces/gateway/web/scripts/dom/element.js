// Elements made without markup: text from pages and models only ever becomes text nodes.

/** @typedef {string | number | boolean | null | undefined | ((event: any) => void)} AttributeValue */
/** @typedef {Node | string | number | null | undefined | false} Child */

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an element. A function is a listener (`onclick`), a boolean says whether the attribute is there.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, AttributeValue>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(made, name, value);
  fill(made, ...children);
  return made;
};

/**
 * Make an SVG element.
 * @param {string} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...Node} children
 * @returns {SVGElement}
 */
export const svgElement = (tag, attributes = {}, ...children) => {
  const made = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
};

/**
 * Replace the children of an element.
 * @template {Element} E
 * @param {E} parent
 * @param {...(Child | Child[])} children
 * @returns {E}
 */
export const fill = (parent, ...children) => {
  parent.replaceChildren(...children.flat().filter(isShown).map(toNode));
  return parent;
};

/** @param {Child} child @returns {child is Node | string | number} */
const isShown = (child) => child !== null && child !== undefined && child !== false && child !== "";

/** @param {Node | string | number} child */
const toNode = (child) => (child instanceof Node ? child : document.createTextNode(String(child)));

/**
 * @param {Element} node
 * @param {string} name
 * @param {AttributeValue} value
 */
const setAttribute = (node, name, value) => {
  if (typeof value === "function") node.addEventListener(name.slice(2), value);
  else if (typeof value === "boolean") node.toggleAttribute(name, value);
  else if (value !== null && value !== undefined) node.setAttribute(name, String(value));
};
