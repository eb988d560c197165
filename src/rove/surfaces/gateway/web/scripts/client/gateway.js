// What this page knows of the gateway. Lists are asked for once; from then on events keep them true.

import { Connection, RequestFailed } from "./connection.js";
import { Steps } from "./steps.js";
import { Threads } from "./threads.js";
import { savedSince, saveSince } from "./token.js";

/**
 * @import { Approval, DecidedApproval, Decision, Facts, Handoff, Model, PageTab, Refusal, Scope, SessionFacts, WireEvent }
 *   from "./wire.js"
 */
/** @typedef {"connection" | "sessions" | "approvals" | "threads" | "steps" | "refusals" | "handoffs" | "settings"} Topic */

const MOST_DECIDED = 20;
const MOST_REFUSALS = 500;

// Any of the scopes on the right allows what is on the left, in sessions of the token itself, and in all others.
/** @type {Partial<Record<Scope, Scope[]>>} */
const ALLOWED_BY = {
  view: ["view", "act", "approve", "view:all", "approve:all"],
  act: ["act"],
  approve: ["approve", "approve:all"],
  "view:all": ["view:all", "approve:all"],
  "approve:all": ["approve:all"],
};
/** @type {Partial<Record<Scope, Scope[]>>} */
const ALLOWED_FOR_ALL_BY = { view: ["view:all", "approve:all"], approve: ["approve:all"] };

/**
 * What ends the name of a session, and tells whose it is: nothing for the owner.
 * @param {string} sessionKey
 */
export const markIn = (sessionKey) => /~[0-9a-f]{12}$/.exec(sessionKey)?.[0] ?? "";

/** Fires an event named after what has changed: see `Topic`. */
class Gateway extends EventTarget {
  connection = new Connection();
  version = "";
  /** @type {Scope[]} */
  scopes = [];
  mark = "";
  /** @type {Model | null} */
  model = null;
  /** Whether the sessions run on the nodes of a cluster. */
  hasCluster = false;
  /** @type {Map<string, SessionFacts>} */
  sessions = new Map();
  /** @type {Map<string, Approval>} */
  approvals = new Map();
  /** @type {DecidedApproval[]} */
  decided = [];
  /** @type {Map<string, Handoff>} */
  handoffs = new Map();
  /** @type {Map<string, Refusal>} */
  refusals = new Map();
  threads = new Threads();
  steps = new Steps();
  /** Whether the lists have arrived. */
  isReady = false;

  constructor() {
    super();
    this.connection.addEventListener("message", (event) => this.#read(/** @type {CustomEvent} */ (event).detail));
    this.connection.addEventListener("state", () => this.changed("connection"));
  }

  /** @param {string} token */
  open(token) {
    this.connection.open(token, savedSince());
  }

  /**
   * Whether the token of this page allows something: in a session, or in one of its own.
   * @param {Scope} scope
   * @param {string} [sessionKey]
   */
  can(scope, sessionKey) {
    if (this.scopes.includes("own")) return true;
    const allowing = sessionKey === undefined || this.isOwn(sessionKey) ? ALLOWED_BY : ALLOWED_FOR_ALL_BY;
    return (allowing[scope] ?? []).some((one) => this.scopes.includes(one));
  }

  /** @param {string} sessionKey */
  isOwn(sessionKey) {
    return markIn(sessionKey) === this.mark;
  }

  /**
   * @param {string} method
   * @param {Facts} [params]
   */
  request(method, params) {
    return this.connection.request(method, params);
  }

  /** @param {Topic} topic */
  changed(topic) {
    this.dispatchEvent(new Event(topic));
  }

  /** Ask for the lists, at the start or when events were missed. */
  async load() {
    const [sessions, approvals] = await Promise.all([this.request("sessions.list"), this.request("approvals.list")]);
    this.sessions = new Map(sessions.sessions.map((/** @type {Facts} */ one) => [one.sessionKey, sessionOf(one)]));
    this.approvals = new Map(approvals.approvals.map((/** @type {Approval} */ one) => [one.approvalId, one]));
    this.handoffs = new Map(handoffsIn(sessions.sessions).map((one) => [one.handoffId, one]));
    this.isReady = true;
    for (const topic of TOPICS) this.changed(topic);
  }

  /** @param {WireEvent} message */
  #read(message) {
    const reader = READERS[message.event];
    if (!reader) return;
    const topic = reader(this, message.data, message.eventId ?? 0);
    if (topic) this.changed(topic);
  }

  /** Keep where a later page, after a reload, has to read on to see the runs that go on now. */
  saveRuns() {
    saveSince(this.threads.firstRunningEvent());
  }
}

/**
 * The facts of a session, with the page that is in front.
 * @param {Facts} facts
 * @returns {SessionFacts}
 */
