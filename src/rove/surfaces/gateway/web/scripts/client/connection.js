// One WebSocket to the gateway: authentication, requests and their answers, reconnection.

/** @import { Facts, WireError, WireEvent } from "./wire.js" */
/** @typedef {"connecting" | "open" | "reconnecting" | "refused" | "failed" | "closed"} ConnectionState */
/** @typedef {{ resolve: (result: any) => void, reject: (error: Error) => void }} Waiting */

const FIRST_DELAY = 500;
const LONGEST_DELAY = 8000;
// Close codes after which another attempt with the same token ends in the same way.
const REFUSALS = new Map([
  [4401, "The gateway does not accept this token. Open the link that `rove serve` printed last."],
  [4409, "The gateway has too many connections. Close another page of it, then try again."],
]);

/** An error that the gateway answered with. */
export class RequestFailed extends Error {
  /** @param {WireError} error */
  constructor(error) {
    super(error.message);
    this.code = error.code;
    this.hint = error.hint;
  }
}

const connectionLost = () =>
  new RequestFailed({
    code: "connection_lost",
    message: "The connection to the gateway was lost.",
    hint: "Try again.",
  });

/** Fires `state` when its state changes, and `message` with each event of the gateway. */
export class Connection extends EventTarget {
  /** @type {ConnectionState} */
  state = "closed";
  reason = "";
  /** @type {number | undefined} */
  lastEventId = undefined;
  /** @type {WebSocket | undefined} */
  #socket;
  /** @type {Map<string, Waiting>} */
  #waiting = new Map();
  #token = "";
  #delay = FIRST_DELAY;
  #nextId = 1;
  #timer = 0;

  /**
   * @param {string} token
   * @param {number} [since] the id of the last event that is known
   */
  open(token, since) {
    this.#token = token;
    this.lastEventId = since;
    this.#delay = FIRST_DELAY;
    this.#become("connecting");
    this.#connect();
  }

  close() {
    clearTimeout(this.#timer);
    this.#become("closed");
    this.#socket?.close();
  }

  /**
   * Give up: the gateway answers, but not with what the page needs to start.
   * @param {string} reason
   */
  fail(reason) {
    this.#become("failed", reason);
  }

  /** Try again at once instead of after the delay. */
  retry() {
    if (this.state === "open" || this.state === "connecting") return;
    clearTimeout(this.#timer);
    this.#become("reconnecting");
    this.#connect();
  }

  /**
   * @param {string} method
   * @param {Facts} [params]
   * @returns {Promise<any>}
   */
  request(method, params = {}) {
    if (this.state !== "open" || !this.#socket) return Promise.reject(connectionLost());
    const id = String(this.#nextId++);
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #connect() {
    const address = new URL("ws", document.baseURI);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.onopen = () => socket.send(JSON.stringify({ type: "auth", token: this.#token, since: this.lastEventId }));
    socket.onmessage = ({ data }) => socket === this.#socket && this.#read(JSON.parse(data));
    socket.onclose = (closing) => socket === this.#socket && this.#lose(closing);
  }

  /** @param {any} message */
  #read(message) {
    if (message.event) this.#readEvent(message);
    else if (message.id !== undefined) this.#readAnswer(message);
  }

  /** @param {WireEvent} message */
  #readEvent(message) {
    if (message.eventId) this.lastEventId = message.eventId;
    if (message.event === "hello") this.#greet(message);
    else this.dispatchEvent(new CustomEvent("message", { detail: message }));
  }

  /** @param {WireEvent} hello */
  #greet(hello) {
    this.#delay = FIRST_DELAY;
    this.lastEventId ??= hello.data.lastEventId;
    this.dispatchEvent(new CustomEvent("message", { detail: hello }));
    this.#become("open");
  }

  /** @param {{ id: string, result?: any, error?: WireError }} answer */
  #readAnswer(answer) {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.error) waiting?.reject(new RequestFailed(answer.error));
    else waiting?.resolve(answer.result);
  }

  /** @param {CloseEvent} closing */
  #lose(closing) {
    for (const waiting of this.#waiting.values()) waiting.reject(connectionLost());
    this.#waiting.clear();
    if (this.state === "closed" || this.state === "failed") return;
    const refusal = REFUSALS.get(closing.code);
    if (refusal) return this.#become("refused", refusal);
    this.#become("reconnecting", closing.reason);
    this.#timer = setTimeout(() => this.#connect(), this.#delay);
    this.#delay = Math.min(this.#delay * 2, LONGEST_DELAY);
  }

  /**
   * @param {ConnectionState} state
   * @param {string} [reason]
   */
  #become(state, reason = "") {
    this.state = state;
    this.reason = reason;
    this.dispatchEvent(new Event("state"));
  }
}
