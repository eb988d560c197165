// Where the boxes of ::before and ::after lie: scripts cannot measure them, so their place follows from their style.

import { rectOf, scrollLeftOf, scrollTopOf } from "../dom/natives.js";
import { flattenedParent } from "../dom/tree.js";

/** @param {CSSStyleDeclaration} style */
const containsPositioned = (style) =>
  style.position !== "static" || style.transform !== "none" || style.filter !== "none" || style.perspective !== "none";

// The box that the offsets of a positioned pseudo-element refer to.
/** @param {Element} element @param {string} position */
const containingBox = (element, position) => {
  if (position === "fixed") return { left: 0, top: 0 };
  for (let around = /** @type {Element | null} */ (element); around; around = flattenedParent(around)) {
    const style = getComputedStyle(around);
    if (!containsPositioned(style)) continue;
    const rect = rectOf(around);
    return {
      left: rect.left + parseFloat(style.borderLeftWidth) - scrollLeftOf(around),
      top: rect.top + parseFloat(style.borderTopWidth) - scrollTopOf(around),
    };
  }
  return { left: -scrollX, top: -scrollY };
};

/** @param {CSSStyleDeclaration} style @param {string[]} properties */
const sumOf = (style, properties) =>
  properties.reduce((sum, property) => sum + (parseFloat(style.getPropertyValue(property)) || 0), 0);

/** @param {CSSStyleDeclaration} style */
const borderBoxSize = (style) => {
  const [width, height] = [parseFloat(style.width) || 0, parseFloat(style.height) || 0];
  if (style.boxSizing === "border-box") return [width, height];
  return [
    width + sumOf(style, ["padding-left", "padding-right", "border-left-width", "border-right-width"]),
    height + sumOf(style, ["padding-top", "padding-bottom", "border-top-width", "border-bottom-width"]),
  ];
};

/** @param {CSSStyleDeclaration} style @param {number} left @param {number} top @param {number} width @param {number} height */
const transformed = (style, left, top, width, height) => {
  if (style.transform === "none") return new DOMRect(left, top, width, height);
  const [x = 0, y = 0] = style.transformOrigin.split(" ").map(parseFloat);
  const matrix = new DOMMatrix().translate(left + x, top + y).multiply(new DOMMatrix(style.transform));
  const corners = [
    [-x, -y],
    [width - x, -y],
    [-x, height - y],
    [width - x, height - y],
  ].map(([across, down]) => matrix.transformPoint({ x: across, y: down }));
  const [xs, ys] = [corners.map((corner) => corner.x), corners.map((corner) => corner.y)];
  const [minX, minY] = [Math.min(...xs), Math.min(...ys)];
  return new DOMRect(minX, minY, Math.max(...xs) - minX, Math.max(...ys) - minY);
};

/** @param {Element} element @param {string} pseudo */
export const pseudoRect = (element, pseudo) => {
  const style = getComputedStyle(element, pseudo);
  const box = containingBox(element, style.position);
  const [width, height] = borderBoxSize(style);
  const left = box.left + sumOf(style, ["left", "margin-left"]);
  const top = box.top + sumOf(style, ["top", "margin-top"]);
  return transformed(style, left, top, width, height);
};
