// The chat: conversations with the model, each in a session of its own.

import { gateway } from "../../client/gateway.js";
import { loadHistory } from "../../client/history.js";
import { attempt, button, disabledReason, missing } from "../../dom/button.js";
import { element, fill } from "../../dom/element.js";
import { emptyState, viewHeader } from "../../dom/empty.js";
import { icon } from "../../dom/icons.js";
import { showList } from "../../dom/list.js";
import { View } from "../../dom/view.js";
import { goTo, linkTo } from "../../shell/router.js";
import { ApprovalList } from "../inbox/approval-list.js";
import { handoffOf, takeOver } from "../sessions/driver.js";
import { sessionTitle } from "../sessions/session-title.js";
import { ThreadItemElement } from "./thread-item.js";

/** @import { Place } from "../../shell/router.js" */

const NEAR_THE_END = 120;

export class Chat extends View {
  /** @type {Place | undefined} */
  place;
  #items = element("div", { class: "thread", role: "log", "aria-label": "Conversation" });
  #foot = element("div", { class: "thread-foot" });
  #content = element("div");
  #scroller = element("div", { class: "thread-scroller", tabindex: "-1" });
  #isAtEnd = true;
  #empty = element("div");
  #message = element("textarea", {
    rows: 1,
    placeholder: "Message",
    "aria-label": "Message to the agent",
    "data-search": true,
    onkeydown: (/** @type {KeyboardEvent} */ event) => this.#readKey(event),
    oninput: () => this.#fitMessage(),
  });
  #send = button("Send", () => this.#sendMessage(), { icon: "send", kind: "primary", scope: "act" });
  #abort = button("Stop", () => this.#abortRun(), { icon: "stop", kind: "danger", scope: ["act", "approve"] });

  start() {
    const reason = missing("act", this.#key);
    this.#message.disabled = this.#send.disabled = reason !== "";
    this.#send.title = reason;
    const composer = element("div", { class: "composer" }, this.#message, this.#abort, this.#send);
    const approvals = this.#key ? new ApprovalList(this.#key) : null;
    fill(this.#content, modelNotice(), this.#empty, this.#items, approvals, this.#foot);
    fill(this.#scroller, this.#content);
    fill(this, this.#header(), this.#scroller, disabledReason("act", this.#key), composer);
    this.#followEnd();
    this.listen(gateway, "threads approvals handoffs sessions", () => this.#show());
    if (this.#key) attempt(() => loadHistory(/** @type {string} */ (this.#key)));
    this.#show();
    if (this.#message.value === "" && matchMedia("(pointer: fine)").matches) this.#message.focus();
  }

  get #key() {
    return this.place?.key;
  }

  #header() {
    const sessions = [...gateway.sessions.keys()];
    if (this.#key && !sessions.includes(this.#key)) sessions.push(this.#key);
    const choose = element(
      "select",
      { "aria-label": "Conversation", onchange: () => goTo(linkTo("chat", choose.value)) },
      element("option", { value: "" }, "New conversation"),
      sessions.map((key) => element("option", { value: key }, sessionTitle(key))),
    );
    choose.value = this.#key ?? "";
    const watch =
      this.#key && element("a", { class: "button", href: linkTo("sessions", this.#key) }, icon("eye"), "Watch");
    const fresh = this.#key && element("a", { class: "button", href: linkTo("chat") }, icon("plus"), "New");
    return viewHeader("Chat", null, choose, watch, fresh);
  }

  #show() {
    const thread = this.#key ? gateway.threads.of(this.#key) : undefined;
    const waiting = [...gateway.approvals.values()].filter((one) => one.sessionKey === this.#key);
    showList(
      this.#items,
      thread?.items ?? [],
      (item) => item.key,
      () => new ThreadItemElement(),
    );
    const isRunning = Boolean(thread?.running.size);
    this.#abort.hidden = !isRunning;
    const handoff = this.#handoff();
    fill(this.#foot, handoff, isRunning && !waiting.length && !handoff ? workingNote() : null);
    fill(this.#empty, thread?.items.length || waiting.length ? null : firstStep());
  }

  #handoff() {
    const key = this.#key;
    const handoff = key && handoffOf(key);
    if (!handoff) return null;
    const take = button("Take over", () => takeOver(key), { icon: "hand", kind: "primary", scope: "approve" });
    const text = element("p", {}, element("strong", {}, "The agent asks for you: "), handoff.reason);
    return element("div", { class: "callout urgent" }, text, take);
  }

  /** Keep the end in sight while the conversation grows, unless the reader has scrolled up. */
  #followEnd() {
    this.#scroller.onscroll = () => {
      const { scrollTop, clientHeight, scrollHeight } = this.#scroller;
      this.#isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR_THE_END;
    };
    const observer = new ResizeObserver(() => this.#isAtEnd && this.#scrollToEnd());
    observer.observe(this.#content);
    this.leaving.addEventListener("abort", () => observer.disconnect());
  }

  #scrollToEnd() {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  /** @param {KeyboardEvent} event */
  #readKey(event) {
    if (event.key === "Escape") this.#message.blur(); // so that y and n decide
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    attempt(() => this.#sendMessage());
  }

  #fitMessage() {
    this.#message.rows = Math.min(8, this.#message.value.split("\n").length);
  }

  async #sendMessage() {
    const message = this.#message.value.trim();
    if (!message) return;
    const sessionKey = this.#key ?? (await gateway.request("sessions.create")).sessionKey;
    await gateway.request("chat.send", { sessionKey, message });
    this.#message.value = "";
    this.#fitMessage();
    this.#scrollToEnd();
    if (!this.#key) goTo(linkTo("chat", sessionKey));
  }

  #abortRun() {
    return gateway.request("chat.abort", { sessionKey: this.#key });
  }
}

const modelNotice = () => {
  const { model } = gateway;
  if (!model) return null;
  if (!model.isScripted) return element("p", { class: "quiet-text model-note" }, `Model: ${model.name}`);
  return element(
    "p",
    { class: "callout model-note" },
    element("strong", {}, "Built-in script, not a model. "),
    "It plays one conversation, to show how chat, approval and take-over work. For a real model set ",
    element("code", {}, "serve.model"),
    " in ",
    element("a", { href: linkTo("settings") }, "Settings"),
    " and its key in the environment.",
  );
};

const firstStep = () =>
  emptyState(
    "chat",
    "Tell the agent what to do",
    gateway.model?.isScripted
      ? "Say anything, for example “Book a table at the tea room”. You are asked before the browser does something."
      : "For example “Open example.com and tell me what it says”. You are asked before the browser does something.",
  );

const workingNote = () =>
  element("p", { class: "working", role: "status" }, element("span", { class: "spinner" }), "Working…");

customElements.define("rove-chat", Chat);
