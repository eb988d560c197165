// Settings that persist, links for other people, and preferences of this browser.

import { gateway } from "../../client/gateway.js";
import { attempt, disabledReason } from "../../dom/button.js";
import { element, fill } from "../../dom/element.js";
import { viewHeader } from "../../dom/empty.js";
import { View } from "../../dom/view.js";
import { hasSingleKeys, setSingleKeys, setTheme, theme } from "../../shell/theme.js";
import { LinkPanel } from "./link-panel.js";
import { SettingRow } from "./setting-row.js";

/** @import { Setting } from "./setting-row.js" */

const GROUPS = /** @type {[string, (key: string) => boolean][]} */ ([
  ["Browser", (key) => /^(headless|browser|sandbox|attach|viewport|fetch_browser)/.test(key)],
  ["Policy and guard", (key) => /^(policy|approve|allow_host|only_host|deny_host|proxy|dns|secrets|guard)/.test(key)],
  ["Limits", (key) => /^(limits|deadlines|observing)\b/.test(key)],
  ["Gateway and model", (key) => key.startsWith("serve")],
  ["Other", () => true],
]);

export class Settings extends View {
  #groups = element("div", { class: "setting-groups" });
  #search = element("input", {
    type: "search",
    placeholder: "Search",
    "aria-label": "Search in the settings",
    "data-search": true,
    oninput: () => this.#show(),
  });
  /** @type {Setting[]} */
  #settings = [];

  start() {
    fill(
      this,
      viewHeader(
        "Settings",
        `rove ${gateway.version}. What is changed here is written to the config file and holds from the next start.`,
        this.#search,
      ),
      preferences(),
      new LinkPanel(),
      disabledReason("own"),
      this.#groups,
    );
    this.listen(gateway, "settings", () => attempt(() => this.#load()));
    attempt(() => this.#load());
  }

  async #load() {
    this.#settings = (await gateway.request("settings.get")).settings;
    this.#show();
  }

  #show() {
    const words = this.#search.value.toLowerCase();
    const left = new Set(this.#settings.filter((one) => `${one.key} ${one.description}`.toLowerCase().includes(words)));
    fill(
      this.#groups,
      GROUPS.map(([title, accepts]) => group(title, take(left, accepts))),
    );
  }
}

/**
 * @param {Set<Setting>} left
 * @param {(key: string) => boolean} accepts
 */
const take = (left, accepts) => {
  const taken = [...left].filter((setting) => accepts(setting.key));
  for (const setting of taken) left.delete(setting);
  return taken;
};

/**
 * @param {string} title
 * @param {Setting[]} settings
 */
const group = (title, settings) =>
  settings.length
    ? element(
        "section",
        { class: "panel" },
        element("h2", {}, title),
        settings.map((setting) => new SettingRow(setting)),
      )
    : null;

const preferences = () => {
  const themes = element(
    "select",
    { id: "theme", onchange: () => setTheme(/** @type {any} */ (themes.value)) },
    ["auto", "light", "dark"].map((name) => element("option", { value: name }, name)),
  );
  themes.value = theme();
  const keys = element("input", {
    id: "single-keys",
    type: "checkbox",
    checked: hasSingleKeys(),
    onchange: () => setSingleKeys(keys.checked),
  });
  return element(
    "section",
    { class: "panel" },
    element("h2", {}, "This browser"),
    element("div", { class: "setting" }, element("div", {}, element("label", { for: "theme" }, "Colours")), themes),
    element(
      "div",
      { class: "setting" },
      element(
        "div",
        {},
        element("label", { for: "single-keys" }, "Single keys"),
        element("p", { class: "quiet-text" }, "y, n and the others; ? lists them."),
      ),
      keys,
    ),
  );
};

customElements.define("rove-settings", Settings);
