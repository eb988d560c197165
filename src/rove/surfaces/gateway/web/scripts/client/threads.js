// The conversations, each a list of items in the order in which they began.

/** @import { Attachment, Facts } from "./wire.js" */
/**
 * @typedef {object} ThreadItem
 * @property {string} key
 * @property {"user" | "assistant" | "server" | "tool" | "error" | "note"} kind
 * @property {string} [runId]
 * @property {string} text
 * @property {string} [tool]
 * @property {Facts} [arguments]
 * @property {string[]} [progress]
 * @property {boolean} [isRunning]
 * @property {boolean} [ok]
 * @property {Attachment[]} [attachments]
 * @property {string} [stopReason]
 * @property {Facts} [usage]
 * @property {string} [hint]
 * @property {boolean} [isQueued]
 */

/** The items of one session, and the runs that go on in it. */
export class Thread {
  /** @type {ThreadItem[]} */
  items = [];
  /** Runs that have not ended, each with the id of its first event. @type {Map<string, number>} */
  running = new Map();
  /** Whether the part before this page was opened has been read. */
  hasHistory = false;

  /**
   * @param {string} name
   * @param {Facts} data
   * @param {number} eventId
   */
  read(name, data, eventId) {
    if (data.runId && !this.running.has(data.runId)) this.running.set(data.runId, eventId);
    READERS[name]?.(this, data, eventId);
    if (name === "chat.final" || name === "chat.error") this.#end(data.runId);
  }

  /**
   * Put what the journal says before the events, except for what the events have told already.
   * @param {ThreadItem[]} items
   */
  addHistory(items) {
    const keys = new Set(this.items.map((item) => item.key));
    // The events of a run are all here if its first one is: the message of the user.
    const runs = new Set(this.items.filter((item) => item.kind === "user").map((item) => item.runId));
    const earlier = items.filter((item) => !keys.has(item.key) && !(item.runId && runs.has(item.runId)));
    this.items = [...earlier, ...this.items];
    this.hasHistory = true;
  }

  /** @param {ThreadItem} item */
  add(item) {
    this.items.push(item);
    return item;
  }

  /** @param {string} key */
  find(key) {
    return this.items.find((item) => item.key === key);
  }

  /** @param {string} runId */
  #end(runId) {
    this.running.delete(runId);
    for (const item of this.items) if (item.runId === runId) item.isRunning = false;
  }
}

/** @type {Record<string, (thread: Thread, data: any, eventId: number) => void>} */
const READERS = {
  "chat.message": (thread, { runId, text, isQueued }, eventId) =>
    thread.add({ key: `user ${eventId}`, kind: "user", runId, text, isQueued }),
  "chat.waiting": (thread, { runId, seconds }, eventId) => {
    const text = `The model is busy. It is asked again in ${Math.round(seconds)} s.`;
    thread.add({ key: `note ${eventId}`, kind: "note", runId, text });
  },
  "chat.compacted": (thread, { runId, text }, eventId) =>
    thread.add({ key: `note ${eventId}`, kind: "note", runId, text }),
  "chat.delta": (thread, { runId, text }, eventId) => {
    openAnswer(thread, runId, eventId).text += text;
  },
  "chat.final": (thread, data, eventId) => {
    if (data.speaker === "server")
      thread.add({ key: `server ${eventId}`, kind: "server", runId: data.runId, text: data.text });
    else finish(thread, data, eventId);
  },
  "chat.error": (thread, { runId, message, hint }, eventId) =>
    thread.add({ key: `error ${eventId}`, kind: "error", runId, text: message, hint }),
  "tool.call": (thread, { runId, callId, tool, arguments: given }) => {
    if (runId)
      thread.add({ key: callId, kind: "tool", runId, tool, arguments: given, text: "", progress: [], isRunning: true });
  },
  "tool.progress": (thread, { callId, message }) => void thread.find(callId)?.progress?.push(message),
  "tool.result": (thread, { callId, ok, text, attachments }) => {
    const call = thread.find(callId);
    if (call) Object.assign(call, { ok, text, attachments, isRunning: false });
  },
};

/**
 * The answer that is being streamed: a new one begins after each tool call. Text that arrives while a call runs was
 * written before it.
 * @param {Thread} thread
 * @param {string} runId
 * @param {number} eventId
 */
const openAnswer = (thread, runId, eventId) => {
  const isOver = (/** @type {ThreadItem} */ item) => item.kind !== "tool" || !item.isRunning;
  const last = thread.items.findLast((item) => item.runId === runId && isOver(item));
  if (last?.kind === "assistant") return last;
  return thread.add({ key: `answer ${eventId}`, kind: "assistant", runId, text: "", isRunning: true });
};

/**
 * @param {Thread} thread
 * @param {Facts} data
 * @param {number} eventId
 */
const finish = (thread, { runId, text, attachments, stopReason, usage }, eventId) => {
  const said = thread.items.findLast((item) => item.kind === "assistant" && item.runId === runId);
  const answer =
    said && (said === thread.items.at(-1) || stopReason === "done") ? said : openAnswer(thread, runId, eventId);
  // The final text is the whole answer: all that was streamed, and is shown already.
  if (!said) answer.text = text ?? "";
  Object.assign(answer, { attachments: newAttachments(thread, runId, attachments), stopReason, usage });
};

/**
 * Those that no tool call of the run shows already.
 * @param {Thread} thread
 * @param {string} runId
 * @param {Attachment[]} [attachments]
 */
const newAttachments = (thread, runId, attachments = []) => {
  const calls = thread.items.filter((item) => item.kind === "tool" && item.runId === runId);
  const shown = new Set(calls.flatMap((item) => item.attachments ?? []).map((one) => one.data));
  return attachments.filter((one) => !shown.has(one.data));
};

const LONGEST_TITLE = 32;

/** The threads of all sessions. */
export class Threads {
  /** @type {Map<string, Thread>} */
  #threads = new Map();

  /** Return how the first message of a session begins, if it is known. @param {string} sessionKey */
  titleOf(sessionKey) {
    const first = this.#threads.get(sessionKey)?.items.find((item) => item.kind === "user");
    const text = first?.text.split("\n")[0] ?? "";
    return text.length > LONGEST_TITLE ? `${text.slice(0, LONGEST_TITLE)}…` : text;
  }

  /** @param {string} sessionKey */
  of(sessionKey) {
    const thread = this.#threads.get(sessionKey) ?? new Thread();
    this.#threads.set(sessionKey, thread);
    return thread;
  }

  /**
   * @param {string} name
   * @param {Facts} data
   * @param {number} eventId
   */
  read(name, data, eventId) {
    if (data.sessionKey) this.of(data.sessionKey).read(name, data, eventId);
  }

  /** Return the id of the event before the first one of the runs that go on, or undefined if none does. */
  firstRunningEvent() {
    const ids = [...this.#threads.values()].flatMap((thread) => [...thread.running.values()]);
    return ids.length ? Math.min(...ids) - 1 : undefined;
  }
}
