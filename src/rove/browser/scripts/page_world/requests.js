// Requests that scripts of the page send, from when they are sent until they are answered. What the page loaded before
// the script was installed, and what its elements load, is not among them.

import { reportQueue } from "./report_queue.js";

let requestCount = 0;
const MAX_ADDRESS = 2000;

/** @param {string} method @param {string} url */
const beginRequest = (method, url) => {
  requestCount += 1;
  let address = url;
  try {
    address = new URL(url, document.baseURI).href;
  } catch {
    // The browser refuses it in its own words.
  }
  reportQueue.add(["request", requestCount, method.toUpperCase(), address.slice(0, MAX_ADDRESS), Date.now()]);
  return requestCount;
};

/** @param {number} number @param {number} status */
const endRequest = (number, status) => reportQueue.add(["answer", number, status, Date.now()]);

const recordFetch = () => {
  globalThis.fetch = new Proxy(globalThis.fetch, {
    apply(target, self, given) {
      const [resource, options] = given;
      const method = options?.method ?? (resource instanceof Request ? resource.method : "GET");
      const number = beginRequest(`${method}`, resource instanceof Request ? resource.url : `${resource}`);
      /** @type {Promise<Response>} */
      const answer = Reflect.apply(target, self, given);
      answer.then(
        (response) => endRequest(number, response.status),
        () => endRequest(number, 0),
      );
      return answer;
    },
  });
};

const recordXhr = () => {
  /** @type {WeakMap<XMLHttpRequest, [string, string]>} */
  const opened = new WeakMap();
  XMLHttpRequest.prototype.open = new Proxy(XMLHttpRequest.prototype.open, {
    apply(target, self, given) {
      opened.set(self, [`${given[0]}`, `${given[1]}`]);
      return Reflect.apply(target, self, given);
    },
  });
  XMLHttpRequest.prototype.send = new Proxy(XMLHttpRequest.prototype.send, {
    apply(target, self, given) {
      const number = beginRequest(...(opened.get(self) ?? ["GET", ""]));
      self.addEventListener("loadend", () => endRequest(number, self.status), { once: true });
      return Reflect.apply(target, self, given);
    },
  });
};

export const recordRequests = () => {
  recordFetch();
  recordXhr();
};
