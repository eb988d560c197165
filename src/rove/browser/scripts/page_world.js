// The entry of rove's script in the page's own world, for engines without isolated worlds, and what WebDriver does not
// tell of a page. The page could tamper with it if it knew of it, so that nothing on `window` shows it: each call asks for
// it by an event that only the driver can name.

import { callNumbered, refNumber } from "./dom/refs.js";
import { driverCalls } from "./isolated_world.js";
import { reportTo } from "./page/reports.js";

// Reports that wait for the driver, which asks for the next ones and is answered as soon as there are some.

const MAX_REPORTS = 500;
// A turn later, so that reports of one event are answered together.
const GATHERING_MS = 5;
const nativeSetTimeout = setTimeout;

/** @type {any[][]} */
let reports = [];
let droppedReports = 0;
let toldReports = 0;
/** @type {(() => void) | null} */
let wakeAsker = null;

const takeReports = () => {
  toldReports += reports.length;
  const taken = { reports, dropped: droppedReports, told: toldReports };
  reports = [];
  droppedReports = 0;
  return taken;
};

// Makes room for a report: the newest console messages are kept, and all uncaught errors and other reports that can be.
const dropOldestMessage = () => {
  const oldest = reports.findIndex((report) => report[0] === "message" && report[1] !== "exception");
  if (oldest >= 0) reports.splice(oldest, 1);
  droppedReports += 1;
};

const reportQueue = {
  /** @param {any[]} report */
  add: (report) => {
    if (reports.length >= MAX_REPORTS) dropOldestMessage();
    if (reports.length < MAX_REPORTS) reports.push(report);
    if (wakeAsker) nativeSetTimeout(wakeAsker, GATHERING_MS);
    wakeAsker = null;
  },
  // Answers with the reports since the last call, or with none after some milliseconds.
  /** @param {number} ms */
  next: (ms) => {
    if (reports.length || droppedReports || ms === 0) return takeReports();
    return new Promise((resolve) => {
      const answer = () => resolve(takeReports());
      wakeAsker = answer;
      nativeSetTimeout(() => {
        if (wakeAsker === answer) wakeAsker = null;
        answer();
      }, ms);
    });
  },
};

// How far the document has come, and that it is about to be replaced, of which the driver learns in no other way.

// Tells the document from all others.
const documentId = `${Math.random().toString(36).slice(2)}${Date.now().toString(36)}`;

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

const noteDocument = () => {
  recordHistory("pushState");
  recordHistory("replaceState");
  for (const name of ["hashchange", "popstate"]) addEventListener(name, reportUrl, { capture: true });
  document.addEventListener("readystatechange", () => reportQueue.add(["stage", document.readyState]));
  addEventListener("beforeunload", () => reportQueue.add(["leaving"]), { capture: true });
  addEventListener("pageshow", () => reportQueue.add(["stage", document.readyState]));
  return documentState;
};

// Calls of the driver. An answer is lost where a dialog opens during the call, so that each is kept until it was told.

const nativeStringify = JSON.stringify;
const MAX_KEPT = 50;
/** @type {Map<number, Promise<string>>} */
const keptCalls = new Map();

/** @param {any} error */
const thrownText = (error) => {
  if (!(error instanceof Error)) return `${error}`;
  return `${error.name}: ${error.message}`;
};

/** @param {number} first @param {(...rest: any[]) => any} work @param {any[]} rest */
const answerOf = async (first, work, rest) => {
  try {
    const { value, next } = await callNumbered(first, work, rest);
    return nativeStringify({ value, next, document: documentId });
  } catch (error) {
    return nativeStringify({ thrown: thrownText(error), document: documentId });
  }
};

// Runs a call once, by whichever attempt of the driver arrives first.
/** @param {number} call @param {number} first @param {(...rest: any[]) => any} work @param {any[]} rest */
const runCall = (call, first, work, rest) => {
  const kept = keptCalls.get(call);
  if (kept) return kept;
  const answer = answerOf(first, work, rest);
  keptCalls.set(call, answer);
  if (keptCalls.size > MAX_KEPT) keptCalls.delete(keptCalls.keys().next().value ?? 0);
  return answer;
};

// Requests that scripts of the page send, from when they are sent until they are answered. What the page loaded before
// the script was installed, and what its elements load, is not among them.

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

// What the page writes to its console, and errors that no script of it has caught.

const MAX_CONSOLE_TEXT = 2000;
const CONSOLE_METHODS = ["debug", "log", "info", "warn", "error"];

/** @param {any} value @returns {string} */
const textOf = (value) => {
  if (typeof value === "string") return value;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (typeof value !== "object" || value === null) return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
};

/** @param {any} value */
const plainArgument = (value) => {
  if (value === null || ["string", "number", "boolean"].includes(typeof value)) return value;
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return textOf(value);
  }
};

