// The downloads in the workspace of a token, which all sessions that were opened with it share.

import { gateway } from "../../client/gateway.js";
import { attempt, button } from "../../dom/button.js";
import { element, fill } from "../../dom/element.js";
import { emptyState } from "../../dom/empty.js";
import { bytesOf, save } from "../../dom/pictures.js";
import { clockTime } from "../../dom/time.js";
import { View } from "../../dom/view.js";

/** @typedef {{ name: string, bytes: number, modified: number }} Download */

export class DownloadsPanel extends View {
  #list = element("div");
  #key;

  /** @param {string} key */
  constructor(key) {
    super();
    this.#key = key;
  }

  start() {
    const refresh = button("Refresh", () => this.#load(), { icon: "refresh" });
    const about = element(
      "p",
      { class: "quiet-text" },
      "Downloads of all sessions of the same token, the newest first.",
    );
    fill(this, element("div", { class: "row" }, refresh, about), this.#list);
    attempt(() => this.#load());
  }

  async #load() {
    const { files } = await gateway.request("downloads.list", { sessionKey: this.#key });
    const text = "When a page gives the browser a file to keep, it is listed here and can be saved.";
    fill(
      this.#list,
      files.length
        ? files.map((/** @type {Download} */ file) => row(file, this.#key))
        : emptyState("download", "Nothing has been downloaded", text),
    );
  }
}

/**
 * @param {Download} file
 * @param {string} key
 */
const row = (file, key) =>
  element(
    "div",
    { class: "list-row" },
    element("span", { class: "grow page-text" }, file.name),
    element("span", { class: "quiet-text" }, `${size(file.bytes)} · ${clockTime(file.modified)}`),
    button("Save", () => saveFile(file.name, key), { icon: "download", label: `Save ${file.name}` }),
  );

/** @param {number} bytes */
const size = (bytes) =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 ** 2
      ? `${Math.round(bytes / 1024)} kB`
      : `${(bytes / 1024 ** 2).toFixed(1)} MB`;

/**
 * @param {string} file
 * @param {string} sessionKey
 */
const saveFile = async (file, sessionKey) => {
  const { name, mimeType, data } = await gateway.request("downloads.read", { file, sessionKey });
  save(name, bytesOf(data), mimeType);
};

customElements.define("rove-downloads-panel", DownloadsPanel);
