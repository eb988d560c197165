// The entry of the script that saves what the page's origin has stored, and puts it back: local storage, session storage
// and IndexedDB.

import { resultOf, storedBytes, storedItems, storedKind, unveiled } from "./stored_values.js";

// Values of IndexedDB as JSON, in the form that Playwright gives them in a storage state.

const ARRAY_KINDS = {
  i8: Int8Array,
  ui8: Uint8Array,
  ui8c: Uint8ClampedArray,
  i16: Int16Array,
  ui16: Uint16Array,
  i32: Int32Array,
  ui32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
  bi64: BigInt64Array,
  bui64: BigUint64Array,
};
const SPECIAL_NUMBERS = new Map([
  ["NaN", Number.NaN],
  ["Infinity", Infinity],
  ["-Infinity", -Infinity],
  ["-0", -0],
]);

/** @param {Uint8Array} bytes */
const base64Of = (bytes) => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
};

/** @param {string} text */
const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

/** @param {any} value */
const isPlain = (value) => storedKind(value) === "Object";

// Whether a value is the same after it was written as JSON and read again.
/** @param {any} value @param {Set<any>} seen @returns {boolean} */
const isJson = (value, seen) => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (!(Array.isArray(value) || isPlain(value)) || seen.has(value)) return false;
  seen.add(value);
  return Object.values(value).every((part) => isJson(part, seen));
};

/** @param {any} value @returns {any} */
const encodedPrimitive = (value) => {
  if (value === undefined) return { v: "undefined" };
  if (value === null) return { v: "null" };
  if (typeof value === "bigint") return { bi: String(value) };
  if (typeof value !== "number") return value;
  for (const [name, number] of SPECIAL_NUMBERS) if (Object.is(value, number)) return { v: name };
  return value;
};

// An object without parts; undefined for one with parts.
/** @param {any} value @returns {any} */
const encodedLeaf = (value) => {
  const name = storedKind(value);
  if (name === "Date") return { d: value.toJSON() };
  if (name === "RegExp") return { r: { p: value.source, f: value.flags } };
  if (name === "Error")
    return { e: { n: value.name, m: value.message, s: value.stack ?? `${value.name}: ${value.message}` } };
  if (name === "ArrayBuffer") return { ab: { b: base64Of(storedBytes(value)) } };
  for (const [k, kind] of Object.entries(ARRAY_KINDS))
    if (name === kind.name) return { ta: { b: base64Of(storedBytes(value)), k } };
  return undefined;
};

/** @param {any} value @param {Map<any, number>} visited @returns {any} */
const encodedValue = (value, visited) => {
  if (typeof value !== "object" || value === null) return encodedPrimitive(value);
  const leaf = encodedLeaf(value);
  if (leaf !== undefined) return leaf;
  if (visited.has(value)) return { ref: visited.get(value) };
  const id = visited.size + 1;
  visited.set(value, id);
  /** @param {any} part */
  const encoded = (part) => encodedValue(part, visited);
  if (Array.isArray(value)) return { a: storedItems(value).map(encoded), id };
  const name = storedKind(value);
  if (name === "Map") return { m: storedItems(value).map(([k, v]) => ({ k: encoded(k), v: encoded(v) })), id };
  if (name === "Set") return { s: storedItems(value).map(encoded), id };
  // A file or a key that cannot be exported has no such form.
  if (!isPlain(value)) throw new TypeError(`${Object.prototype.toString.call(value)} cannot be saved`);
  return { o: Object.entries(value).map(([k, v]) => ({ k, v: encoded(v) })), id };
};

// A record's key or value under its own name, or under that of its encoded form.
/** @param {"key" | "value"} name @param {any} value */
const storedAs = (name, value) => {
  const whole = unveiled(value);
  return isJson(whole, new Set()) ? { [name]: whole } : { [`${name}Encoded`]: encodedValue(whole, new Map()) };
};