/** @param {string} kind @param {any[]} given @param {string} place */
const reportMessage = (kind, given, place) => {
  const text = given.map(textOf).join(" ").slice(0, MAX_CONSOLE_TEXT);
  reportQueue.add([
    "message",
    kind,
    text,
    place,
    Date.now(),
    text.length < MAX_CONSOLE_TEXT ? given.map(plainArgument) : [],
  ]);
};

/** @param {ErrorEvent} event */
const onError = (event) => {
  if (!event.message) return; // an element that did not load
  reportMessage("exception", [event.error ?? event.message], `${event.filename}:${event.lineno}:${event.colno}`);
};

const recordMessages = () => {
  for (const name of CONSOLE_METHODS) {
    /** @type {any} */ (console)[name] = new Proxy(/** @type {any} */ (console)[name], {
      apply(target, self, given) {
        reportMessage(name, given, "");
        return Reflect.apply(target, self, given);
      },
    });
  }
  addEventListener("error", onError, { capture: true });
  addEventListener("unhandledrejection", (event) =>
    reportMessage("exception", ["Uncaught (in promise)", event.reason], ""),
  );
};

// The kind of a dialog and the default of a prompt, which WebDriver does not tell. They are written ahead of the message
// in characters that are not drawn.

const FIRST_MARK = 0xfe00; // the variation selectors, of which there are sixteen
const DIALOG_KINDS = ["alert", "confirm", "prompt"];
const MAX_DEFAULT = 500;

/** @param {string} text */
const hiddenText = (text) => {
  let marks = "";
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    for (const shift of [12, 8, 4, 0]) marks += String.fromCharCode(FIRST_MARK + ((unit >> shift) & 15));
  }
  return marks;
};

/** @param {string} kind @param {string} text */
const markOf = (kind, text) => hiddenText(`${NONCE}${DIALOG_KINDS.indexOf(kind)}${text.slice(0, MAX_DEFAULT)}`);

const announceDialogs = () => {
  for (const kind of DIALOG_KINDS) {
    /** @type {any} */ (globalThis)[kind] = new Proxy(/** @type {any} */ (globalThis)[kind], {
      apply(target, self, given) {
        const message = given.length ? `${given[0]}` : "";
        const preset = kind === "prompt" && given[1] !== undefined ? `${given[1]}` : "";
        return Reflect.apply(target, self, [`${markOf(kind, preset)}\u2060${message}`, ...given.slice(1)]);
      },
    });
  }
};

// File choosers: WebDriver cannot answer the one that the browser would open, so that none opens and the driver is told.

/** @param {HTMLInputElement} input */
const reportChooser = (input) => reportQueue.add(["chooser", `e${refNumber(input)}`]);

/** @param {any} target @returns {target is HTMLInputElement} */
const isChooserInput = (target) => target instanceof HTMLInputElement && target.type === "file" && !target.disabled;

/** @param {Event} event */
const onPress = (event) => {
  const [target] = event.composedPath();
  if (!isChooserInput(target)) return;
  event.preventDefault();
  reportChooser(target);
};

const interceptChoosers = () => {
  addEventListener("click", onPress, { capture: true });
  for (const name of /** @type {const} */ (["click", "showPicker"])) {
    const prototype = name === "click" ? HTMLElement.prototype : HTMLInputElement.prototype;
    /** @type {any} */ (prototype)[name] = new Proxy(/** @type {any} */ (prototype)[name], {
      apply(target, self, given) {
        const isLost = isChooserInput(self) && (name === "showPicker" || !self.isConnected);
        if (!isLost) return Reflect.apply(target, self, given);
        reportChooser(self);
      },
    });
  }
};

// Every page is treated as focused, whichever window is: none of them is in front of a person.

/** @param {Window} view @returns {boolean} */
const leadsToFocus = (view) => {
  if (view === view.parent) return true;
  try {
    const holder = view.frameElement;
    return holder !== null && holder.ownerDocument.activeElement === holder && leadsToFocus(view.parent);
  } catch {
    return view.document.activeElement !== view.document.body; // the page around it is of another origin
  }
};

const treatAsFocused = () => {
  Document.prototype.hasFocus = new Proxy(Document.prototype.hasFocus, {
    apply: (target, self, given) =>
      Reflect.apply(target, self, given) || (self.defaultView !== null && leadsToFocus(self.defaultView)),
  });
};

// The entry itself.

const pageWorldCalls = { ...driverCalls, runCall, nextReports: reportQueue.next, documentState: noteDocument() };

reportTo((binding, message) => reportQueue.add([binding, message]));
recordFetch();
recordXhr();
recordMessages();
announceDialogs();
treatAsFocused();
interceptChoosers();
performance.addEventListener(`called-by-${NONCE}`, (event) => {
  /** @type {CustomEvent} */ (event).detail.rove = pageWorldCalls;
});
