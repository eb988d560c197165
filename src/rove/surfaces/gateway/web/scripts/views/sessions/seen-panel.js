// What the agent sees beside what is shown: a ref is outlined in the picture, and hidden text is marked.

import { RequestFailed } from "../../client/connection.js";
import { gateway } from "../../client/gateway.js";
import { button } from "../../dom/button.js";
import { element, fill } from "../../dom/element.js";
import { emptyState } from "../../dom/empty.js";
import { describeFailure } from "../../dom/notices.js";
import { outlinedPicture, outlines } from "../../dom/pictures.js";
import { View } from "../../dom/view.js";

/** @import { Box, Picture } from "../../client/wire.js" */
/** @typedef {{ text: string, refs?: Record<string, Box>, picture?: Picture }} Snapshot */

// A mark in round brackets after a quoted text says that a person does not see it: "…" (transparent).
const HIDDEN = /"[^"]*" \((?!aria\)|placeholder\)|struck through\))([a-z0-9 -]+)\)/;
const REF = /\[(e\d+)\]/;

export class SeenPanel extends View {
  #key;
  #content = element("div", { class: "seen" });
  /** @type {Snapshot | undefined} */
  #snapshot;

  /** @param {string} key */
  constructor(key) {
    super();
    this.#key = key;
  }

  start() {
    const refresh = button("Look again", () => this.#load(), { icon: "refresh" });
    const how = element(
      "p",
      { class: "quiet-text" },
      "Point at a line with a ref, or move to it with the Tab key, to outline it. Text that a person does not see is marked.",
    );
    fill(this, element("div", { class: "row" }, refresh, how), this.#content);
    this.#load();
  }

  async #load() {
    if (!gateway.sessions.get(this.#key)?.tabs?.length)
      return fill(this.#content, emptyState("eye", "No page is open yet"));
    try {
      this.#snapshot = await gateway.request("session.snapshot", { sessionKey: this.#key });
      return this.#show();
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      return fill(this.#content, element("p", { class: "callout" }, describeFailure(error)));
    }
  }

  #show() {
    const { text = "", picture } = this.#snapshot ?? {};
    const lines = text.split("\n").map((line) => this.#line(line));
    const shown = picture
      ? outlinedPicture(picture, "The page as a person sees it")
      : element("p", { class: "quiet-text" }, "There is no picture of this page.");
    return fill(
      this.#content,
      element("div", { class: "seen-picture" }, shown),
      element("div", { class: "seen-lines", role: "list", "aria-label": "What the agent sees" }, lines),
    );
  }

  /** @param {string} line */
  #line(line) {
    const ref = REF.exec(line)?.[1];
    const hidden = HIDDEN.exec(line)?.[1];
    const box = ref ? this.#snapshot?.refs?.[ref] : undefined;
    const row = element(
      "div",
      {
        role: "listitem",
        class: ["seen-line", hidden && "hidden-text", box && "with-box"].filter(Boolean).join(" "),
        tabindex: box ? "0" : undefined,
      },
      line,
    );
    if (hidden) row.append(element("span", { class: "chip bad" }, `hidden: ${hidden}`));
    if (!box) return row;
    row.onmouseenter = row.onfocus = () => this.#outline([box]);
    row.onmouseleave = row.onblur = () => this.#outline([]);
    return row;
  }

  /** @param {Box[]} boxes */
  #outline(boxes) {
    const frame = this.querySelector(".outlined");
    const { width = 0, height = 0 } = this.#snapshot?.picture ?? {};
    frame?.querySelector("svg")?.remove();
    frame?.append(outlines(width, height, boxes));
  }
}

customElements.define("rove-seen-panel", SeenPanel);
