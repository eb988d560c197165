// How far the document has come, and that it is about to be replaced, of which the driver learns in no other way.

import { reportQueue } from "./report_queue.js";

// Tells the document from all others.
export const documentId = `${Math.random().toString(36).slice(2)}${Date.now().toString(36)}`;

let lastUrl = location.href;

// The date of documents that rove's proxy answers with itself, in milliseconds.
const PROXY_DATE = 1000;

// What rove's proxy says of a document that it answered itself, in place of the server. After a redirect from another
// origin, browsers tell only the date.
const proxyReasons = () => {
  const [navigation] = performance.getEntriesByType("navigation");
  const timing = /** @type {PerformanceNavigationTiming | undefined} */ (navigation)?.serverTiming ?? [];
  if (!timing.length && Date.parse(document.lastModified) === PROXY_DATE) return { "x-rove-refused": "" };
  return Object.fromEntries(timing.map(({ name, description }) => [name, description]));
};

const documentState = () => ({
  id: documentId,
  url: location.href,
  origin: self.origin,
  type: document.contentType,
  stage: document.readyState,
  title: document.title,
  reasons: proxyReasons(),
});

const reportUrl = () => {
  if (location.href === lastUrl) return;
  lastUrl = location.href;
  reportQueue.add(["moved", lastUrl]);
};

/** @param {"pushState" | "replaceState"} name */
const recordHistory = (name) => {
  History.prototype[name] = new Proxy(History.prototype[name], {
    apply(target, self, given) {
      const result = Reflect.apply(target, self, given);
      reportUrl();
      return result;
    },
  });
};

export const noteDocument = () => {
  recordHistory("pushState");
  recordHistory("replaceState");
  for (const name of ["hashchange", "popstate"]) addEventListener(name, reportUrl, { capture: true });
  document.addEventListener("readystatechange", () => reportQueue.add(["stage", document.readyState]));
  addEventListener("beforeunload", () => reportQueue.add(["leaving"]), { capture: true });
  addEventListener("pageshow", () => reportQueue.add(["stage", document.readyState]));
  return documentState;
};
