// What is shown before the gateway has accepted the token of this page.

import { gateway } from "../client/gateway.js";
import { forgetToken, keepToken, tokenIn } from "../client/token.js";
import { button } from "../dom/button.js";
import { element, fill } from "../dom/element.js";
import { icon } from "../dom/icons.js";
import { View } from "../dom/view.js";

export class SignIn extends View {
  start() {
    const { state } = gateway.connection;
    fill(this, element("div", { class: "sign-in" }, icon("compass"), ...(PARTS[state] ?? PARTS.connecting)()));
  }
}

const tokenForm = () => {
  const field = element("input", {
    id: "token",
    type: "password",
    autocomplete: "off",
    required: true,
    placeholder: "http://127.0.0.1:18789/#token=…",
  });
  const connect = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    keepToken(tokenIn(field.value));
    gateway.open(tokenIn(field.value));
  };
  return element(
    "form",
    { onsubmit: connect },
    element("label", { for: "token" }, "Link or token"),
    element("div", { class: "row" }, field, element("button", { class: "button primary" }, "Connect")),
  );
};

const how = () =>
  element(
    "p",
    {},
    "Run ",
    element("code", {}, "rove serve"),
    " and open the link that it prints, or paste that link here.",
  );

/** @type {Record<string, () => Node[]>} */
const PARTS = {
  connecting: () => [element("h1", {}, "Connecting…"), element("p", { role: "status" }, "Waiting for the gateway.")],
  open: () => PARTS.connecting(),
  reconnecting: () => [
    element("h1", {}, "The gateway does not answer"),
    element(
      "p",
      { role: "status" },
      "Is ",
      element("code", {}, "rove serve"),
      " running? This page tries again by itself.",
    ),
    button("Try now", () => gateway.connection.retry(), { icon: "refresh" }),
  ],
  refused: () => {
    forgetToken();
    return [element("h1", {}, "Refused"), element("p", { role: "alert" }, gateway.connection.reason), tokenForm()];
  },
  failed: () => [
    element("h1", {}, "The gateway cannot be used"),
    element("p", { role: "alert" }, gateway.connection.reason),
    button("Try again", () => gateway.connection.retry(), { icon: "refresh" }),
  ],
  closed: () => [element("h1", {}, "Welcome to rove"), how(), tokenForm()],
};

customElements.define("rove-sign-in", SignIn);
