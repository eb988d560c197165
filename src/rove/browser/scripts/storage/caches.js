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
export const runOnCaches = async (request) => {
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
