// An agent asks a person to do something in its tab.

import { gateway } from "../../client/gateway.js";
import { button } from "../../dom/button.js";
import { element, fill } from "../../dom/element.js";
import { countdown } from "../../dom/time.js";
import { View } from "../../dom/view.js";
import { handoffOf, isDrivenHere } from "./driver.js";

export class HandoffNotice extends View {
  #key;
  #shown = "";
  #left = element("span");

  /** @param {string} key */
  constructor(key) {
    super();
    this.#key = key;
  }

  start() {
    this.setAttribute("role", "status");
    this.listen(gateway, "handoffs sessions", () => this.#show());
    this.every(1000, () => this.#tick());
    this.#show();
  }

  #show() {
    const handoff = handoffOf(this.#key);
    const isDriven = isDrivenHere(gateway.sessions.get(this.#key));
    const state = `${handoff?.handoffId} ${isDriven}`;
    if (state === this.#shown) return;
    this.#shown = state;
    fill(this, handoff ? this.#notice(handoff.reason, isDriven) : null);
    this.#tick();
  }

  /**
   * @param {string} reason
   * @param {boolean} isDriven
   */
  #notice(reason, isDriven) {
    const how = isDriven
      ? "Do it in the live view, then hand back."
      : "Take over, do it in the live view, then hand back.";
    return element(
      "div",
      { class: "callout urgent" },
      element(
        "p",
        {},
        element("strong", {}, "The agent asks for you: "),
        element("span", { class: "page-text" }, reason),
      ),
      element("p", {}, how, " ", this.#left),
      isDriven ? null : button("Decline", () => this.#decline(), { scope: ["act", "approve"], session: this.#key }),
    );
  }

  #decline() {
    const { handoffId } = handoffOf(this.#key) ?? {};
    return gateway.request("handoff.decline", { sessionKey: this.#key, handoffId });
  }

  #tick() {
    const { expiresAt } = handoffOf(this.#key) ?? {};
    // Once a person drives, they have all the time that they need.
    const isOpen = expiresAt && !isDrivenHere(gateway.sessions.get(this.#key));
    this.#left.textContent = isOpen ? `${countdown(expiresAt)} left.` : "";
  }
}

customElements.define("rove-handoff-notice", HandoffNotice);
