// Stored values as plain data, which can be passed to the driver.

import { storedItems, storedKind, unveiled } from "../saved_state/kinds.js";

const DEEPEST_VALUE = 12;

/** @param {any} value @returns {string | null} */
const binaryAsText = (value) => {
  const kind = storedKind(value);
  if (kind === "Blob" || kind === "File") return `(${value.type || "Blob"}, ${value.size} bytes)`;
  if (kind === "ArrayBuffer" || ArrayBuffer.isView(value)) return `(binary, ${value.byteLength} bytes)`;
  return null;
};

/** @param {unknown} value @returns {unknown} */
const scalarAsPlain = (value) => {
  if (value === undefined) return null;
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value;
};

/**
 * The value without anything that JSON cannot hold: dates and binary data as text, maps and sets as lists.
 *
 * @param {unknown} value @param {unknown[]} around @returns {unknown}
 */
export const asPlain = (value, around = []) => {
  if (typeof value !== "object" || value === null) return scalarAsPlain(value);
  return objectAsPlain(unveiled(value), around);
};

/** @param {any} value @param {unknown[]} around @returns {unknown} */
const objectAsPlain = (value, around) => {
  const kind = storedKind(value);
  const text = binaryAsText(value);
  if (text !== null) return text;
  if (kind === "Date") return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (kind === "RegExp" || kind === "Error") return String(value);
  if (around.includes(value)) return "(circular)";
  if (around.length >= DEEPEST_VALUE) return "(deeper)";
  const inner = [...around, value];
  if (kind === "Array" || kind === "Set") return storedItems(value).map((item) => asPlain(item, inner));
  if (kind === "Map")
    return storedItems(value).map((pair) => pair.map((/** @type {unknown} */ item) => asPlain(item, inner)));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, asPlain(item, inner)]));
};

/** A value of the caller: JSON where it is that, and text otherwise. @param {string} text @returns {unknown} */
export const parsedValue = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
