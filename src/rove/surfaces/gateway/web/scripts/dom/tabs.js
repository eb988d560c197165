// A list of tabs, each with a link of its own; the arrow keys move between them.

import { element } from "./element.js";

/** @typedef {{ name: string, title: string, link: string }} TabLink */

/**
 * @param {string} label
 * @param {TabLink[]} tabs
 * @param {string} current
 * @param {string} panel the id of the panel that they control
 */
export const tabList = (label, tabs, current, panel) =>
  element(
    "div",
    { class: "tabs", role: "tablist", "aria-label": label, onkeydown: moveFocus },
    tabs.map((tab) => tabOf(tab, current, panel)),
  );

/**
 * @param {TabLink} tab
 * @param {string} current
 * @param {string} panel
 */
const tabOf = ({ name, title, link }, current, panel) =>
  element(
    "a",
    {
      id: `tab-${name}`,
      href: link,
      role: "tab",
      "aria-selected": String(name === current),
      "aria-controls": name === current ? panel : undefined,
      tabindex: name === current ? "0" : "-1",
    },
    title,
  );

/** @param {KeyboardEvent} event */
const moveFocus = (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const tabs = /** @type {HTMLElement[]} */ ([.../** @type {HTMLElement} */ (event.currentTarget).children]);
  const index = tabs.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  if (!step || index < 0) return;
  event.preventDefault();
  tabs[(index + step + tabs.length) % tabs.length].focus();
};
