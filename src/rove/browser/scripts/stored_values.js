// Stored values and what they are, also where they belong to the page's global and not to that of this script.

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
export const resultOf = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/**
 * The name of the class of a stored value: `Object`, `Array`, `Date`. Stored values have no tags of their own.
 *
 * @param {unknown} value
 */
export const storedKind = (value) => Object.prototype.toString.call(value).slice(8, -1);

/**
 * A stored value as it is: Firefox shows those of another global through a view that hides a part of them.
 *
 * @param {any} value @returns {any}
 */
export const unveiled = (value) => {
  const isForeign = typeof value === "object" && value !== null && !(value instanceof Object);
  return isForeign ? (value.wrappedJSObject ?? value) : value;
};

/** @param {any} list @returns {any[]} */
export const storedItems = (list) => {
  if (storedKind(list) === "Array") return Array.from({ length: list.length }, (_, index) => list[index]);
  /** @type {any[]} */
  const items = [];
  if (storedKind(list) === "Set") Set.prototype.forEach.call(list, (item) => items.push(item));
  else Map.prototype.forEach.call(list, (item, key) => items.push([key, item]));
  return items;
};

/** @param {any} view @returns {Uint8Array} */
export const storedBytes = (view) => {
  const isBuffer = storedKind(view) === "ArrayBuffer";
  // Also a new view of another global's bytes belongs to that global.
  const bytes = unveiled(
    isBuffer ? new Uint8Array(view) : new Uint8Array(view.buffer, view.byteOffset, view.byteLength),
  );
  return Uint8Array.from({ length: bytes.length }, (_, index) => /** @type {number} */ (bytes[index]));
};
