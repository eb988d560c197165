// One session: its live view and its controls, and what the agent, the console and the network say.

import { gateway } from "../../client/gateway.js";
import { loadHistory } from "../../client/history.js";
import { attempt, disabledReason } from "../../dom/button.js";
import { element, fill } from "../../dom/element.js";
import { emptyState } from "../../dom/empty.js";
import { icon } from "../../dom/icons.js";
import { tabList } from "../../dom/tabs.js";
import { View } from "../../dom/view.js";
import { LivePanel } from "../../live/live-panel.js";
import { linkTo } from "../../shell/router.js";
import { DownloadsPanel } from "./downloads-panel.js";
import { driverChip } from "./driver.js";
import { HandoffNotice } from "./handoff-notice.js";
import { LogPanel } from "./log-panel.js";
import { SeenPanel } from "./seen-panel.js";
import { SessionControls } from "./session-controls.js";
import { opener, sessionTitle } from "./session-title.js";

/** @typedef {{ title: string, make: (sessionKey: string) => HTMLElement }} Part */

/** @type {Record<string, Part>} */
const PARTS = {
  live: { title: "Live", make: (key) => new LivePanel(key) },
  seen: { title: "What the agent sees", make: (key) => new SeenPanel(key) },
  console: { title: "Console", make: (key) => new LogPanel(key, "console") },
  network: { title: "Network", make: (key) => new LogPanel(key, "network") },
  downloads: { title: "Downloads", make: (key) => new DownloadsPanel(key) },
};

export class OneSession extends View {
  #header = element("header", { class: "view-header" });
  #key;
  #part;

  /**
   * @param {string} key
   * @param {string} [part]
   */
  constructor(key, part = "live") {
    super();
    this.#key = key;
    this.#part = PARTS[part] ? part : "live";
  }

  start() {
    if (!gateway.sessions.has(this.#key)) return fill(this, closedNotice(this.#key));
    const controls = [new HandoffNotice(this.#key), new SessionControls(this.#key), disabledReason("act", this.#key)];
    fill(this, this.#header, controls, this.#tabs(), this.#panel());
    this.listen(gateway, "sessions handoffs threads", () => this.#show());
    // Its title is how its conversation begins.
    attempt(() => loadHistory(this.#key));
    return this.#show();
  }

  #tabs() {
    const tabs = Object.entries(PARTS).map(([name, { title }]) => {
      return { name, title, link: linkTo("sessions", this.#key, name) };
    });
    return tabList("Session", tabs, this.#part, "session-panel");
  }

  #panel() {
    const attributes = { role: "tabpanel", id: "session-panel", "aria-labelledby": `tab-${this.#part}` };
    return element("div", attributes, PARTS[this.#part].make(this.#key));
  }

  #show() {
    const session = gateway.sessions.get(this.#key);
    if (!session) return fill(this, closedNotice(this.#key));
    const all = { class: "button quiet", href: linkTo("sessions"), "aria-label": "All sessions" };
    const title = element(
      "div",
      { class: "row" },
      element("h1", {}, sessionTitle(this.#key)),
      opener(session),
      driverChip(session),
    );
    const place = session.url ? [session.title, session.url].filter(Boolean).join(" · ") : "No page is open yet";
    const about = element("p", { class: "quiet-text page-text" }, place);
    const focused = document.activeElement === this.#header.firstChild;
    fill(this.#header, element("a", all, icon("back")), element("div", { class: "grow" }, title, about));
    if (focused) /** @type {HTMLElement} */ (this.#header.firstChild).focus();
    return this;
  }
}

/** @param {string} key */
const closedNotice = (key) =>
  emptyState(
    "sessions",
    "This session is not open",
    element("a", { href: linkTo("timeline", key) }, "Its timeline"),
    " is still there if it was open before. ",
    element("a", { href: linkTo("sessions") }, "See all sessions"),
    ".",
  );

customElements.define("rove-one-session", OneSession);
