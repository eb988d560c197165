// Waiting for changes of the document, and for text and selectors to appear.

import { bodyOf, checkVisibility } from "../dom/natives.js";
import { elementOfRef } from "../dom/refs.js";
import { queryTargets } from "../search/targets.js";

// Resolves at the next change of the document, or after the timeout.
/** @param {number} timeout */
export const nextChange = (timeout) =>
  new Promise((resolve) => {
    const done = () => {
      observer.disconnect();
      clearTimeout(timer);
      resolve(true);
    };
    const observer = new MutationObserver(done);
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    const timer = setTimeout(done, timeout);
  });

export const bodyText = () => bodyOf(document)?.innerText ?? "";

/** @param {string} text */
export const showsText = (text) => bodyText().includes(text);

/** @param {string} css */
export const showsSelector = (css) => {
  const found = queryTargets({ css, limit: 200 }).matches;
  return found.some((match) => {
    const element = elementOfRef(match.ref);
    return element && checkVisibility(element, { visibilityProperty: true });
  });
};
