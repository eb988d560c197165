// The nodes that sessions run on: how they are, what waits, and a way to empty one before it goes.

import { gateway } from "../../client/gateway.js";
import { disabledReason } from "../../dom/button.js";
import { element, fill } from "../../dom/element.js";
import { viewHeader } from "../../dom/empty.js";
import { clockTime } from "../../dom/time.js";
import { View } from "../../dom/view.js";
import { NodeRow } from "./node-row.js";
import { size } from "./sizes.js";

/** @import { ClusterStatus } from "../../client/wire.js" */

const EVERY_MILLISECONDS = 2000;
const COLUMNS = ["Node", "State", "Sessions", "Memory free", "Cores", "Answers in", "rove"];

export class Cluster extends View {
  #facts = element("div", { class: "cluster-facts" });
  #notes = element("div", { role: "status" });
  #body = element("tbody");
  /** @type {Map<string, NodeRow>} */
  #rows = new Map();

  start() {
    fill(
      this,
      viewHeader("Cluster", "The nodes that the sessions of this server run on."),
      this.#notes,
      this.#facts,
      disabledReason("own"),
      element("div", { class: "table-frame", role: "region", "aria-label": "Nodes", tabindex: "0" }, this.#table()),
    );
    this.every(EVERY_MILLISECONDS, () => this.#load());
    this.#load();
  }

  #table() {
    const heads = COLUMNS.map((title) => element("th", { scope: "col" }, title));
    const actions = element("th", { scope: "col" }, element("span", { class: "visually-hidden" }, "Actions"));
    return element(
      "table",
      { class: "nodes" },
      element("caption", { class: "visually-hidden" }, "Nodes of the cluster"),
      element("thead", {}, element("tr", {}, heads, actions)),
      this.#body,
    );
  }

  async #load() {
    if (gateway.connection.state !== "open") return;
    try {
      /** @type {ClusterStatus} */
      const status = await gateway.request("cluster.status");
      this.#showFacts(status);
      this.#showNotes(notesOf(status));
      this.#showRows(status);
    } catch (error) {
      this.#showNotes([error instanceof Error ? error.message : String(error)]);
    }
  }

  /** @param {ClusterStatus} status */
  #showFacts(status) {
    fill(
      this.#facts,
      fact("Sessions", status.sessions, `room for ${status.freePlaces} more`),
      fact("Waiting", status.waiting, `at most ${status.queue}`),
      fact("One session", size(status.sessionBytes), "of memory, on average"),
      fact(
        "Saved states",
        status.store.saved,
        status.store.unsaved ? `${status.store.unsaved} not yet` : "all of them",
      ),
    );
  }

  /** @param {string[]} notes */
  #showNotes(notes) {
    const text = notes.join("\n");
    if (this.#notes.dataset.text === text) return;
    this.#notes.dataset.text = text;
    fill(
      this.#notes,
      notes.map((note) => element("p", { class: "callout warning" }, note)),
    );
  }

  /** @param {ClusterStatus} status */
  #showRows({ nodes }) {
    const load = () => this.#load();
    for (const node of nodes) {
      const row = this.#rows.get(node.id) ?? new NodeRow(node.id, load);
      this.#rows.set(node.id, row);
      row.show(node);
      if (!row.line.isConnected) this.#body.append(row.line);
    }
    const ids = new Set(nodes.map(({ id }) => id));
    for (const [id, row] of this.#rows) if (!ids.has(id)) this.#remove(id, row);
  }

  /**
   * @param {string} id
   * @param {NodeRow} row
   */
  #remove(id, row) {
    row.line.remove();
    this.#rows.delete(id);
  }
}

/**
 * What a person must know, in sentences.
 * @param {ClusterStatus} status
 */
const notesOf = ({ isConnected, address, moving, problems, store }) => {
  const moved = moving.length === 1 ? "1 session is" : `${moving.length} sessions are`;
  const notes = [
    isConnected ? "" : `The cluster at ${address} does not answer. It is waited for; sessions keep what they have.`,
    moving.length ? `${moved} opened on other nodes, as theirs was lost.` : "",
    store.problem ? `States are not saved since ${clockTime(store.since)}: ${store.problem}` : "",
    ...Object.entries(problems).map(([session, why]) => `Session ${session} was not moved: ${why}`),
  ];
  return notes.filter(Boolean);
};

/**
 * @param {string} title
 * @param {string | number} value
 * @param {string} more
 */
const fact = (title, value, more) =>
  element(
    "section",
    { class: "panel" },
    element("h2", {}, title),
    element("p", { class: "cluster-number" }, value),
    element("p", { class: "quiet-text" }, more),
  );

customElements.define("rove-cluster", Cluster);
