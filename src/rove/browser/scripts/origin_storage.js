// The entry of the script that reads and changes what the page's origin stores.

import { runOnCaches } from "./storage/caches.js";
import { runOnDatabases } from "./storage/databases.js";
import { runOnWebStorage } from "./storage/web_storage.js";

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
