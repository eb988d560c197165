// The approvals that wait, and those that were decided lately.

import { gateway } from "../../client/gateway.js";
import { attempt, disabledReason } from "../../dom/button.js";
import { element, fill } from "../../dom/element.js";
import { emptyState, viewHeader } from "../../dom/empty.js";
import { showList } from "../../dom/list.js";
import { View } from "../../dom/view.js";
import { linkTo } from "../../shell/router.js";
import { ApprovalCard } from "./approval-card.js";
import { DecidedRow } from "./decided-row.js";

/** @import { Place } from "../../shell/router.js" */
/** @import { Approval } from "../../client/wire.js" */

// A key that was meant for the request before must not decide the one that takes its place.
const LOOKING_TIME = 700;

export class Inbox extends View {
  /** @type {Place | undefined} */
  place;
  #cards = element("div", { class: "cards" });
  #decided = element("div", { class: "decided", role: "list" });
  #state = element("div");
  #history = element(
    "section",
    { "aria-labelledby": "decided-title" },
    element("h2", { id: "decided-title" }, "Decided"),
    this.#decided,
  );
  #selected = "";
  #selectedAt = 0;

  start() {
    const header = viewHeader("Inbox", "What agents may not do before a person has agreed.");
    fill(this, header, disabledReason("approve"), this.#state, this.#cards, this.#history);
    this.listen(gateway, "approvals handoffs", () => this.#show());
    this.listen(document, "shortcut", (event) => this.#readKey(event.detail));
    this.#show();
  }

  #show() {
    const waiting = [...gateway.approvals.values()];
    showList(
      this.#cards,
      waiting,
      (approval) => approval.approvalId,
      () => new ApprovalCard(),
    );
    showList(
      this.#decided,
      gateway.decided,
      ({ approval }) => approval.approvalId,
      () => new DecidedRow(),
    );
    this.#history.hidden = gateway.decided.length === 0;
    fill(this.#state, this.#notice(waiting));
    this.#keepSelection(waiting);
  }

  /** @param {Approval[]} waiting */
  #notice(waiting) {
    const asked = this.place?.name === "approvals" ? this.place.key : undefined;
    if (asked && !waiting.some((one) => one.approvalId === asked)) return goneNotice(asked);
    if (waiting.length) return null;
    const chat = element("a", { href: linkTo("chat") }, "Chat");
    return emptyState(
      "inbox",
      "Nothing waits for you",
      "When an agent wants to do something that needs a person, it shows up here and in the title of this page. To see one, send a message in ",
      chat,
      ".",
    );
  }

  /** @param {Approval[]} waiting */
  #keepSelection(waiting) {
    if (!waiting.some((one) => one.approvalId === this.#selected)) {
      const asked = waiting.find((one) => one.approvalId === this.place?.key);
      this.#select((asked ?? waiting[0])?.approvalId ?? "");
    }
    this.#markSelection();
  }

  /** @param {string} id */
  #select(id) {
    this.#selected = id;
    this.#selectedAt = performance.now();
    this.#markSelection();
  }

  #markSelection() {
    for (const card of this.#allCards())
      card.toggleAttribute("data-selected", card.approval?.approvalId === this.#selected);
  }

  #allCards() {
    return /** @type {ApprovalCard[]} */ ([...this.#cards.children]);
  }

  /** @param {string} key */
  #readKey(key) {
    const cards = this.#allCards();
    const index = cards.findIndex((card) => card.approval?.approvalId === this.#selected);
    if (key === "j" || key === "k") this.#move(cards, index + (key === "j" ? 1 : -1));
    const card = cards[index];
    if (!card || performance.now() - this.#selectedAt < LOOKING_TIME) return;
    if (key === "y") attempt(() => card.approve());
    if (key === "n") attempt(() => card.deny());
  }

  /**
   * @param {ApprovalCard[]} cards
   * @param {number} index
   */
  #move(cards, index) {
    const card = cards[Math.max(0, Math.min(cards.length - 1, index))];
    if (!card?.approval) return;
    this.#select(card.approval.approvalId);
    card.focus();
    card.scrollIntoView({ block: "nearest" });
  }
}

/** @param {string} id */
const goneNotice = (id) => {
  const known = gateway.decided.find(({ approval }) => approval.approvalId === id);
  const text = known
    ? "This request has been decided."
    : "This request does not wait any more: it was decided, or it has expired.";
  return element("p", { class: "callout", role: "status" }, text);
};

customElements.define("rove-inbox", Inbox);
