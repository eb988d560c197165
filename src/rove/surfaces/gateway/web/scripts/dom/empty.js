// The start of each view, and what a view says when it has nothing to show.

import { element } from "./element.js";
import { icon } from "./icons.js";

/** @import { Child } from "./element.js" */
/** @import { IconName } from "./icons.js" */

/**
 * @param {string} title
 * @param {Child} explanation
 * @param {...Child} controls
 */
export const viewHeader = (title, explanation, ...controls) =>
  element(
    "header",
    { class: "view-header" },
    element("div", {}, element("h1", {}, title), explanation && element("p", { class: "quiet-text" }, explanation)),
    element("div", { class: "row" }, controls),
  );

/**
 * What to do first, where there is nothing yet.
 * @param {IconName} picture
 * @param {string} title
 * @param {...Child} explanation
 */
export const emptyState = (picture, title, ...explanation) =>
  element("div", { class: "empty" }, icon(picture), element("h2", {}, title), element("p", {}, explanation));
