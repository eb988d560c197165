// Local storage and session storage.

/** @param {StorageRequest} request @returns {Storage} */
const webStorageOf = ({ area }) => (area === "local" ? localStorage : sessionStorage);

/** @param {Storage} storage @param {string} key */
const requireItem = (storage, key) => {
  const value = storage.getItem(key);
  if (value === null) throw new Error(`There is no item '${key}'.`);
  return value;
};

/** @param {StorageRequest} request @returns {StorageAnswer} */
export const runOnWebStorage = (request) => {
  const storage = webStorageOf(request);
  const { operation, key, value } = request;
  if (operation === "get") return { entries: [{ key, value: requireItem(storage, key) }], total: 1 };
  if (operation === "set") storage.setItem(key, value);
  if (operation === "delete") {
    requireItem(storage, key);
    storage.removeItem(key);
  }
  if (operation === "clear") storage.clear();
  if (operation !== "list") return { entries: [], total: storage.length };
  const keys = Array.from({ length: Math.min(storage.length, request.limit) }, (_, index) => storage.key(index) || "");
  return { entries: keys.map((name) => ({ key: name, value: storage.getItem(name) })), total: storage.length };
};
