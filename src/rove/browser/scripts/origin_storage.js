// The entry of the script that reads and changes what the page's origin stores.

import { resultOf, storedItems, storedKind, unveiled } from "./stored_values.js";

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
const runOnWebStorage = (request) => {
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

// Stored values as plain data, which can be passed to the driver.

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
const asPlain = (value, around = []) => {
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
const parsedValue = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

// IndexedDB: databases, their object stores, and the records in them.

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
const runOnDatabases = async (request) => {
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

// Cache Storage: caches, and the responses in them.

const READABLE_TYPE = /^text\/|json|javascript|xml|svg/;

/** @param {string} name */
const openCache = async (name) => {
  // Opening a cache that does not exist would make one.
  if (!(await caches.has(name))) throw new Error(`There is no cache '${name}'.`);
  return caches.open(name);
};

/** @param {Response | undefined} response */
const responseFacts = (response) => ({
  status: response?.status,
  type: response?.headers.get("content-type") || response?.type,
});

/** @param {Cache} cache @param {number} limit @returns {Promise<StorageAnswer>} */
const listResponses = async (cache, limit) => {
  const requests = await cache.keys();
  const entries = [];
  for (const request of requests.slice(0, limit)) {
    entries.push({ key: request.url, value: responseFacts(await cache.match(request)) });
  }
  return { entries, total: requests.length };
};

/** @param {Cache} cache @param {string} url @returns {Promise<StorageAnswer>} */
const readResponse = async (cache, url) => {
  const response = await cache.match(url);
  if (!response) throw new Error(`There is no response for '${url}' in the cache.`);
  const facts = responseFacts(response);
  const isText = !facts.type || READABLE_TYPE.test(facts.type);
  const body = isText ? await response.text() : `(binary, ${(await response.arrayBuffer()).byteLength} bytes)`;
  return { entries: [{ key: url, value: { ...facts, body } }], total: 1 };
};

/** @returns {Promise<StorageAnswer>} */
const listCaches = async () => {
  const entries = [];
  for (const name of await caches.keys()) {
    entries.push({ key: name, value: { responses: (await (await caches.open(name)).keys()).length } });
  }
  return { entries, total: entries.length };
};

/** @param {Cache} cache @param {StorageRequest} request @returns {Promise<StorageAnswer>} */
const runOnResponses = async (cache, { operation, key, value, limit }) => {
  if (operation === "list") return listResponses(cache, limit);
  if (operation === "get") return readResponse(cache, key);
  if (operation === "set") await cache.put(key, new Response(value, { headers: { "content-type": "text/plain" } }));
  if (operation === "delete" && !(await cache.delete(key))) throw new Error(`There is no response for '${key}'.`);
  if (operation === "clear") for (const request of await cache.keys()) await cache.delete(request);
  return { entries: [], total: (await cache.keys()).length };
};

/** @param {StorageRequest} request @returns {Promise<StorageAnswer>} */
const runOnCaches = async (request) => {
  const { operation, database, key } = request;
  if (typeof caches === "undefined") throw new Error("This page has no Cache Storage: it needs https: or localhost.");
  if (operation === "list" && !database) return listCaches();
  if (operation === "clear" && !database) {
    for (const name of await caches.keys()) await caches.delete(name);
    return { entries: [], total: 0 };
  }
  if (!database) throw new Error("Name the cache as `database`.");
  if (operation === "delete" && !key) {
    if (!(await caches.delete(database))) throw new Error(`There is no cache '${database}'.`);
    return { entries: [], total: 0 };
  }
  const cache = operation === "set" ? await caches.open(database) : await openCache(database);
  return runOnResponses(cache, request);
};

const BEHIND_AREA = { local: runOnWebStorage, session: runOnWebStorage, indexeddb: runOnDatabases, cache: runOnCaches };

/** @param {StorageRequest} request @returns {Promise<StorageAnswer | { error: string }>} */
export const runOnStorage = async (request) => {
  try {
    return await BEHIND_AREA[request.area](request);
  } catch (error) {
    const { name, message } = /** @type {Error} */ (error);
    // By its name: in Firefox, the error may belong to the page's global.
    return { error: name === "SecurityError" ? "This page has no storage of its own." : String(message) };
  }
};
