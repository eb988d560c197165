// One setting: its value at the next start, and where that comes from.

import { gateway } from "../../client/gateway.js";
import { attempt, missing } from "../../dom/button.js";
import { element, fill } from "../../dom/element.js";
import { showNotice } from "../../dom/notices.js";
import { View } from "../../dom/view.js";

/** @typedef {{ key: string, value: any, default: any, description: string, choices: any[], source: string }} Setting */

let count = 0;

export class SettingRow extends View {
  #setting;

  /** @param {Setting} setting */
  constructor(setting) {
    super();
    this.#setting = setting;
  }

  start() {
    const setting = this.#setting;
    const control = controlFor(setting, (value) => attempt(() => this.#save(value)));
    control.node.id = `setting-${++count}`;
    control.node.toggleAttribute("disabled", missing("own") !== "");
    control.node.title = missing("own");
    const text = element(
      "div",
      {},
      element("label", { for: control.node.id }, element("code", {}, setting.key)),
      element("p", { class: "quiet-text" }, setting.description, source(setting)),
    );
    this.className = "setting";
    fill(this, text, control.node);
  }

  /** @param {unknown} value */
  async #save(value) {
    await gateway.request("settings.set", { key: this.#setting.key, value });
    showNotice(`${this.#setting.key} is written. It holds from the next start of the gateway.`);
  }
}

/** @param {Setting} setting */
const source = ({ source: from }) =>
  from && from !== "default" ? element("span", { class: "chip weak" }, from) : null;

/**
 * @param {Setting} setting
 * @param {(value: unknown) => void} save
 * @returns {{ node: HTMLElement }}
 */
const controlFor = (setting, save) => {
  if (typeof setting.value === "boolean") return toggle(setting, save);
  if (setting.choices?.length) return choice(setting, save);
  return field(setting, save);
};

/** @param {Setting} setting @param {(value: unknown) => void} save */
const toggle = (setting, save) => {
  const node = element("input", { type: "checkbox", checked: setting.value, onchange: () => save(node.checked) });
  return { node };
};

/** @param {Setting} setting @param {(value: unknown) => void} save */
const choice = (setting, save) => {
  const node = element(
    "select",
    { onchange: () => save(node.value) },
    setting.choices.map((one) => element("option", { value: one }, String(one))),
  );
  node.value = String(setting.value);
  return { node };
};

/** @param {Setting} setting @param {(value: unknown) => void} save */
const field = (setting, save) => {
  const isNumber = typeof setting.value === "number" || typeof setting.default === "number";
  const isList = Array.isArray(setting.value);
  const read = () => {
    if (node.value.trim() === "") return null;
    if (isList)
      return node.value
        .split(",")
        .map((part) => part.trim())
        .filter(Boolean);
    return isNumber ? Number(node.value) : node.value;
  };
  const shown = isList ? setting.value.join(", ") : (setting.value ?? "");
  const node = element("input", {
    type: isNumber ? "number" : "text",
    step: "any",
    value: shown,
    placeholder: isList ? "separated by commas" : "not set",
    onchange: () => save(read()),
  });
  return { node };
};

customElements.define("rove-setting", SettingRow);
