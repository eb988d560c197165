// Records the work that scripts of the page have scheduled and that has not run yet: timers, animation frames, idle
// callbacks, messages of a channel, and messages to workers and servers that wait for a reply. An action waits for the
// work that it caused, and only the functions that schedule work know of it (page/scheduled_work.js asks for it).
//
// Work that a callback schedules belongs to the chain of that callback. A chain that began before an action, such as a
// clock or a drawing loop, is not waited for. Chains that go through a fetch are lost and begin anew; delays that the
// page keeps using while no action runs are therefore known as its own.
//
// Work that repeats, the same callback after the same delay, is counted. The driver decides when it is idle, as nothing
// has come of it, and no longer waits for it; an effect of it makes it count again, for good.

import { WORK_ANSWER, WORK_QUESTION } from "./event_names.js";
import {
  announcing,
  callNative,
  NativeCustomEvent,
  nativeApply,
  nativeConstruct,
  nativeDescriptor,
  nativeDispatch,
  nativeListen,
  nativeParse,
  nativeSlice,
  nativeStringify,
} from "./natives.js";

const nativePerformance = performance;
const nativeNow = performance.now;
const nativeQueueMicrotask = queueMicrotask;
const now = () => nativeApply(nativeNow, nativePerformance, []);

// How often the same callback has run after the same delay: in all, and without effect since a moment; for how many
// milliseconds in all, when it last had one, when an action took it up, and whether it is known to be idle.
/** @typedef {{ source: string, total: number, runs: number, since: number, busy: number, changed: number, taken: number, isIdle: boolean }} Repetition */
/** @typedef {{ began: number, due: number, period: number, ticks: number, name: string, repetition: Repetition }} Work */

/** @type {Record<string, Work>} */
const scheduledWork = { __proto__: /** @type {any} */ (null) };

// The work whose callback runs; null outside of callbacks.
/** @type {Work | null} */
let running = null;
let runningTurn = 0;
let runningSince = 0;

// An `await` in a callback continues in a microtask, some turns after the callback has returned.
const MICROTASK_TURNS = 32;

/** @param {number} turn @param {number} turns */
const endRun = (turn, turns) => {
  if (turn !== runningTurn) return;
  if (turns === MICROTASK_TURNS - 1 && running) running.repetition.busy += now() - runningSince;
  if (turns === 0) running = null;
  else nativeApply(nativeQueueMicrotask, undefined, [() => endRun(turn, turns - 1)]);
};

// The microtasks of a callback run when it has returned or thrown.
/** @param {Work} work */
const beginRun = (work) => {
  running = work;
  runningSince = now();
  work.ticks += 1;
  work.repetition.total += 1;
  work.repetition.runs += 1;
  endRun(++runningTurn, MICROTASK_TURNS);
};

const nativeToString = Function.prototype.toString;
const nativeIncludes = String.prototype.includes;
const LONGEST_SOURCE = 2000;

// Callbacks that were idle, and those that have once had an effect, which are never idle again.
/** @type {Record<string, true>} */
const idleSources = { __proto__: /** @type {any} */ (null) };
/** @type {Record<string, true>} */
const effectiveSources = { __proto__: /** @type {any} */ (null) };
let knownSources = 0;
const MAX_SOURCES = 500;

/** @param {Record<string, true>} sources @param {string} source */
const rememberSource = (sources, source) => {
  if (sources[source] || nativeApply(nativeIncludes, source, ["[native code]"])) return; // such as a `resolve`
  if (++knownSources <= MAX_SOURCES) sources[source] = true;
};

