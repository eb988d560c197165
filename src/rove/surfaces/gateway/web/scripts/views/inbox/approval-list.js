// The approvals that wait, of all sessions or of one. One of them is selected, and y and n decide it.

import { gateway } from "../../client/gateway.js";
import { attempt, missing } from "../../dom/button.js";
import { showList } from "../../dom/list.js";
import { View } from "../../dom/view.js";
import { ApprovalCard } from "./approval-card.js";

/** @import { Approval } from "../../client/wire.js" */

// A key that was meant for the request before must not decide the one that takes its place.
const LOOKING_TIME = 700;

export class ApprovalList extends View {
  #sessionKey;
  #selected;
  #selectedAt = 0;

  /**
   * @param {string} [sessionKey] show only those of one session
   * @param {string} [selected] the one that the address names
   */
  constructor(sessionKey, selected = "") {
    super();
    this.#sessionKey = sessionKey;
    this.#selected = selected;
  }

  start() {
    this.className = "cards";
    this.listen(gateway, "approvals", () => this.#show());
    this.listen(document, "shortcut", (event) => this.#readKey(event.detail));
    this.#show();
  }

  get #waiting() {
    const all = [...gateway.approvals.values()];
    return this.#sessionKey ? all.filter((one) => one.sessionKey === this.#sessionKey) : all;
  }

  #show() {
    const waiting = this.#waiting;
    showList(
      this,
      waiting,
      (approval) => approval.approvalId,
      () => new ApprovalCard(),
    );
    const isThere = waiting.some((one) => one.approvalId === this.#selected);
    if (!isThere || !this.#selectedAt) this.#select(isThere ? this.#selected : waiting[0]?.approvalId);
    this.#mark();
  }

  /** @param {string} [id] */
  #select(id = "") {
    this.#selected = id;
    this.#selectedAt = id ? performance.now() : 0;
  }

  #mark() {
    for (const card of this.#cards) card.toggleAttribute("data-selected", card.approval?.approvalId === this.#selected);
  }

  get #cards() {
    return /** @type {ApprovalCard[]} */ ([...this.children]);
  }

  /** @param {string} key */
  #readKey(key) {
    const index = this.#cards.findIndex((card) => card.approval?.approvalId === this.#selected);
    if (key === "j") this.#move(index + 1);
    if (key === "k") this.#move(index - 1);
    if (key === "y") this.#decide(index, (card) => card.approve());
    if (key === "n") this.#decide(index, (card) => card.deny());
  }

  /** @param {number} index */
  #move(index) {
    const card = this.#cards[index];
    if (!card?.approval) return;
    this.#select(card.approval.approvalId);
    this.#mark();
    card.focus();
    card.scrollIntoView({ block: "nearest" });
  }

  /**
   * @param {number} index
   * @param {(card: ApprovalCard) => Promise<unknown>} act
   */
  #decide(index, act) {
    const card = this.#cards[index];
    const hasLooked = performance.now() - this.#selectedAt > LOOKING_TIME;
    if (!card || !hasLooked || missing("approve", card.approval?.sessionKey)) return;
    if (isInView(card)) attempt(() => act(card));
    else this.#move(index); // a key decides only what is on the screen
  }
}

/** @param {Element} card */
const isInView = (card) => {
  const { top, bottom, height } = card.getBoundingClientRect();
  const shown = Math.min(bottom, innerHeight) - Math.max(top, 0);
  return shown >= Math.min(height, innerHeight * 0.8) - 2;
};

customElements.define("rove-approval-list", ApprovalList);
