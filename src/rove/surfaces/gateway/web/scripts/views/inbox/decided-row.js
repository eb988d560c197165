// A request that was decided: what, how, and by whom.

import { element, fill } from "../../dom/element.js";
import { sessionTitle } from "../sessions/session-title.js";

/** @import { DecidedApproval } from "../../client/wire.js" */

/** @type {Record<string, { text: string, kind: string }>} */
export const DECISIONS = {
  approved: { text: "approved", kind: "good" },
  approved_for_session: { text: "approved for the session", kind: "good" },
  denied: { text: "denied", kind: "bad" },
  expired: { text: "expired", kind: "weak" },
  cancelled: { text: "withdrawn", kind: "weak" },
};

export class DecidedRow extends HTMLElement {
  /** @param {DecidedApproval} decided */
  show({ approval, decision }) {
    const { text, kind } = DECISIONS[decision.decision] ?? { text: decision.decision, kind: "weak" };
    this.setAttribute("role", "listitem");
    fill(
      this,
      element("span", { class: `chip ${kind}` }, text),
      element("span", { class: "grow" }, approval.summary),
      element(
        "span",
        { class: "quiet-text" },
        [
          sessionTitle(approval.sessionKey),
          decision.by && `by ${decision.by}`,
          decision.reason && `“${decision.reason}”`,
        ]
          .filter(Boolean)
          .join(" · "),
      ),
    );
  }
}

customElements.define("rove-decided-row", DecidedRow);