// The repetition that scheduled work belongs to: that of the running callback, if it schedules itself again.
/** @param {WorkKind} kind @param {number} delay @param {Function} callback @param {number} at @returns {Repetition} */
const repetitionOf = (kind, delay, callback, at) => {
  const text = nativeApply(nativeToString, callback, []);
  const source = `${kind} ${delay} ${text.length > LONGEST_SOURCE ? nativeApply(nativeSlice, text, [0, LONGEST_SOURCE]) + text.length : text}`;
  const last = running?.repetition;
  if (last && last.source === source) return last;
  return {
    source,
    total: 0,
    runs: 0,
    since: at,
    busy: 0,
    changed: -Infinity,
    taken: -Infinity,
    isIdle: idleSources[source] === true,
  };
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

/** @typedef {"timeout" | "interval" | "frame" | "idle" | "task"} WorkKind */

/** @param {WorkKind} kind @param {Function} callback @param {any} option @returns {Work} */
const describeWork = (kind, callback, option) => {
  const at = now();
  const delay = kind === "frame" || kind === "idle" ? 0 : delayOf(option);
  // Not read as a property, which a page may have given a getter.
  const called = nativeDescriptor(callback, "name")?.value;
  const name = `${kind} ${delay} ${typeof called === "string" ? called : ""}`;
  const isOwn = kind === "timeout" && isOwnWork(name, at);
  return {
    began: isOwn ? -1 : (running?.began ?? at),
    due: at + delay,
    period: delay,
    ticks: 0,
    name: kind,
    repetition: repetitionOf(kind, delay, callback, at),
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
        work.due = now() + work.period;
        if (kind !== "interval") delete scheduledWork[key];
        beginRun(work);
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

const nativeThen = Promise.prototype.then;
let taskCount = 0;

// Tasks with a priority, and those that let others run in between.
const recordTasks = () => {
  /** @type {any} */
  const prototype = /** @type {any} */ (globalThis).Scheduler?.prototype;
  if (!prototype?.postTask) return; // not every engine has them
  prototype.postTask = new Proxy(prototype.postTask, {
    apply(target, self, given) {
      const [callback, options] = given;
      if (typeof callback !== "function") return callNative(target, self, given);
      const delay = typeof options === "object" && options !== null ? nativeDescriptor(options, "delay")?.value : 0;
      const work = describeWork("task", callback, delay);
      const key = `task${++taskCount}`;
      given[0] = announcing(callback, () => {
        delete scheduledWork[key];
        beginRun(work);
      });
      const promise = callNative(target, self, given);
      scheduledWork[key] = work;
      return promise;
    },
  });
  if (!prototype.yield) return;
  prototype.yield = new Proxy(prototype.yield, {
    apply(target, self, given) {
      const promise = callNative(target, self, given);
      const work = describeWork("task", target, 0);
      const key = `task${++taskCount}`;
      scheduledWork[key] = work;
      const onEnd = () => {
        delete scheduledWork[key];
        beginRun(work);
      };
      nativeApply(nativeThen, promise, [onEnd, onEnd]);
      return promise;
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

/** @type {Repetition} */
const NO_REPETITION = {
  source: "",
  total: 0,
  runs: 0,
  since: 0,
  busy: 0,
  changed: -Infinity,
  taken: -Infinity,
  isIdle: false,
};

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
  const began = running?.began ?? at;
  scheduledWork[conversation.key] = {
    began,
    due: at + REPLY_MS,
    period: 0,
    ticks: 0,
    name: "reply",
    repetition: NO_REPETITION,
  };
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

// A message to the other end of a channel in the same document, with which schedulers cut long work into slices. It is
// delivered at once unless the page works; a port that was given away delivers elsewhere.
const DELIVERY_MS = 100;
// What a port sends so soon after it was sent something belongs to the same chain.
const SLICE_MS = 50;
/** @typedef {{ began: number, last: number, keys: string[] }} Channel */
/** @type {WeakMap<object, Channel>} */
const channels = new WeakMap();
let messageCount = 0;

/** @param {MessagePort} port @param {Channel} channel */
const followPort = (port, channel) => {
  nativeApply(weakMapSet, channels, [port, channel]);
  const onMessage = () => {
    for (let i = 0; i < channel.keys.length; i++) delete scheduledWork[channel.keys[i]];
    channel.keys.length = 0;
    channel.last = now();
  };
  nativeApply(nativeListen, port, ["message", onMessage, true]);
};

/** @param {"port1" | "port2"} name */
const portGetter = (name) => /** @type {any} */ (nativeDescriptor(MessageChannel.prototype, name)).get;
const portGetters = [portGetter("port1"), portGetter("port2")];

const recordChannels = () => {
  globalThis.MessageChannel = new Proxy(MessageChannel, {
    construct(target, given, subclass) {
      const made = nativeConstruct(target, given, subclass);
      /** @type {Channel} */
      const channel = { began: 0, last: -Infinity, keys: [] };
      for (let i = 0; i < portGetters.length; i++) followPort(nativeApply(portGetters[i], made, []), channel);
      return made;
    },
  });
  MessagePort.prototype.postMessage = new Proxy(MessagePort.prototype.postMessage, {
    apply(target, self, given) {
      const result = callNative(target, self, given);
      const channel = nativeApply(weakMapGet, channels, [self]);
      if (!channel) return result;
      const at = now();
      if (at - channel.last > SLICE_MS) channel.began = running?.began ?? at;
      const key = `message${++messageCount}`;
      channel.keys[channel.keys.length] = key;
      scheduledWork[key] = {
        began: channel.began,
        due: at,
        period: 0,
        ticks: 0,
        name: "message",
        repetition: NO_REPETITION,
      };
      return result;
    },
  });
};

// Work that should have run long ago belongs to a document that is hidden or throttled, or was cancelled out of sight.
const OVERDUE_MS = 1000;
/** @type {Record<string, number>} */
const OVERDUE = { __proto__: /** @type {any} */ (null), reply: 0, message: DELIVERY_MS };
const MAX_WORK_ASKED = 2000;

// When the chain of some work began, or was taken up by an action.
/** @param {Work} work */
const beginningOf = ({ began, repetition }) => {
  if (repetition.taken > began) return repetition.taken; // not with Math.max, which the page may have replaced
  return began;
};

// Answers with the work of chains that began at a moment or later: its name, the milliseconds until it is due, its
// period and ticks, and how it repeats: how often, for how long, how much of that time it ran, and whether it is idle (1)
// or never will be (-1).
/** @param {number} since */
const workSince = (since) => {
  const at = now();
  const found = [];
  let asked = 0;
  for (const key in scheduledWork) {
    const work = scheduledWork[key];
    if (at - work.due > (OVERDUE[work.name] ?? OVERDUE_MS)) {
      delete scheduledWork[key];
      continue;
    }
    if (++asked > MAX_WORK_ASKED) break;
    if (beginningOf(work) < since) continue;
    const { source, runs, since: first, busy, isIdle } = work.repetition;
    const state = isIdle ? 1 : effectiveSources[source] ? -1 : 0;
    found[found.length] = [work.name, work.due - at, work.period, work.ticks, runs, at - first, busy, state];
  }
  return found;
};

// Notes that what has repeated for long enough since a moment has had no effect.
/** @param {number} since @param {number} runs @param {number} milliseconds */
const markIdle = (since, runs, milliseconds) => {
  const at = now();
  for (const key in scheduledWork) {
    const { repetition } = scheduledWork[key];
    if (beginningOf(scheduledWork[key]) < since || repetition.runs < runs || at - repetition.since < milliseconds)
      continue;
    repetition.isIdle = true;
    rememberSource(idleSources, repetition.source);
  }
};

// A loop that is older than the action and has changed nothing for so long before it works for the action from its first
// change on: one ticker runs all animations of a page that uses an animation library.
const RESTED_MS = 500;
const RESTED_PERIODS = 2.5;

// Notes that the document changes, by the callback that runs; answers with when its chain began, its period, and whether
// it repeats.
const noteEffect = () => {
  if (!running) return null;
  const { repetition, period, name } = running;
  const rested = lastActionAt - repetition.changed;
  if (beginningOf(running) < lastActionAt && rested > RESTED_MS && rested > RESTED_PERIODS * period)
    repetition.taken = now();
  const began = beginningOf(running);
  repetition.changed = now();
  if (repetition.isIdle || idleSources[repetition.source]) {
    rememberSource(effectiveSources, repetition.source);
    delete idleSources[repetition.source];
  }
  repetition.isIdle = false;
  repetition.since = now();
  repetition.runs = 0;
  return [began, period, name === "interval" || repetition.total > 1];
};

// The question of the driver: `action` as one begins, `effect`, `idle` with numbers, or `work` since a moment.
/** @param {CustomEvent} event */
const onWorkQuestion = (event) => {
  const [name, since, runs, milliseconds] = nativeParse(event.detail);
  /** @type {any} */
  let answer = null;
  if (name === "action") lastActionAt = now();
  else if (name === "effect") answer = noteEffect();
  else if (name === "idle") markIdle(since, runs, milliseconds);
  else answer = workSince(since);
  if (answer)
    nativeApply(nativeDispatch, globalThis, [new NativeCustomEvent(WORK_ANSWER, { detail: nativeStringify(answer) })]);
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
  recordChannels();
  recordTasks();
  nativeApply(nativeListen, globalThis, [WORK_QUESTION, onWorkQuestion, true]);
};
