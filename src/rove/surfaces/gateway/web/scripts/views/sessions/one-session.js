// One session: its live view and its controls, and what the agent, the console and the network say.

import { gateway } from "../../client/gateway.js";
import { attempt, button, disabledReason } from "../../dom/button.js";
import { confirmFirst } from "../../dom/dialog.js";
import { element, fill } from "../../dom/element.js";
import { emptyState } from "../../dom/empty.js";
import { icon } from "../../dom/icons.js";
import { save } from "../../dom/pictures.js";
import { tabList } from "../../dom/tabs.js";
import { countdown } from "../../dom/time.js";
import { View } from "../../dom/view.js";
import { LivePanel } from "../../live/live-panel.js";
import { goTo, linkTo } from "../../shell/router.js";
import { sessionTitle } from "../inbox/approval-card.js";
import { DownloadsPanel } from "./downloads-panel.js";
import { driverChip, handoffOf, isDrivenByPerson } from "./driver.js";
import { LogPanel } from "./log-panel.js";
import { SeenPanel } from "./seen-panel.js";

/** @typedef {{ title: string, make: (sessionKey: string) => HTMLElement }} Part */

/** @type {Record<string, Part>} */
const PARTS = {
  live: { title: "Live", make: (key) => new LivePanel(key) },
  seen: { title: "What the agent sees", make: (key) => new SeenPanel(key) },
  console: { title: "Console", make: (key) => new LogPanel(key, "console") },
  network: { title: "Network", make: (key) => new LogPanel(key, "network") },
  downloads: { title: "Downloads", make: () => new DownloadsPanel() },
};

export class OneSession extends View {
  #header = element("header", { class: "view-header" });
  #controls = element("div", { class: "row controls" });
  #notice = element("div", { role: "status" });
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
    const tabs = Object.entries(PARTS).map(([name, { title }]) => ({
      name,
      title,
      link: linkTo("sessions", this.#key, name),
    }));
    const panel = element(
      "div",
      { role: "tabpanel", id: "session-panel", "aria-labelledby": `tab-${this.#part}` },
      PARTS[this.#part].make(this.#key),
    );
    fill(
      this,
      this.#header,
      this.#notice,
      this.#controls,
      disabledReason("act"),
      tabList("Session", tabs, this.#part, "session-panel"),
      panel,
    );
    this.listen(gateway, "sessions handoffs", () => this.#show());
    this.listen(document, "shortcut", (event) => this.#readKey(event.detail));
    this.every(1000, () => this.#showHandoff());
    this.#show();
  }

  get #session() {
    return gateway.sessions.get(this.#key);
  }

  #show() {
    const session = this.#session;
    if (!session) return fill(this, closedNotice(this.#key));
    const back = element(
      "a",
      { class: "button quiet", href: linkTo("sessions"), "aria-label": "All sessions" },
      icon("back"),
    );
    const title = element("h1", {}, sessionTitle(this.#key));
    const place = element(
      "p",
      { class: "quiet-text" },
      session.title ? `${session.title} · ${session.url}` : "No page is open yet",
    );
    fill(
      this.#header,
      back,
      element("div", { class: "grow" }, element("div", { class: "row" }, title, driverChip(session)), place),
    );
    this.#showControls();
    return this.#showHandoff();
  }

  #showControls() {
    const focused = document.activeElement?.id;
    const isPaused = this.#session?.driver?.isPaused;
    fill(
      this.#controls,
      isDrivenByPerson(this.#session)
        ? button("Hand back", () => this.#release(), {
            id: "drive",
            icon: "hand",
            kind: "primary",
            key: "t",
            scope: "act",
          })
        : button("Take over", () => this.#take(), {
            id: "drive",
            icon: "hand",
            kind: "primary",
            key: "t",
            scope: "act",
          }),
      isPaused
        ? button("Resume", () => this.#ask("session.resume"), { id: "pause", icon: "play", key: "p", scope: "act" })
        : button("Pause", () => this.#ask("session.pause"), { id: "pause", icon: "pause", key: "p", scope: "act" }),
      button("Step", () => this.#ask("session.step"), { id: "step", icon: "step", key: "s", scope: "act" }),
      button("Stop", () => this.#ask("session.stop"), { id: "stop", icon: "stop", kind: "danger", scope: "act" }),
      element("span", { class: "grow" }),
      element("a", { class: "button", href: linkTo("chat", this.#key) }, icon("chat"), "Chat"),
      element("a", { class: "button", href: linkTo("timeline", this.#key) }, icon("timeline"), "Timeline"),
      button("Export", () => this.#export(), { id: "export", icon: "download" }),
      button("Close", () => this.#close(), { id: "close", icon: "close", scope: "act" }),
    );
    const again = [...this.#controls.children].find((control) => focused && control.id === focused);
    if (again instanceof HTMLElement) again.focus();
  }

  #showHandoff() {
    const handoff = handoffOf(this.#key);
    if (!handoff) return fill(this.#notice);
    const left = handoff.expiresAt ? ` ${countdown(handoff.expiresAt)} left.` : "";
    const text = element(
      "p",
      {},
      element("strong", {}, "The agent asks for you: "),
      element("span", { class: "page-text" }, handoff.reason),
    );
    const how = element("p", { class: "quiet-text" }, `Take over, do it in the live view, then hand back.${left}`);
    return fill(this.#notice, element("div", { class: "callout urgent" }, text, how));
  }

  /** @param {string} method */
  #ask(method) {
    return gateway.request(method, { sessionKey: this.#key });
  }

  async #take() {
    await this.#ask("live.take");
    if (this.#part !== "live") goTo(linkTo("sessions", this.#key));
    this.querySelector("canvas")?.focus();
  }

  #release() {
    return this.#ask("live.release");
  }

  async #export() {
    const { html } = await this.#ask("session.export");
    save(`rove-${sessionTitle(this.#key)}.html`, html, "text/html");
  }

  #close() {
    confirmFirst("Close this session? Its pages, cookies and storage are gone; its record stays.", "Close it", () =>
      attempt(() => this.#ask("sessions.close")),
    );
  }

  /** @param {string} key */
  #readKey(key) {
    const id = { t: "drive", p: "pause", s: "step" }[key];
    const control = id && this.#controls.querySelector(`#${id}`);
    if (control instanceof HTMLElement) control.click();
  }
}

/** @param {string} key */
const closedNotice = (key) => {
  const record = element("a", { href: linkTo("timeline", key) }, "Its timeline");
  return emptyState(
    "sessions",
    "This session is not open",
    record,
    " is still there if it was open before. ",
    element("a", { href: linkTo("sessions") }, "See all sessions"),
    ".",
  );
};

customElements.define("rove-one-session", OneSession);
