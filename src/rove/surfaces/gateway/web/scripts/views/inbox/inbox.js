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

/** @import { Place } from "../../shell/router.js" */

export class Inbox extends View {
  /** @type {Place | undefined} */
  place;
  #state = element("div");
  #decided = element("div", { class: "decided", role: "list" });
  #history = element(
    "section",
    { "aria-labelledby": "decided-title" },
    element("h2", { id: "decided-title" }, "Decided"),
    this.#decided,
  );

  start() {
    const header = viewHeader("Inbox", "What agents may not do before a person has agreed.");
    fill(this, header, disabledReason("approve"), this.#state, new ApprovalList(undefined, this.#asked), this.#history);
    this.listen(gateway, "approvals", () => this.#show());
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
  }

  #notice() {
    if (this.#asked && !gateway.approvals.has(this.#asked)) return goneNotice(this.#asked);
    return gateway.approvals.size ? null : nothingWaits();
  }
}

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
