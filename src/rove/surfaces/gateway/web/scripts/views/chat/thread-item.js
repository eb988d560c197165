// One item of a conversation: a message, an answer, a tool call or an error.

import { gateway } from "../../client/gateway.js";
import { element, fill } from "../../dom/element.js";
import { icon } from "../../dom/icons.js";
import { attachmentList } from "../../dom/pictures.js";
import { actionList, valueList } from "../inbox/details.js";
import { formattedText } from "./formatted-text.js";

/** @import { ThreadItem } from "../../client/threads.js" */

const LONG_TEXT = 600;

export class ThreadItemElement extends HTMLElement {
  #shown = "";

  /** @param {ThreadItem} item */
  show(item) {
    const { text, progress, isRunning, ok, stopReason, attachments } = item;
    const state = [text.length, progress?.length, isRunning, waits(item), ok, stopReason, attachments?.length].join();
    if (state === this.#shown) return;
    this.#shown = state;
    this.className = `item ${item.kind}`;
    const isOpen = this.querySelector("details")?.open;
    fill(this, PARTS[item.kind](item));
    const details = this.querySelector("details");
    if (details && isOpen !== undefined) details.open = isOpen;
  }
}

/** @type {Record<ThreadItem["kind"], (item: ThreadItem) => Node[]>} */
const PARTS = {
  user: (item) => [speaker("You"), element("p", { class: "message-text" }, item.text), queuedNote(item)],
  note: (item) => [element("p", { class: "footnote" }, item.text)],
  assistant: (item) => [
    speaker("Agent"),
    formattedText(item.text),
    attachmentList(item.attachments, "Picture") ?? new Text(""),
    footnote(item),
  ],
  server: (item) => [
    speaker("Server"),
    element("pre", { class: "log", tabindex: "0", "aria-label": "Answer of the server" }, item.text),
  ],
  tool: (item) => [toolCard(item)],
  error: (item) => [
    element(
      "div",
      { class: "callout urgent" },
      element("strong", {}, "It stopped: "),
      item.text,
      item.hint ? ` ${item.hint}` : "",
    ),
  ],
};

/** @param {string} name */
const speaker = (name) => element("span", { class: "speaker" }, name);

/** @param {ThreadItem} item */
const queuedNote = ({ isQueued }) =>
  isQueued ? element("p", { class: "footnote" }, "Waits for the answer before it.") : new Text("");

/** @param {ThreadItem} item */
const footnote = (item) => {
  const stopped = { aborted: "Stopped.", limit: "Stopped: the limit of steps or tokens is reached." }[
    item.stopReason ?? ""
  ];
  const { usage } = item;
  const tokens = usage?.inputTokens ? `${usage.inputTokens} tokens in, ${usage.outputTokens} out` : "";
  const text = [stopped, tokens].filter(Boolean).join(" ");
  return text ? element("p", { class: "footnote" }, text) : new Text("");
};

/** @param {ThreadItem} item */
const toolCard = (item) =>
  element(
    "div",
    { class: "tool-card", role: "group", "aria-label": `Tool call: ${item.tool}` },
    element("header", {}, icon("tools"), element("strong", { class: "grow" }, item.tool ?? ""), stateChip(item)),
    item.progress?.length
      ? element(
          "ul",
          { class: "progress" },
          item.progress.map((line) => element("li", {}, line)),
        )
      : null,
    attachmentList(item.attachments, "Picture"),
    element("details", {}, element("summary", {}, "Arguments and result"), given(item), result(item)),
  );

/** Whether a person has to approve a call before it goes on. @param {ThreadItem} item */
const waits = ({ isRunning, runId }) =>
  Boolean(isRunning) && [...gateway.approvals.values()].some((approval) => approval.runId === runId);

/** @param {ThreadItem} item */
const stateChip = (item) => {
  if (waits(item)) return element("span", { class: "chip weak" }, icon("clock"), "waits for approval");
  if (item.isRunning)
    return element("span", { class: "chip accent" }, element("span", { class: "spinner" }), "running");
  return item.ok ? element("span", { class: "chip good" }, "done") : element("span", { class: "chip bad" }, "failed");
};

/** @param {ThreadItem} item */
const given = ({ arguments: values = {} }) =>
  Array.isArray(values.actions) ? actionList(values.actions) : valueList(values);

/** @param {ThreadItem} item */
const result = ({ text }) =>
  text
    ? element(
        "pre",
        { class: text.length > LONG_TEXT ? "log short" : "log", tabindex: "0", "aria-label": "Result" },
        text,
      )
    : null;

customElements.define("rove-thread-item", ThreadItemElement);
