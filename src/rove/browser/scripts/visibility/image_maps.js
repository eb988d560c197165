// Image maps: areas of a picture that are links. An area has no box of its own; its picture has.

import { attr, hasAttr } from "../dom/attributes.js";
import { isRendered } from "../dom/elements.js";
import { closestOf, queryAll, rectOf, rootNodeOf } from "../dom/natives.js";

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
export const areaAt = (image, x, y) =>
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
