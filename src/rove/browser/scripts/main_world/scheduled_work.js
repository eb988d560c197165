// Records the work that scripts of the page have scheduled and that has not run yet: timers, animation frames, idle
// callbacks, and messages to workers and servers that wait for a reply. An action waits for the work that it caused, and
// only the functions that schedule work know of it (page/scheduled_work.js asks for it).
//
// Work that a callback schedules belongs to the chain of that callback. A chain that began before an action, such as a
// clock or a drawing loop, is not waited for. Chains that go through a fetch are lost and begin anew; delays that the
// page keeps using while no action runs are therefore known as its own.

import { WORK_ANSWER, WORK_QUESTION } from "./event_names.js";
import {
  announcing,
  callNative,
  NativeCustomEvent,
  nativeApply,
  nativeDescriptor,
  nativeDispatch,
  nativeListen,
  nativeStringify,
} from "./natives.js";

const nativePerformance = performance;
const nativeNow = performance.now;
const nativeQueueMicrotask = queueMicrotask;
const now = () => nativeApply(nativeNow, nativePerformance, []);

/** @type {Record<string, { began: number, due: number, period: number, ticks: number, name: string }>} */
const scheduledWork = { __proto__: /** @type {any} */ (null) };

// The moment at which the chain of the running callback began; null outside of callbacks.
/** @type {number | null} */
let chainBegan = null;
let chainTurn = 0;

// An `await` in a callback continues in a microtask, some turns after the callback has returned.
const MICROTASK_TURNS = 32;

/** @param {number} turn @param {number} turns */
const endChain = (turn, turns) => {
  if (turn !== chainTurn) return;
  if (turns === 0) chainBegan = null;
  else nativeApply(nativeQueueMicrotask, undefined, [() => endChain(turn, turns - 1)]);
};

// The microtasks of a callback run when it has returned or thrown.
/** @param {number} began */
const beginChain = (began) => {
  chainBegan = began;
  endChain(++chainTurn, MICROTASK_TURNS);
};

// Delays, and names of functions, that the page has used repeatedly while no action ran.
const OWN_AFTER_MS = 3000;
const OWN_AFTER_USES = 3;
const MAX_OWN_NAMES = 1000;
/** @type {Record<string, number>} */
const ownUses = { __proto__: /** @type {any} */ (null) };
let ownNames = 0;
let lastActionAt = 0;

/** @param {string} name @param {number} at */
const isOwnWork = (name, at) => {
  const uses = ownUses[name] ?? 0;
  if (at - lastActionAt > OWN_AFTER_MS && uses < OWN_AFTER_USES) {
    if (uses === 0 && ++ownNames > MAX_OWN_NAMES) return false;
    ownUses[name] = uses + 1;
  }
  return uses >= OWN_AFTER_USES;
};

/** @param {any} delay */
const delayOf = (delay) => {
  const number = typeof delay === "number" || typeof delay === "string" ? +delay : 0;
  // Not with Math.max, which the page may have replaced.
  if (!(number > 0)) return 0;
  return number;
};

/** @typedef {"timeout" | "interval" | "frame" | "idle"} WorkKind */

/** @param {WorkKind} kind @param {Function} callback @param {any} option */
const describeWork = (kind, callback, option) => {
  const at = now();
  const delay = kind === "timeout" || kind === "interval" ? delayOf(option) : 0;
  // Not read as a property, which a page may have given a getter.
  const called = nativeDescriptor(callback, "name")?.value;
  const name = `${kind} ${delay} ${typeof called === "string" ? called : ""}`;
  const isOwn = kind === "timeout" && isOwnWork(name, at);
  return {
    began: isOwn ? -1 : (chainBegan ?? at),
    due: at + delay,
    period: kind === "interval" ? delay : 0,
    ticks: 0,
    name: kind,
  };
};

/** @param {"setTimeout" | "setInterval" | "requestAnimationFrame" | "requestIdleCallback"} name @param {WorkKind} kind */
const recordScheduling = (name, kind) => {
  const native = globalThis[name];
  if (!native) return; // not every engine has idle callbacks
  const prefix = kind === "interval" || kind === "timeout" ? "timer" : kind;
  /** @type {any} */ (globalThis)[name] = new Proxy(native, {
    apply(target, self, given) {
      const callback = given[0];
      if (typeof callback !== "function") return callNative(target, self, given);
      const work = describeWork(kind, callback, given[1]);
      let key = "";
      given[0] = announcing(callback, () => {
        work.ticks += 1;
        work.due = now() + work.period;
        if (kind !== "interval") delete scheduledWork[key];
        beginChain(work.began);
      });
      const id = callNative(target, self, given);
      key = prefix + id;
      scheduledWork[key] = work;
      return id;
    },
  });
};

