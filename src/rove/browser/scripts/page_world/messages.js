// What the page writes to its console, and errors that no script of it has caught.

import { reportQueue } from "./report_queue.js";

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

export const recordMessages = () => {
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
