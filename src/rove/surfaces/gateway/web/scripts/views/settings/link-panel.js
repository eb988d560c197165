// Links for other people: each is a token with fewer rights, which ends by itself.

import { gateway } from "../../client/gateway.js";
import { attempt, button, missing } from "../../dom/button.js";
import { element, fill } from "../../dom/element.js";
import { showNotice } from "../../dom/notices.js";
import { clockTime } from "../../dom/time.js";
import { View } from "../../dom/view.js";

/** @typedef {{ id: string, label: string, scopes: string[], expires: number | null }} KnownToken */

const RIGHTS = /** @type {Record<string, string[]>} */ ({
  "look only": ["view:all"],
  "look and approve": ["approve:all"],
  "look, act and approve": ["act", "approve:all"],
  "use sessions of their own": ["act", "approve"],
});
const TIMES = /** @type {Record<string, number>} */ ({
  "15 minutes": 900,
  "1 hour": 3600,
  "1 day": 86400,
  "1 week": 604800,
});

export class LinkPanel extends View {
  #rights = select("link-rights", Object.keys(RIGHTS));
  #time = select("link-time", Object.keys(TIMES));
  #label = element("input", { id: "link-label", placeholder: "for whom", maxlength: 100, autocomplete: "off" });
  #made = element("div", { role: "status" });
  #known = element("ul", { class: "plain-list tokens" });

  start() {
    this.#time.value = "1 hour";
    const fields = element(
      "div",
      { class: "row link-fields" },
      labelled("They may", this.#rights),
      labelled("for", this.#time),
      labelled("Name", this.#label),
      button("Make a link", () => this.#make(), { icon: "link", kind: "primary", scope: "own" }),
    );
    for (const control of [this.#rights, this.#time, this.#label]) control.disabled = missing("own") !== "";
    fill(
      this,
      element(
        "section",
        { class: "panel" },
        element("h2", {}, "Links for others"),
        element(
          "p",
          { class: "quiet-text" },
          missing("own") ||
            "A link lets another person or agent in, until it expires or is revoked. They act only in sessions of their own.",
        ),
        fields,
        this.#made,
        this.#known,
      ),
    );
    if (gateway.can("own")) attempt(() => this.#load());
  }

  async #make() {
    const { link } = await gateway.request("tokens.create", {
      scopes: RIGHTS[this.#rights.value],
      expiresIn: TIMES[this.#time.value],
      label: this.#label.value,
    });
    const field = element("input", { class: "made-link", readonly: true, value: link, "aria-label": "The link" });
    const copy = button("Copy", () => copyText(field), { icon: "link" });
    fill(this.#made, element("p", {}, "It is shown this once:"), element("div", { class: "row" }, field, copy));
    field.select();
    await this.#load();
  }

  async #load() {
    const { tokens } = await gateway.request("tokens.list");
    fill(
      this.#known,
      tokens.map((/** @type {KnownToken} */ token) => this.#row(token)),
    );
  }

  /** @param {KnownToken} token */
  #row(token) {
    const revoke = async () => {
      await gateway.request("tokens.revoke", { id: token.id });
      await this.#load();
    };
    const until = token.expires
      ? ` until ${new Date(token.expires * 1000).toLocaleDateString()} ${clockTime(token.expires)}`
      : "";
    return element(
      "li",
      { class: "row" },
      element("span", { class: "grow" }, `${token.label || token.id}: ${token.scopes.join(", ")}${until}`),
      button("Revoke", revoke, { kind: "danger" }),
    );
  }
}

/** @param {HTMLInputElement} field */
const copyText = async (field) => {
  field.select();
  await navigator.clipboard.writeText(field.value);
  showNotice("Copied.");
};

/**
 * @param {string} id
 * @param {string[]} values
 */
function select(id, values) {
  return element(
    "select",
    { id },
    values.map((value) => element("option", { value }, value)),
  );
}

/**
 * @param {string} text
 * @param {HTMLElement} control
 */
const labelled = (text, control) =>
  element("div", { class: "field" }, element("label", { for: control.id }, text), control);

customElements.define("rove-link-panel", LinkPanel);