/** @param {any} encoded @param {Map<number, any>} refs @returns {any} */
const decodedParts = (encoded, refs) => {
  /** @template T @param {T} whole */
  const begun = (whole) => {
    refs.set(encoded.id, whole);
    return whole;
  };
  /** @param {any} part */
  const decoded = (part) => decodedValue(part, refs);
  if ("a" in encoded) {
    const list = begun(/** @type {any[]} */ ([]));
    for (const part of encoded.a) list.push(decoded(part));
    return list;
  }
  if ("m" in encoded) {
    const map = begun(new Map());
    for (const { k, v } of encoded.m) map.set(decoded(k), decoded(v));
    return map;
  }
  if ("s" in encoded) {
    const set = begun(new Set());
    for (const part of encoded.s) set.add(decoded(part));
    return set;
  }
  const object = begun(/** @type {Record<string, any>} */ ({}));
  for (const { k, v } of encoded.o) if (k !== "__proto__") object[k] = decoded(v);
  return object;
};

/** @param {any} encoded @returns {any} */
const decodedLeaf = (encoded) => {
  if ("d" in encoded) return new Date(encoded.d);
  if ("r" in encoded) return new RegExp(encoded.r.p, encoded.r.f);
  if ("u" in encoded) return encoded.u;
  if ("bi" in encoded) return BigInt(encoded.bi);
  if ("ab" in encoded) return bytesOf(encoded.ab.b).buffer;
  if ("ta" in encoded) {
    const kind = ARRAY_KINDS[/** @type {keyof typeof ARRAY_KINDS} */ (encoded.ta.k)];
    return new kind(bytesOf(encoded.ta.b).buffer);
  }
  const { n, m, s } = encoded.e;
  return Object.assign(new Error(m), { name: n, stack: s });
};

/** @param {any} encoded @param {Map<number, any>} refs @returns {any} */
const decodedValue = (encoded, refs) => {
  if (typeof encoded !== "object" || encoded === null) return encoded;
  if ("ref" in encoded) return refs.get(encoded.ref);
  if ("v" in encoded) return encoded.v === "null" ? null : SPECIAL_NUMBERS.get(encoded.v);
  return "a" in encoded || "m" in encoded || "s" in encoded || "o" in encoded
    ? decodedParts(encoded, refs)
    : decodedLeaf(encoded);
};

/** @param {"key" | "value"} name @param {Record<string, any>} record @returns {any} */
const readStored = (name, record) =>
  name in record ? record[name] : decodedValue(record[`${name}Encoded`], new Map());

// The IndexedDB databases of the page's origin: read all of them, or create them as they were.

/**
 * How many records and characters may still be read, and how many records could not be.
 * @typedef {{ records: number, characters: number, leftOut: number }} ReadBudget
 */

class OverBudget extends Error {}

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
const readDatabases = async (budget) => {
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
const createDatabase = async (saved) => {
  const request = indexedDB.open(saved.name, saved.version);
  request.onupgradeneeded = () => {
    for (const store of saved.stores) createObjectStore(request.result, store);
  };
  (await resultOf(request)).close();
};

/** @param {Storage} storage */
const itemsOf = (storage) =>
  Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? "").map((name) => ({
    name,
    value: storage.getItem(name) ?? "",
  }));

/** @param {{ name: string, value: string }[]} items */
const sizeOf = (items) => items.reduce((total, { name, value }) => total + name.length + value.length, 0);

/** @template T @param {Promise<T>} work @param {number} ms */
const unlessSlow = (work, ms) => Promise.race([work, new Promise((resolve) => setTimeout(resolve, ms, null))]);

// Null where a page has no storage, as in a sandbox. A part that is too large, or cannot be read in time, is null.
// Opening a database can wait for the page, which may be changing it: `ms` is the longest wait.
/** @param {number} characters @param {number} records @param {number} ms */
export const readStorage = async (characters, records, ms) => {
  if (!/^https?:$/.test(location.protocol) || self.origin === "null") return null;
  const [local, session] = [itemsOf(localStorage), itemsOf(sessionStorage)];
  const budget = { records, characters, leftOut: 0 };
  const databases = await unlessSlow(readDatabases(budget), ms);
  return {
    origin: location.origin,
    local: sizeOf(local) <= characters ? local : null,
    session: sizeOf(session) <= characters ? session : null,
    databases,
    leftOut: budget.leftOut,
  };
};

// Replaces local storage, and creates databases, which must not exist yet.
/** @param {{ name: string, value: string }[]} local @param {any[]} databases */
export const writeStorage = async (local, databases) => {
  localStorage.clear();
  for (const { name, value } of local) localStorage.setItem(name, value);
  for (const database of databases) await createDatabase(database);
};
