// One request for approval: exactly what would be done, where, and for how long the question stands.

import { gateway } from "../../client/gateway.js";
import { button, missing } from "../../dom/button.js";
import { element, fill } from "../../dom/element.js";
import { icon } from "../../dom/icons.js";
import { outlinedPicture } from "../../dom/pictures.js";
import { countdown } from "../../dom/time.js";
import { View } from "../../dom/view.js";
import { linkTo } from "../../shell/router.js";
import { sessionTitle } from "../sessions/session-title.js";
import { describeDetails } from "./details.js";

/** @import { Approval } from "../../client/wire.js" */

let count = 0;

export class ApprovalCard extends View {
  /** @type {Approval | undefined} */
  approval;
  #time = element("span", { class: "countdown" });
  #reason = element("input", {
    class: "reason",
    placeholder: "Reason, told to the agent",
    "aria-label": "Reason for a denial",
    maxlength: 500,
  });

  start() {
    this.every(1000, () => this.#tick());
  }

  /** @param {Approval} approval */
  show(approval) {
    if (this.approval?.approvalId === approval.approvalId) return;
    this.approval = approval;
    const id = `approval-${++count}`;
    this.setAttribute("role", "group");
    this.setAttribute("aria-labelledby", id);
    this.tabIndex = -1;
    fill(this, this.#header(approval, id), this.#body(approval), this.#answers(approval));
    this.#tick();
  }

  approve() {
    return gateway.request("exec.approve", { approvalId: this.approval?.approvalId });
  }

  approveForSession() {
    return gateway.request("exec.approve", { approvalId: this.approval?.approvalId, remember: "session" });
  }

  deny() {
    const reason = this.#reason.value.trim() || undefined;
    return gateway.request("exec.deny", { approvalId: this.approval?.approvalId, reason });
  }

  /**
   * @param {Approval} approval
   * @param {string} id
   */
  #header(approval, id) {
    return element(
      "header",
      {},
      element("span", { class: "chip accent" }, approval.toolName),
      element("h2", { id }, approval.summary),
      element(
        "span",
        { class: "expiry", title: "Without an answer by then, it is denied." },
        icon("clock"),
        this.#time,
      ),
    );
  }

  /** @param {Approval} approval */
  #body(approval) {
    const boxes = (approval.elements ?? []).flatMap((one) => (one.box ? [one.box] : []));
    const picture =
      approval.picture && outlinedPicture(approval.picture, "The page now, with what would be used outlined", boxes);
    const facts = element(
      "div",
      { class: "approval-facts" },
      approval.question && element("p", {}, approval.question),
      places(approval),
      describeDetails(approval),
      elements(approval),
      consequences(approval),
    );
    return element("div", { class: picture ? "approval-body with-picture" : "approval-body" }, picture, facts);
  }

  /** @param {Approval} approval */
  #answers(approval) {
    const session = approval.sessionKey;
    this.#reason.disabled = missing("approve", session) !== "";
    return element(
      "footer",
      {},
      button("Approve once", () => this.approve(), {
        kind: "primary",
        icon: "check",
        key: "y",
        scope: "approve",
        session,
      }),
      approval.canRemember &&
        button("Approve for this session", () => this.approveForSession(), { scope: "approve", session }),
      element(
        "div",
        { class: "deny" },
        this.#reason,
        button("Deny", () => this.deny(), { kind: "danger", icon: "cross", key: "n", scope: "approve", session }),
      ),
    );
  }

  #tick() {
    const expires = this.approval?.expiresAt;
    const isEndless = !expires || !Number.isFinite(expires);
    fill(this.#time, isEndless ? "no limit" : `${countdown(expires)} left`);
    this.toggleAttribute("data-urgent", !isEndless && expires - Date.now() / 1000 < 20);
  }
}

/** @param {Approval} approval */
const places = (approval) => {
  const origins = (approval.origins ?? []).map((origin) =>
    element("code", { class: "origin" }, origin ?? "an opaque origin"),
  );
  const session = element("a", { href: linkTo("sessions", approval.sessionKey) }, sessionTitle(approval.sessionKey));
  return element(
    "p",
    { class: "places" },
    origins.length ? ["at ", ...origins, " · "] : [],
    "session ",
    session,
    " · ",
    element("a", { href: linkTo("approvals", approval.approvalId) }, "link to this request"),
  );
};

/** @param {Approval} approval */
const elements = (approval) => {
  if (!approval.elements?.length) return null;
  const rows = approval.elements.map((one) =>
    element(
      "li",
      {},
      element("code", { class: "ref" }, one.ref),
      " ",
      element("span", { class: "page-text" }, one.line),
    ),
  );
  return element("div", {}, element("h3", {}, "On the page"), element("ul", { class: "plain-list" }, rows));
};

// What it would send or open, as far as the page's markup says, then what cannot be known.
/** @param {Approval} approval */
const consequences = (approval) => {
  const all = approval.consequences ?? [];
  const known = all.filter((one) => !one.isNote);
  const notes = [...new Set(all.filter((one) => one.isNote).map((one) => one.text))];
  if (!all.length) return null;
  const rows = known.flatMap((one) => [element("dt", {}, one.name), element("dd", { class: "page-text" }, one.text)]);
  return element(
    "div",
    { class: "consequences" },
    known.length > 0 && element("h3", {}, "What it sends or opens"),
    known.length > 0 && element("dl", { class: "values" }, rows),
    notes.map((text) => element("p", { class: "note" }, text)),
  );
};

customElements.define("rove-approval-card", ApprovalCard);
