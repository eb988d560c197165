// The tool console: call any tool by hand, through the same gate as an agent.

import { RequestFailed } from "../../client/connection.js";
import { gateway } from "../../client/gateway.js";
import { attempt, button, disabledReason } from "../../dom/button.js";
import { element, fill } from "../../dom/element.js";
import { emptyState, viewHeader } from "../../dom/empty.js";
import { describeFailure } from "../../dom/notices.js";
import { attachmentList } from "../../dom/pictures.js";
import { View } from "../../dom/view.js";
import { linkTo } from "../../shell/router.js";
import { sessionTitle } from "../sessions/session-title.js";
import { fieldFor } from "./schema-form.js";

/** @import { Place } from "../../shell/router.js" */
/** @import { Facts, Tool, ToolResult } from "../../client/wire.js" */

export class Tools extends View {
  /** @type {Place | undefined} */
  place;
  /** @type {Tool[]} */
  #tools = [];
  #list = element("ul", { class: "tool-list" });
  #search = element("input", {
    type: "search",
    placeholder: "Search",
    "aria-label": "Search in the tools",
    "data-search": true,
    oninput: () => this.#showList(),
  });
  #form = element("div", { class: "tool-form" });
  #result = element("div", { class: "tool-result", role: "status" });
  #session = element("select", { id: "tool-session" });

  start() {
    const choice = element("nav", { class: "tool-choice", "aria-label": "Tools" }, this.#search, this.#list);
    const call = element("div", { class: "tool-call" }, this.#form, this.#result);
    fill(
      this,
      viewHeader("Tools", "Call any tool by hand. It takes the same way as an agent's call, approval included."),
      disabledReason("act"),
      element("div", { class: "tool-console" }, choice, call),
    );
    this.listen(gateway, "sessions", () => this.#showSessions());
    this.#showSessions();
    attempt(() => this.#load());
  }

  async #load() {
    this.#tools = (await gateway.request("tools.list")).tools;
    this.#showList();
    this.#showForm();
  }

  #showList() {
    const words = this.#search.value.toLowerCase();
    const found = this.#tools.filter((tool) => `${tool.name} ${tool.description}`.toLowerCase().includes(words));
    fill(
      this.#list,
      found.map((tool) => element("li", {}, this.#toolLink(tool))),
    );
  }

  /** @param {Tool} tool */
  #toolLink(tool) {
    const isCurrent = tool.name === this.place?.key;
    return element(
      "a",
      { href: linkTo("tools", tool.name), "aria-current": isCurrent ? "true" : undefined },
      tool.name,
    );
  }

  #showSessions() {
    const isFirst = this.#session.options.length === 0;
    const chosen = this.#session.value;
    const sessions = [...gateway.sessions.keys()]
      .filter((key) => gateway.can("act", key))
      .map((key) => element("option", { value: key }, sessionTitle(key)));
    fill(this.#session, sessions, element("option", { value: "" }, "New session"));
    if (isFirst) this.#session.selectedIndex = 0;
    else if ([...this.#session.options].some((option) => option.value === chosen)) this.#session.value = chosen;
  }

  #showForm() {
    const tool = this.#tools.find((one) => one.name === this.place?.key);
    if (!tool)
      return fill(
        this.#form,
        emptyState(
          "tools",
          "Choose a tool",
          "Start with ",
          element("a", { href: linkTo("tools", "browser_navigate") }, "browser_navigate"),
          ": it opens a page.",
        ),
      );
    const field = fieldFor(withoutSession(tool.inputSchema), "Arguments", true);
    const run = button("Call", () => this.#call(tool, field.read), { kind: "primary", icon: "play", scope: "act" });
    return fill(
      this.#form,
      element("h2", {}, tool.name, tool.asks ? element("span", { class: "chip accent" }, "asks first") : null),
      element("p", { class: "quiet-text" }, tool.description),
      element(
        "form",
        { onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
        element("div", { class: "field" }, element("label", { for: "tool-session" }, "session"), this.#session),
        field.node,
        run,
      ),
    );
  }

  /**
   * @param {Tool} tool
   * @param {() => unknown} read
   */
  async #call(tool, read) {
    fill(
      this.#result,
      element(
        "p",
        { class: "working" },
        element("span", { class: "spinner" }),
        tool.asks ? "Waiting; it may need an approval." : "Running…",
      ),
    );
    try {
      const sessionKey = this.#session.value || (await gateway.request("sessions.create")).sessionKey;
      this.#showResult(await gateway.request("tools.call", { sessionKey, name: tool.name, arguments: read() ?? {} }));
      this.#session.value = sessionKey;
    } catch (error) {
      if (!(error instanceof RequestFailed) && !(error instanceof SyntaxError)) throw error;
      const text = error instanceof RequestFailed ? describeFailure(error) : `This is not JSON: ${error.message}`;
      fill(this.#result, element("p", { class: "callout urgent" }, text));
    }
  }

  /** @param {ToolResult} result */
  #showResult(result) {
    fill(
      this.#result,
      element(
        "h3",
        {},
        "Result ",
        element("span", { class: result.ok ? "chip good" : "chip bad" }, result.ok ? "done" : "failed"),
      ),
      attachmentList(result.attachments, "Picture"),
      element("pre", { class: "log", tabindex: "0", "aria-label": "Result" }, result.text),
    );
  }
}

/**
 * The schema of a tool's arguments without the session, which is chosen above them.
 * @param {Facts} schema
 */
const withoutSession = (schema) => {
  const { session: _, sessionId: __, ...properties } = schema.properties ?? {};
  return { ...schema, properties };
};

customElements.define("rove-tools", Tools);
