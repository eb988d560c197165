// Files of file inputs, and files dropped onto elements.

import { isTag } from "../dom/elements.js";
import { inputType } from "../roles/controls.js";
import { dispatchEvents, setValue } from "../roles/field_values.js";
import { tellDone, withElement } from "./element_calls.js";
import { bringIntoView, pressBoxOf } from "./hit_testing.js";

/** @param {string} base64 */
const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

export const clearFiles = withElement((element) => {
  if (!isTag(element, "input") || inputType(element) !== "file") {
    return { reason: "is no file input", hint: "Name the file input itself to take its files back.", never: true };
  }
  if (!element.files?.length) return {};
  setValue(element, "");
  tellDone(element, {});
  dispatchEvents(element, "input", "change");
  return {};
});

// Drops files from outside the browser onto an element.
export const dropFiles = withElement((element, files, texts) => {
  const transfer = new DataTransfer();
  for (const { name, type, data } of files) transfer.items.add(new File([bytesOf(data)], name, { type }));
  for (const [kind, text] of Object.entries(texts || {})) transfer.setData(kind, String(text));
  bringIntoView(element);
  const box = pressBoxOf(element);
  const facts = {
    bubbles: true,
    cancelable: true,
    composed: true,
    dataTransfer: transfer,
    clientX: box.left + box.width / 2,
    clientY: box.top + box.height / 2,
  };
  for (const kind of ["dragenter", "dragover", "drop"]) {
    if (kind === "drop") tellDone(element, {});
    element.dispatchEvent(new DragEvent(kind, facts));
  }
  return {};
});