const sessionOf = (facts) => {
  const tabs = /** @type {PageTab[]} */ (facts.tabs ?? []);
  const front = tabs.find((tab) => tab.is_current) ?? tabs[0];
  return { sessionKey: facts.sessionKey, url: front?.url, title: front?.title, ...facts, tabs };
};

/** @type {Topic[]} */
const TOPICS = ["connection", "sessions", "approvals", "threads", "steps", "refusals", "handoffs"];

/** @param {SessionFacts[]} sessions @returns {Handoff[]} */
const handoffsIn = (sessions) =>
  sessions.flatMap(({ sessionKey, handoffs = [] }) => handoffs.map((handoff) => ({ ...handoff, sessionKey })));

/** @type {Record<string, (gateway: Gateway, data: any, eventId: number) => Topic | undefined>} */
const READERS = {
  hello: (gateway, data) => {
    const isFirst = !gateway.isReady;
    const { version, scopes, mark, model, hasCluster } = data;
    Object.assign(gateway, { version, scopes, mark, model, hasCluster });
    if (isFirst) queueMicrotask(() => loadFirst(gateway));
    return undefined;
  },
  "events.missed": (gateway) => {
    saveSince(undefined);
    // What this page shows may be wrong now. One that has just been opened shows nothing yet.
    if (gateway.isReady) location.reload();
    return undefined;
  },
  "exec.approval_request": (gateway, data) => {
    gateway.approvals.set(data.approvalId, data);
    return "approvals";
  },
  "exec.approval_resolved": (gateway, data) => decide(gateway, data),
  "session.opened": (gateway, data) => keepSession(gateway, data),
  "session.changed": (gateway, data) => keepSession(gateway, data),
  "session.closed": (gateway, data) => {
    gateway.sessions.delete(data.sessionKey);
    return "sessions";
  },
  "handoff.requested": (gateway, data) => {
    gateway.handoffs.set(data.handoffId, data);
    return "handoffs";
  },
  "handoff.ended": (gateway, data) => {
    gateway.handoffs.delete(data.handoffId);
    return "handoffs";
  },
  "guard.refused": (gateway, data) => keepRefusal(gateway, data),
  "step.began": (gateway, data) => gateway.steps.begin(data),
  "step.ended": (gateway, data) => gateway.steps.end(data),
  "step.picture": (gateway, data) => gateway.steps.addPicture(data),
  "settings.changed": () => "settings",
  "live.frame": (gateway, data) => tell(gateway, `frame:${data.sessionKey}`, data),
  "live.stopped": (gateway, data) => tell(gateway, `stopped:${data.sessionKey}`, data),
};

const THREAD_EVENTS = [
  ...["chat.message", "chat.delta", "chat.final", "chat.error", "chat.waiting", "chat.compacted"],
  ...["tool.call", "tool.progress", "tool.result"],
];

for (const name of THREAD_EVENTS)
  READERS[name] = (gateway, data, eventId) => {
    gateway.threads.read(name, data, eventId);
    gateway.saveRuns();
    return "threads";
  };

/** @param {Gateway} gateway */
const loadFirst = async (gateway) => {
  try {
    await gateway.load();
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error;
    // When the connection was lost meanwhile, it is being made again.
    if (gateway.connection.state === "open") gateway.connection.fail(error.message);
  }
};

/** @param {Gateway} gateway @param {Decision} decision @returns {Topic} */
const decide = (gateway, decision) => {
  const approval = gateway.approvals.get(decision.approvalId);
  gateway.approvals.delete(decision.approvalId);
  if (approval) gateway.decided = [{ approval, decision }, ...gateway.decided].slice(0, MOST_DECIDED);
  return "approvals";
};

/** @param {Gateway} gateway @param {Facts} facts @returns {Topic} */
const keepSession = (gateway, facts) => {
  gateway.sessions.set(facts.sessionKey, { ...gateway.sessions.get(facts.sessionKey), ...sessionOf(facts) });
  return "sessions";
};

/** @param {Gateway} gateway @param {Refusal} refusal @returns {Topic} */
const keepRefusal = (gateway, refusal) => {
  const key = `${refusal.sessionKey ?? ""} ${refusal.host} ${refusal.reason}`;
  const count = (gateway.refusals.get(key)?.count ?? 0) + 1;
  gateway.refusals.delete(key);
  gateway.refusals.set(key, { ...refusal, count });
  if (gateway.refusals.size > MOST_REFUSALS) gateway.refusals.delete([...gateway.refusals.keys()][0]);
  return "refusals";
};

/** @param {Gateway} gateway @param {string} type @param {Facts} detail */
const tell = (gateway, type, detail) => {
  gateway.dispatchEvent(new CustomEvent(type, { detail }));
  return undefined;
};

export const gateway = new Gateway();
