// What is said while there is no connection.

import { gateway } from "../client/gateway.js";
import { button } from "../dom/button.js";
import { fill } from "../dom/element.js";
import { View } from "../dom/view.js";

export class ConnectionBanner extends View {
  start() {
    this.setAttribute("role", "status");
    this.listen(gateway, "connection", () => this.#show());
    this.#show();
  }

  #show() {
    const { state } = gateway.connection;
    const isLost = state === "reconnecting" && gateway.isReady;
    this.hidden = !isLost;
    if (!isLost) return fill(this);
    const retry = button("Try now", () => gateway.connection.retry(), { icon: "refresh" });
    return fill(
      this,
      "The connection to the gateway is lost. Reconnecting; nothing that happens meanwhile is missed.",
      retry,
    );
  }
}

customElements.define("rove-connection-banner", ConnectionBanner);
