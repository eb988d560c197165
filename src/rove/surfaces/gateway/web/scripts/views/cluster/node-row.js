// One node in the table. Its cells are kept and changed, so that the button in it keeps the focus.

import { gateway } from "../../client/gateway.js";
import { button } from "../../dom/button.js";
import { confirmFirst } from "../../dom/dialog.js";
import { element, fill } from "../../dom/element.js";
import { showFailure } from "../../dom/notices.js";
import { duration } from "../../dom/time.js";
import { size } from "./sizes.js";

/** @import { ClusterNode } from "../../client/wire.js" */

const MEANINGS = {
  ready: "takes sessions",
  draining: "its sessions are moved away",
  drained: "empty: it may go",
  silent: "does not answer",
  refused: "must not be used",
};
const KINDS = { ready: "good", draining: "urgent", drained: "good", silent: "bad", refused: "bad" };

export class NodeRow {
  line = element("tr");
  #cells = Array.from({ length: 6 }, () => element("td"));
  #action = element("td");
  #shown = "";
  /** @type {"" | "Drain" | "Use again" | null} what the button says; null before the first time */
  #said = null;

  /**
   * @param {string} id
   * @param {() => unknown} reload called after the node was changed
   */
  constructor(id, reload) {
    fill(this.line, element("th", { scope: "row" }, id), this.#cells, this.#action);
    this.id = id;
    this.reload = reload;
  }

  /** @param {ClusterNode} node */
  show(node) {
    const shown = JSON.stringify(node);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const [state, sessions, memory, cores, answers, version] = this.#cells;
    fill(state, element("span", { class: `chip ${KINDS[node.state]}` }, node.state), note(node));
    fill(sessions, node.sessions, small(node.sessionBytes ? size(node.sessionBytes) : ""));
    fill(memory, size(node.memoryFree), small(`of ${size(node.memoryTotal)}`));
    fill(cores, node.cores, small(`load ${node.load.toFixed(1)}`));
    fill(answers, node.state === "refused" ? "–" : duration(node.answerSeconds));
    fill(version, node.version || "–");
    this.#showAction(node);
  }

  /** @param {ClusterNode} node */
  #showAction({ state }) {
    const says = state === "refused" ? "" : state.startsWith("drain") ? "Use again" : "Drain";
    if (says === this.#said) return;
    this.#said = says;
    const act = says === "Drain" ? () => this.#ask() : () => this.#change(true);
    const made = button(says, act, { scope: "own" });
    made.setAttribute("aria-label", `${says}: ${this.id}`);
    const hadFocus = this.#action.contains(document.activeElement);
    fill(this.#action, says ? made : null);
    if (hadFocus) made.focus();
  }

  #ask() {
    const question = `Move all sessions away from ${this.id}? Nothing new is placed there until it is used again.`;
    return confirmFirst(question, "Drain it", () => this.#change(false));
  }

  /** @param {boolean} undo */
  async #change(undo) {
    try {
      await gateway.request("cluster.drain", { node: this.id, undo });
      await this.reload();
    } catch (error) {
      showFailure(error);
    }
  }
}

/** @param {ClusterNode} node */
const note = ({ state, reason }) => small(reason || MEANINGS[state]);

/** @param {string} text */
const small = (text) => (text ? element("small", { class: "quiet-text" }, text) : null);
