// What the page's origin has stored: local storage, session storage and IndexedDB.

import { createDatabase, readDatabases } from "./saved_databases.js";

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
