// The IndexedDB databases of the page's origin: read all of them, or create them as they were.

import { storedItems, unveiled } from "./kinds.js";
import { readStored, storedAs } from "./stored_values.js";

/**
 * How many records and characters may still be read, and how many records could not be.
 * @typedef {{ records: number, characters: number, leftOut: number }} ReadBudget
 */

class OverBudget extends Error {}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const resultOf = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @param {string} name @returns {Promise<IDBDatabase>} */
const openExisting = async (name) => {
  const request = indexedDB.open(name);
  // The page has deleted the database meanwhile, and opening must not create it.
  request.onupgradeneeded = () => request.transaction?.abort();
  const database = await resultOf(request);
  // The page may want to change or delete it, and would wait for this connection.
  database.onversionchange = () => database.close();
  return database;
};

/** @param {string | string[] | null} path */
const keyPathOf = (path) =>
  typeof path === "string" ? { keyPath: path } : Array.isArray(path) ? { keyPathArray: path } : {};

/** @param {IDBObjectStore} store @param {any} key @param {any} value @param {ReadBudget} budget */
const readRecord = (store, key, value, budget) => {
  try {
    const record = { ...(store.keyPath === null ? storedAs("key", key) : {}), ...storedAs("value", value) };
    budget.characters -= JSON.stringify(record).length;
    if (budget.characters < 0) throw new OverBudget();
    return [record];
  } catch (error) {
    if (error instanceof OverBudget) throw error;
    budget.leftOut += 1;
    return [];
  }
};

/** @param {IDBObjectStore} store @param {ReadBudget} budget */
const readObjectStore = async (store, budget) => {
  budget.records -= await resultOf(store.count());
  if (budget.records < 0) throw new OverBudget();
  const [keys, values] = await Promise.all([resultOf(store.getAllKeys()), resultOf(store.getAll())]);
  const items = storedItems(unveiled(values));
  const indexes = Array.from(store.indexNames, (name) => {
    const { keyPath, multiEntry, unique } = store.index(name);
    return { name, ...keyPathOf(keyPath), multiEntry, unique };
  });
  return {
    name: store.name,
    ...keyPathOf(store.keyPath),
    autoIncrement: store.autoIncrement,
    records: storedItems(unveiled(keys)).flatMap((key, index) => readRecord(store, key, items[index], budget)),
    indexes,
  };
};

/** @param {IDBDatabaseInfo} info @param {ReadBudget} budget */
const readDatabase = async ({ name = "", version = 1 }, budget) => {
  const database = await openExisting(name);
  try {
    const names = Array.from(database.objectStoreNames);
    if (!names.length) return { name, version, stores: [] };
    const transaction = database.transaction(names, "readonly");
    const stores = await Promise.all(names.map((each) => readObjectStore(transaction.objectStore(each), budget)));
    return { name, version, stores };
  } finally {
    database.close();
  }
};

// Every database of the origin; none if they hold more than the budget.
/** @param {ReadBudget} budget */
export const readDatabases = async (budget) => {
  const databases = [];
  for (const info of await indexedDB.databases()) {
    try {
      databases.push(await readDatabase(info, budget));
    } catch (error) {
      if (error instanceof OverBudget) {
        budget.leftOut += 1;
        return [];
      }
      if (/** @type {Error} */ (error).name !== "AbortError") throw error;
    }
  }
  return databases;
};

/** @param {IDBDatabase} database @param {any} saved */
const createObjectStore = (database, saved) => {
  const { name, autoIncrement, keyPath, keyPathArray, records, indexes } = saved;
  const store = database.createObjectStore(name, { autoIncrement, keyPath: keyPathArray ?? keyPath ?? null });
  for (const index of indexes)
    store.createIndex(index.name, index.keyPathArray ?? index.keyPath, {
      unique: index.unique,
      multiEntry: index.multiEntry,
    });
  for (const record of records) {
    const hasKey = "key" in record || "keyEncoded" in record;
    store.put(readStored("value", record), hasKey ? readStored("key", record) : undefined);
  }
};

// Created and filled in one transaction: a database is there as a whole or not at all.
/** @param {any} saved */
export const createDatabase = async (saved) => {
  const request = indexedDB.open(saved.name, saved.version);
  request.onupgradeneeded = () => {
    for (const store of saved.stores) createObjectStore(request.result, store);
  };
  (await resultOf(request)).close();
};
