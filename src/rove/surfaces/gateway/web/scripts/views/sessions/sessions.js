// The wall of all sessions, or one of them.

import { gateway } from "../../client/gateway.js";
import { button } from "../../dom/button.js";
import { confirmFirst } from "../../dom/dialog.js";
import { element, fill } from "../../dom/element.js";
import { emptyState, viewHeader } from "../../dom/empty.js";
import { showList } from "../../dom/list.js";
import { View } from "../../dom/view.js";
import { goTo, linkTo } from "../../shell/router.js";
import { OneSession } from "./one-session.js";
import { SessionTile } from "./session-tile.js";

/** @import { Place } from "../../shell/router.js" */

export class Sessions extends View {
  /** @type {Place | undefined} */
  place;
  #tiles = element("div", { class: "wall" });
  #state = element("div");

  start() {
    if (this.place?.key) return fill(this, new OneSession(this.place.key, this.place.part));
    fill(this, header(), this.#state, this.#tiles);
    this.listen(gateway, "sessions handoffs", () => this.#show());
    this.#show();
  }

  #show() {
    const sessions = [...gateway.sessions.values()];
    showList(
      this.#tiles,
      sessions,
      (session) => session.sessionKey,
      (session) => new SessionTile(session.sessionKey),
    );
    fill(this.#state, sessions.length ? null : nothingYet());
  }
}

const header = () =>
  viewHeader(
    "Sessions",
    gateway.can("view:all") ? "Every browser session of this gateway, live." : "Your browser sessions, live.",
    button("Pause all", () => gateway.request("session.pause"), { icon: "pause", scope: ["act", "approve"] }),
    button("Resume all", () => gateway.request("session.resume"), { icon: "play", scope: "approve" }),
    button("Stop all", stopAll, { icon: "stop", kind: "danger", scope: ["act", "approve"] }),
    button("New session", newSession, { icon: "plus", kind: "primary", scope: "act" }),
  );

const stopAll = () =>
  confirmFirst("Stop what every agent is doing?", "Stop all", () => gateway.request("session.stop"));

const newSession = async () => {
  const { sessionKey } = await gateway.request("sessions.create");
  goTo(linkTo("sessions", sessionKey));
};

const nothingYet = () =>
  emptyState(
    "sessions",
    "No session is open",
    "A session is an isolated browser. Start one with “New session”, by sending a message in ",
    element("a", { href: linkTo("chat") }, "Chat"),
    ", or by connecting an MCP client to ",
    element("code", {}, `${location.origin}/mcp`),
    ".",
  );

customElements.define("rove-sessions", Sessions);
