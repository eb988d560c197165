// IndexedDB: databases, their object stores, and the records in them.

import { asPlain, parsedValue } from "./plain_values.js";

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const resultOf = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @param {string} name @returns {Promise<IDBDatabase>} */
const openDatabase = async (name) => {
  const known = await indexedDB.databases();
  // Opening a database that does not exist would make one.
  if (!known.some((database) => database.name === name)) throw new Error(`There is no database '${name}'.`);
  const database = await resultOf(indexedDB.open(name));
  database.onversionchange = () => database.close();
  return database;
};

/** @param {IDBDatabase} database @param {string} name @param {IDBTransactionMode} mode */
const storeIn = (database, name, mode) => {
  if (!database.objectStoreNames.contains(name)) {
    throw new Error(`There is no object store '${name}' in the database '${database.name}'.`);
  }
  return database.transaction(name, mode).objectStore(name);
};

/** @template T @param {string} name @param {(database: IDBDatabase) => Promise<T>} use @returns {Promise<T>} */
const withDatabase = async (name, use) => {
  const database = await openDatabase(name);
  try {
    return await use(database);
  } finally {
    database.close();
  }
};

/** @param {IDBDatabase} database */
const storeFacts = async (database) => {
  /** @type {Record<string, number>} */
  const stores = {};
  for (const name of database.objectStoreNames)
    stores[name] = await resultOf(storeIn(database, name, "readonly").count());
  return { version: database.version, stores };
};

/** @returns {Promise<StorageAnswer>} */
const listDatabases = async () => {
  const entries = [];
  for (const { name } of await indexedDB.databases()) {
    if (name) entries.push({ key: name, value: await withDatabase(name, storeFacts) });
  }
  return { entries, total: entries.length };
};

/** @param {IDBObjectStore} store @param {number} limit @returns {Promise<StorageAnswer>} */
const listRecords = async (store, limit) => {
  const [keys, values, total] = await Promise.all([
    resultOf(store.getAllKeys(undefined, limit)),
    resultOf(store.getAll(undefined, limit)),
    resultOf(store.count()),
  ]);
  const entries = keys.map((key, index) => ({ key: JSON.stringify(asPlain(key)), value: asPlain(values[index]) }));
  return { entries, total };
};

// Keys may be numbers or lists, of which callers know the text.
/** @param {IDBObjectStore} store @param {string} text @returns {Promise<IDBValidKey>} */
const recordKey = async (store, text) => {
  for (const key of [/** @type {IDBValidKey} */ (parsedValue(text)), text]) {
    const isKey = typeof key === "number" || typeof key === "string" || Array.isArray(key);
    if (isKey && (await resultOf(store.count(key)))) return key;
  }
  return text;
};

/** @param {IDBObjectStore} store @param {string} text */
const requireRecord = async (store, text) => {
  const key = await recordKey(store, text);
  if (!(await resultOf(store.count(key)))) throw new Error(`There is no record '${text}' in '${store.name}'.`);
  return key;
};

/** @param {IDBObjectStore} store @param {StorageRequest} request @returns {Promise<StorageAnswer>} */
const runOnRecords = async (store, { operation, key, value, limit }) => {
  if (operation === "list") return listRecords(store, limit);
  if (operation === "get") {
    const record = await resultOf(store.get(await requireRecord(store, key)));
    return { entries: [{ key, value: asPlain(record) }], total: 1 };
  }
  if (operation === "clear") await resultOf(store.clear());
  if (operation === "delete") await resultOf(store.delete(await requireRecord(store, key)));
  if (operation === "set") {
    const isKeyed = store.keyPath !== null || !key;
    await resultOf(store.put(parsedValue(value), isKeyed ? undefined : await recordKey(store, key)));
  }
  return { entries: [], total: await resultOf(store.count()) };
};

/** @param {string} name @returns {Promise<StorageAnswer>} */
const deleteDatabase = async (name) => {
  (await openDatabase(name)).close();
  const request = indexedDB.deleteDatabase(name);
  await new Promise((resolve, reject) => {
    request.onsuccess = resolve;
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error(`The page has '${name}' open: it is deleted when the page is left.`));
  });
  return { entries: [], total: 0 };
};

/** @param {IDBDatabase} database @returns {Promise<StorageAnswer>} */
const emptyDatabase = async (database) => {
  for (const name of database.objectStoreNames) await resultOf(storeIn(database, name, "readwrite").clear());
  return { entries: [], total: 0 };
};

/** @param {StorageRequest} request @returns {Promise<StorageAnswer>} */
export const runOnDatabases = async (request) => {
  const { operation, database, store } = request;
  const mode = operation === "list" || operation === "get" ? "readonly" : "readwrite";
  if (database && store) return withDatabase(database, (open) => runOnRecords(storeIn(open, store, mode), request));
  if (operation === "list" && !database) return listDatabases();
  if (operation === "list") {
    return withDatabase(database, async (open) => ({
      entries: [{ key: database, value: await storeFacts(open) }],
      total: 1,
    }));
  }
  if (operation === "delete" && database) return deleteDatabase(database);
  if (operation !== "clear") throw new Error("Name the database and the store.");
  const names = database ? [database] : (await indexedDB.databases()).map(({ name }) => name || "");
  for (const name of names) await withDatabase(name, emptyDatabase);
  return { entries: [], total: 0 };
};
