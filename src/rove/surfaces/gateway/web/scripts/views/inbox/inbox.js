// The inbox: approvals that wait, and those that were decided lately.

import { gateway } from "../../client/gateway.js";
import { disabledReason } from "../../dom/button.js";
import { element, fill } from "../../dom/element.js";
import { emptyState, viewHeader } from "../../dom/empty.js";
import { showList } from "../../dom/list.js";
import { View } from "../../dom/view.js";
import { linkTo } from "../../shell/router.js";
import { ApprovalList } from "./approval-list.js";
import { DecidedRow } from "./decided-row.js";

/** @import { Handoff } from "../../client/wire.js" */
/** @import { Place } from "../../shell/router.js" */

export class Inbox extends View {
  /** @type {Place | undefined} */
  place;
  #state = element("div");
  #handoffs = element("div", { class: "cards" });
  #decided = element("div", { class: "decided", role: "list" });
  #history = element(
    "section",
    { "aria-labelledby": "decided-title" },
    element("h2", { id: "decided-title" }, "Decided"),
    this.#decided,
  );

  start() {
    const header = viewHeader("Inbox", "What agents may not do before a person has agreed.");
    const list = new ApprovalList(undefined, this.#asked);
    fill(this, header, disabledReason("approve"), this.#state, this.#handoffs, list, this.#history);
    this.listen(gateway, "approvals handoffs", () => this.#show());
    this.#show();
  }

  /** The approval that the address names. */
  get #asked() {
    return this.place?.name === "approvals" ? this.place.key : undefined;
  }

  #show() {
    showList(
      this.#decided,
      gateway.decided,
      ({ approval }) => approval.approvalId,
      () => new DecidedRow(),
    );
    this.#history.hidden = gateway.decided.length === 0;
    fill(this.#state, this.#notice());
    fill(this.#handoffs, [...gateway.handoffs.values()].map(handoffLink));
  }

  #notice() {
    if (this.#asked && !gateway.approvals.has(this.#asked)) return goneNotice(this.#asked);
    return gateway.approvals.size + gateway.handoffs.size ? null : nothingWaits();
  }
}

/** @param {Handoff} handoff */
const handoffLink = ({ sessionKey, reason }) =>
  element(
    "p",
    { class: "callout urgent" },
    element("strong", {}, "The agent asks for you: "),
    element("span", { class: "page-text" }, reason),
    " ",
    element("a", { href: linkTo("sessions", sessionKey) }, "Go to its session"),
  );

const nothingWaits = () => {
  const text =
    "When an agent wants to do something that needs a person, it shows up here and in the title of this page. To see one, send a message in ";
  return emptyState("inbox", "Nothing waits for you", text, element("a", { href: linkTo("chat") }, "Chat"), ".");
};

/** @param {string} id */
const goneNotice = (id) => {
  const known = gateway.decided.some(({ approval }) => approval.approvalId === id);
  const text = known
    ? "This request has been decided."
    : "This request does not wait any more: it was decided, or it has expired.";
  return element("p", { class: "callout", role: "status" }, text);
};

customElements.define("rove-inbox", Inbox);