/** @param {"clearTimeout" | "clearInterval" | "cancelAnimationFrame" | "cancelIdleCallback"} name @param {string} prefix */
const recordCancelling = (name, prefix) => {
  if (!globalThis[name]) return;
  /** @type {any} */ (globalThis)[name] = new Proxy(globalThis[name], {
    apply(target, self, given) {
      const id = given[0];
      if (typeof id === "number" || typeof id === "string") delete scheduledWork[prefix + id];
      return callNative(target, self, given);
    },
  });
};

// How long a reply is waited for. A worker or server that has once left a message without a reply is not waited for again.
const REPLY_MS = 1000;
const weakMapGet = WeakMap.prototype.get;
const weakMapSet = WeakMap.prototype.set;
/** @type {WeakMap<object, { key: string, replies: number, messages: number }>} */
const conversations = new WeakMap();
let conversationCount = 0;

/** @param {EventTarget} peer */
const startConversation = (peer) => {
  const conversation = { key: `reply${++conversationCount}`, replies: 0, messages: 0 };
  nativeApply(weakMapSet, conversations, [peer, conversation]);
  const onReply = () => {
    conversation.replies += 1;
    conversation.messages = 0;
    delete scheduledWork[conversation.key];
  };
  nativeApply(nativeListen, peer, ["message", onReply, true]);
  return conversation;
};

/** @param {EventTarget} peer */
const noteMessage = (peer) => {
  const conversation = nativeApply(weakMapGet, conversations, [peer]) ?? startConversation(peer);
  conversation.messages += 1;
  if (conversation.messages > 1 && conversation.replies === 0) return;
  const at = now();
  scheduledWork[conversation.key] = { began: chainBegan ?? at, due: at + REPLY_MS, period: 0, ticks: 0, name: "reply" };
};

/** @param {"Worker" | "WebSocket"} type @param {string} method */
const recordMessages = (type, method) => {
  /** @type {any} */
  const prototype = globalThis[type]?.prototype;
  if (!prototype) return;
  prototype[method] = new Proxy(prototype[method], {
    apply(target, self, given) {
      const result = callNative(target, self, given);
      noteMessage(self);
      return result;
    },
  });
};

// Work that should have run long ago belongs to a document that is hidden or throttled, or was cancelled out of sight.
const OVERDUE_MS = 1000;
const MAX_WORK_ASKED = 2000;

// Answers with the work of chains that began at a moment or later: its name and the milliseconds until it is due.
/** @param {number} since */
const workSince = (since) => {
  const at = now();
  const found = [];
  let asked = 0;
  for (const key in scheduledWork) {
    const work = scheduledWork[key];
    if (at - work.due > (work.name === "reply" ? 0 : OVERDUE_MS)) {
      delete scheduledWork[key];
      continue;
    }
    if (++asked > MAX_WORK_ASKED) break;
    if (work.began >= since) found[found.length] = [work.name, work.due - at, work.period, work.ticks];
  }
  return found;
};

/** @param {CustomEvent} event */
const onWorkQuestion = (event) => {
  const since = +event.detail;
  if (!(since >= 0)) {
    lastActionAt = now(); // an action begins
    return;
  }
  const answer = new NativeCustomEvent(WORK_ANSWER, { detail: nativeStringify(workSince(since)) });
  nativeApply(nativeDispatch, globalThis, [answer]);
};

export const recordScheduledWork = () => {
  recordScheduling("setTimeout", "timeout");
  recordScheduling("setInterval", "interval");
  recordScheduling("requestAnimationFrame", "frame");
  recordScheduling("requestIdleCallback", "idle");
  recordCancelling("clearTimeout", "timer");
  recordCancelling("clearInterval", "timer");
  recordCancelling("cancelAnimationFrame", "frame");
  recordCancelling("cancelIdleCallback", "idle");
  recordMessages("Worker", "postMessage");
  recordMessages("WebSocket", "send");
  nativeApply(nativeListen, globalThis, [WORK_QUESTION, onWorkQuestion, true]);
};
