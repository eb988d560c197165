// Whether a document that was loaded is not ready yet: it is empty, a skeleton, or shows that it is busy.

import { bodyOf, checkVisibility, queryAll, rectOf, textDataOf } from "../dom/natives.js";

const BUSY =
  '[aria-busy="true"],[role="progressbar"]:not([aria-valuenow]),progress:not([value]),' +
  '[class*="skeleton" i],[class*="spinner" i],[class*="shimmer" i],[class*="loading" i]';
const BUSY_WORDS = /^\s*(?:loading|please wait|one moment|just a moment)\b.{0,30}$/i;
const MAX_TEXTS = 3000;

/** @param {Element} element */
const isSeen = (element) => {
  const { width, height } = rectOf(element);
  return width > 0 && height > 0 && checkVisibility(element, { visibilityProperty: true, opacityProperty: true });
};

// Elements that a person can use or see though they have no text.
const CONTENT = "img,svg,canvas,video,input,textarea,select,iframe,object,embed";

// Whether the page shows that it is busy.
export const showsBusy = () => {
  for (const element of queryAll(document, BUSY)) if (isSeen(element)) return true;
  return texts().isBusy;
};

// Reads the texts that can be seen, as far as needed.
const texts = () => {
  const body = bodyOf(document);
  let isEmpty = true;
  if (!body) return { isEmpty, isBusy: false };
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  for (let count = 0; count < MAX_TEXTS && walker.nextNode(); count++) {
    const node = walker.currentNode;
    const data = textDataOf(node);
    if (!data.trim() || !node.parentElement || /^(?:SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/.test(node.parentElement.tagName))
      continue;
    const isWaiting = BUSY_WORDS.test(data);
    if ((isEmpty || isWaiting) && isSeen(node.parentElement)) {
      if (isWaiting) return { isEmpty: false, isBusy: true };
      isEmpty = false;
    }
  }
  return { isEmpty, isBusy: false };
};

export const isUnfinished = () => {
  const { isEmpty, isBusy } = texts();
  if (isBusy || (isEmpty && ![...queryAll(document, CONTENT)].some(isSeen))) return true;
  return showsBusy();
};
