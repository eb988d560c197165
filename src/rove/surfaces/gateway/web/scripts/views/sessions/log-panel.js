// The console or the requests of a session, as the tools of the agent tell them.

import { RequestFailed } from "../../client/connection.js";
import { gateway } from "../../client/gateway.js";
import { button, disabledReason } from "../../dom/button.js";
import { element, fill } from "../../dom/element.js";
import { emptyState } from "../../dom/empty.js";
import { describeFailure } from "../../dom/notices.js";
import { View } from "../../dom/view.js";

/** @typedef {{ tool: string, arguments: Record<string, unknown>, empty: string }} Source */

/** @type {Record<string, Source>} */
const SOURCES = {
  console: { tool: "browser_console", arguments: {}, empty: "The page has written nothing to its console." },
  network: { tool: "browser_network", arguments: {}, empty: "The page has made no requests." },
};

export class LogPanel extends View {
  #key;
  #source;
  #text = element("pre", { class: "log", tabindex: "0", "aria-label": "Log" });

  /**
   * @param {string} key
   * @param {string} kind
   */
  constructor(key, kind) {
    super();
    this.#key = key;
    this.#source = SOURCES[kind];
  }

  start() {
    if (!gateway.sessions.get(this.#key)?.tabs?.length)
      return fill(this, emptyState("eye", "No page is open yet", this.#source.empty));
    const refresh = button("Refresh", () => this.#load(), { icon: "refresh", scope: "act", session: this.#key });
    fill(this, element("div", { class: "row" }, refresh, disabledReason("act", this.#key)), this.#text);
    if (gateway.can("act", this.#key)) this.#load();
    return undefined;
  }

  async #load() {
    const call = { sessionKey: this.#key, name: this.#source.tool, arguments: this.#source.arguments };
    try {
      const { text } = await gateway.request("tools.call", call);
      this.#text.textContent = text || this.#source.empty;
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.#text.textContent = describeFailure(error);
    }
  }
}

customElements.define("rove-log-panel", LogPanel);
