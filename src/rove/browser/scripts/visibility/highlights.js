// Ranges that the page paints in other colours than the style says: CSS highlights and the selection.

import { isElement } from "../dom/natives.js";
import { parentElementOf } from "../dom/tree.js";
import { compositeOver, contrast, LOW_CONTRAST, parseColour } from "./colours.js";

/** @type {[string, AbstractRange][]} */
export let highlights = [];

export const findHighlights = () => {
  highlights = [];
  const registry = CSS.highlights;
  if (registry)
    for (const [name, ranges] of registry) for (const range of ranges) highlights.push([`::highlight(${name})`, range]);
  const selection = getSelection();
  if (selection && !selection.isCollapsed && selection.rangeCount)
    highlights.push(["::selection", selection.getRangeAt(0)]);
};

/** @param {Node} node @param {VisibilityContext} context */
export const isHiddenByHighlight = (node, context) =>
  highlights.some(([pseudo, range]) => {
    const element = isElement(node) ? node : parentElementOf(node);
    if (!element || !Range.prototype.intersectsNode.call(range, node)) return false;
    const style = getComputedStyle(element, pseudo);
    const behind = compositeOver(parseColour(style.backgroundColor), context.background);
    return (
      style.color !== getComputedStyle(element).color &&
      contrast(compositeOver(parseColour(style.color), behind), behind) < LOW_CONTRAST
    );
  });
