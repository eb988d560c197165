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
/** @typedef {{ text: string, ref?: string | null, isUnseen?: boolean }} SeenLine */
/** @typedef {{ lines: SeenLine[], picture?: Picture | null }} Seen */

export class SeenPanel extends View {
  #key;
  #content = element("div", { class: "seen" });
  #outlined = "";

  /** @param {string} key */
  constructor(key) {
    super();
    this.#key = key;
  }

  start() {
    const refresh = button("Look again", () => this.#load(), { icon: "refresh" });
    const text =
      "Point at a line with a ref, or move to it with the Tab key, to outline it. Text that a person does not see is marked.";
    fill(this, element("div", { class: "row" }, refresh), element("p", { class: "quiet-text" }, text), this.#content);
    this.#load();
  }

  async #load() {
    if (!gateway.sessions.get(this.#key)?.tabs?.length)
      return fill(
        this.#content,
        emptyState("eye", "No page is open yet", "When the agent opens one, this is what it reads of it."),
      );
    try {
      return this.#show(await gateway.request("session.snapshot", { sessionKey: this.#key }));
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      return fill(this.#content, element("p", { class: "callout" }, describeFailure(error)));
    }
  }

  /** @param {Seen} seen */
  #show({ lines, picture }) {
    const shown = picture
      ? outlinedPicture(picture, "The page as a person sees it")
      : element("p", { class: "quiet-text" }, "There is no picture of this page.");
    const rows = lines.map((line) => this.#line(line));
    const list = element("div", { class: "seen-lines", role: "list", "aria-label": "What the agent sees" }, rows);
    return fill(this.#content, element("div", { class: "seen-picture" }, shown), list);
  }

  /** @param {SeenLine} line */
  #line({ text, ref, isUnseen }) {
    const kinds = ["seen-line", isUnseen && "hidden-text", ref && "with-ref"].filter(Boolean).join(" ");
    const row = element("div", { role: "listitem", class: kinds, tabindex: ref ? "0" : undefined }, text);
    if (isUnseen) row.append(element("span", { class: "chip bad" }, "not visible"));
    if (!ref) return row;
    row.onmouseenter = row.onfocus = () => this.#outline(ref);
    row.onmouseleave = row.onblur = () => this.#draw([]);
    return row;
  }

  /** @param {string} ref */
  async #outline(ref) {
    this.#outlined = ref;
    try {
      const box = await gateway.request("session.box", { sessionKey: this.#key, ref });
      if (this.#outlined === ref) this.#draw([box]);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      this.#draw([]);
    }
  }

  /** @param {Box[]} boxes */
  #draw(boxes) {
    if (!boxes.length) this.#outlined = "";
    const frame = this.querySelector(".outlined");
    const image = frame?.querySelector("img");
    frame?.querySelector("svg")?.remove();
    if (image) frame?.append(outlines(image.naturalWidth, image.naturalHeight, boxes));
  }
}

customElements.define("rove-seen-panel", SeenPanel);
