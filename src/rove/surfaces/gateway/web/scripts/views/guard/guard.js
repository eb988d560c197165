// What the guard refused: requests of pages and of agents to places that the owner has not opened.

import { gateway } from "../../client/gateway.js";
import { button, disabledReason } from "../../dom/button.js";
import { confirmFirst } from "../../dom/dialog.js";
import { element, fill } from "../../dom/element.js";
import { emptyState, viewHeader } from "../../dom/empty.js";
import { showList } from "../../dom/list.js";
import { showFailure, showNotice } from "../../dom/notices.js";
import { View } from "../../dom/view.js";
import { linkTo } from "../../shell/router.js";
import { sessionTitle } from "../sessions/session-title.js";

/** @import { Refusal } from "../../client/wire.js" */

export class Guard extends View {
  #rows = element("div", { class: "refusals", role: "list" });
  #state = element("div");

  start() {
    fill(
      this,
      viewHeader("Guard", "What pages and agents tried to reach and were refused."),
      disabledReason("own"),
      this.#state,
      this.#rows,
    );
    this.listen(gateway, "refusals", () => this.#show());
    this.#show();
  }

  #show() {
    const refusals = [...gateway.refusals.values()].reverse();
    showList(
      this.#rows,
      refusals,
      (one) => `${one.sessionKey} ${one.host} ${one.reason}`,
      () => new RefusalRow(),
    );
    const text =
      "Every request of a browser passes the guard, which opens only public addresses. What it refuses while this page is open is listed here, and the owner can open a host with one click.";
    fill(this.#state, refusals.length ? null : emptyState("guard", "Nothing was refused", text));
  }
}

export class RefusalRow extends HTMLElement {
  /** @type {Refusal | undefined} */
  #refusal;

  /** @param {Refusal} refusal */
  show(refusal) {
    if (this.#refusal === refusal) return;
    this.#refusal = refusal;
    this.setAttribute("role", "listitem");
    fill(
      this,
      element(
        "div",
        { class: "grow" },
        element("strong", { class: "page-text" }, refusal.host),
        times(refusal),
        element("p", {}, refusal.message ?? refusal.reason),
        element("p", { class: "quiet-text page-text" }, refusal.url),
        where(refusal),
      ),
      button("Allow this host", () => allow(refusal), { scope: "own" }),
    );
  }
}

/** @param {Refusal} refusal */
const times = ({ count }) => (count > 1 ? element("span", { class: "chip weak" }, `${count} times`) : null);

/** @param {Refusal} refusal */
const where = ({ sessionKey, flag }) =>
  element(
    "p",
    { class: "quiet-text" },
    sessionKey
      ? [
          "session ",
          element("a", { href: linkTo("sessions", sessionKey) }, sessionTitle(sessionKey)),
          flag ? " · " : "",
        ]
      : [],
    flag && element("code", {}, flag),
  );

/** @param {Refusal} refusal */
const allow = ({ sessionKey, host }) =>
  confirmFirst(`Let this session reach ${host}?`, `Allow ${host}`, async () => {
    try {
      await gateway.request("hosts.allow", { sessionKey, host });
      showNotice(`${host} is open now.`);
    } catch (error) {
      showFailure(error);
    }
  });

customElements.define("rove-refusal", RefusalRow);
customElements.define("rove-guard", Guard);
