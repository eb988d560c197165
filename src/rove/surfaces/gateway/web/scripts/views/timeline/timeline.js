// The timeline of one session, from its journal: what was done, what came of it, and who decided.

import { gateway } from "../../client/gateway.js";
import { loadHistory } from "../../client/history.js";
import { attempt, button } from "../../dom/button.js";
import { element, fill } from "../../dom/element.js";
import { emptyState, viewHeader } from "../../dom/empty.js";
import { showList } from "../../dom/list.js";
import { View } from "../../dom/view.js";
import { goTo, linkTo } from "../../shell/router.js";
import { sessionTitle } from "../sessions/session-title.js";
import { FILTERS, isDenied, isFailed, matches } from "./filters.js";
import { StepDetail } from "./step-detail.js";
import { StepRow } from "./step-row.js";

/** @import { Place } from "../../shell/router.js" */
/** @import { Step } from "../../client/wire.js" */

export class Timeline extends View {
  /** @type {Place | undefined} */
  place;
  #rows = element("div", {
    class: "steps",
    role: "listbox",
    "aria-label": "Steps",
    tabindex: "0",
    onkeydown: (/** @type {KeyboardEvent} */ event) => this.#readArrow(event),
  });
  #detail = new StepDetail();
  #state = element("div");
  #scrub = element("input", {
    type: "range",
    min: 0,
    value: 0,
    "aria-label": "Scrub through the steps",
    oninput: () => this.#selectAt(Number(this.#scrub.value)),
  });
  #search = element("input", {
    type: "search",
    placeholder: "Search",
    "aria-label": "Search in the steps",
    "data-search": true,
    oninput: () => this.#show(),
  });
  #count = element("span", { class: "quiet-text", role: "status" });
  #body = element("div", { class: "timeline-body" });
  #filter = "all";
  #selected = "";

  start() {
    const tools = element(
      "div",
      { class: "row timeline-tools" },
      this.#filters(),
      this.#search,
      button("Next failure or denial", () => this.#nextFailure(), { icon: "alert", key: "f" }),
      this.#count,
    );
    fill(this.#body, element("div", { class: "scrub" }, this.#scrub), this.#rows, this.#detail);
    fill(this, this.#header(), this.#key ? tools : null, this.#state, this.#body);
    this.listen(gateway, "steps sessions", () => this.#show());
    this.listen(document, "shortcut", (event) => this.#readKey(event.detail));
    if (this.#key) attempt(() => loadHistory(this.#key ?? ""));
    this.#show();
  }

  /** The session that the address names, or the only one there is. */
  get #key() {
    return this.place?.key ?? (gateway.sessions.size === 1 ? [...gateway.sessions.keys()][0] : undefined);
  }

  #header() {
    const keys = new Set([...gateway.sessions.keys(), ...(this.#key ? [this.#key] : [])]);
    const choose = element(
      "select",
      { "aria-label": "Session", onchange: () => goTo(linkTo("timeline", choose.value)) },
      element("option", { value: "" }, "Choose a session"),
      [...keys].map((key) => element("option", { value: key }, sessionTitle(key))),
    );
    choose.value = this.#key ?? "";
    attempt(() => addClosed(choose, keys));
    return viewHeader("Timeline", "Every step of a session, as its journal has it.", choose);
  }

  #filters() {
    const choose = (/** @type {string} */ name) => {
      this.#filter = name;
      for (const one of group.children)
        one.setAttribute("aria-pressed", String(one.getAttribute("data-name") === name));
      this.#show();
    };
    const group = element(
      "div",
      { class: "segments", role: "group", "aria-label": "Filter" },
      Object.entries(FILTERS).map(([name, { title }]) =>
        element(
          "button",
          {
            type: "button",
            "data-name": name,
            "aria-pressed": String(name === this.#filter),
            onclick: () => choose(name),
          },
          title,
        ),
      ),
    );
    return group;
  }

  get #steps() {
    if (!this.#key) return [];
    return gateway.steps.of(this.#key).filter((step) => matches(step, this.#filter, this.#search.value));
  }

  #show() {
    const steps = this.#steps;
    showList(
      this.#rows,
      steps,
      (step) => step.stepId,
      (step) => new StepRow(() => this.#select(step.stepId)),
    );
    this.#count.textContent = `${steps.length} of ${this.#key ? gateway.steps.of(this.#key).length : 0} steps`;
    this.#scrub.max = String(Math.max(0, steps.length - 1));
    fill(this.#state, this.#notice(steps));
    this.#body.hidden = steps.length === 0;
    if (!steps.some((step) => step.stepId === this.#selected)) this.#selected = steps.at(-1)?.stepId ?? "";
    this.#mark();
  }

  /** @param {Step[]} steps */
  #notice(steps) {
    if (steps.length) return null;
    if (!this.#key)
      return emptyState(
        "timeline",
        "Choose a session",
        "Its steps are listed here as they happen, with what they changed, how long they took and who agreed to them.",
      );
    if (gateway.steps.of(this.#key).length)
      return emptyState("timeline", "No step matches", "Change the filter or the search.");
    return emptyState(
      "timeline",
      "No steps yet",
      "Send a message in ",
      element("a", { href: linkTo("chat", this.#key) }, "Chat"),
      " or call a tool in ",
      element("a", { href: linkTo("tools") }, "Tools"),
      ": each step shows up here.",
    );
  }

  /** @param {string} id */
  #select(id) {
    this.#selected = id;
    this.#mark();
  }

  /** @param {number} index */
  #selectAt(index) {
    const steps = this.#steps;
    const step = steps[Math.max(0, Math.min(steps.length - 1, index))];
    if (step) this.#select(step.stepId);
  }

  get #index() {
    return this.#steps.findIndex((step) => step.stepId === this.#selected);
  }

  #mark() {
    const rows = /** @type {StepRow[]} */ ([...this.#rows.children]);
    for (const row of rows) row.setAttribute("aria-selected", String(row.step?.stepId === this.#selected));
    const row = rows.find((one) => one.step?.stepId === this.#selected);
    if (row) this.#rows.setAttribute("aria-activedescendant", row.id);
    row?.scrollIntoView({ block: "nearest" });
    this.#scrub.value = String(this.#index);
    this.#scrub.setAttribute("aria-valuetext", row?.step?.summary ?? row?.step?.action ?? "");
    if (row?.step) this.#detail.show(row.step, this.#stepBefore(row.step));
  }

  /** @param {Step} step */
  #stepBefore(step) {
    const all = gateway.steps.of(step.sessionKey);
    return all.slice(0, all.indexOf(step)).findLast((one) => one.tab === step.tab);
  }

  /** @param {KeyboardEvent} event */
  #readArrow(event) {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!move) return;
    event.preventDefault();
    this.#selectAt(this.#index + move);
  }

  /** @param {string} key */
  #readKey(key) {
    if (key === "j") this.#selectAt(this.#index + 1);
    if (key === "k") this.#selectAt(this.#index - 1);
    if (key === "f") this.#nextFailure();
  }

  /** Select the next step that failed or was denied; after the last one, the first. */
  #nextFailure() {
    const steps = this.#steps;
    const order = [...steps.slice(this.#index + 1), ...steps.slice(0, this.#index + 1)];
    const found = order.find((step) => isFailed(step) || isDenied(step));
    if (found) this.#select(found.stepId);
  }
}

/**
 * Offer the sessions that are closed too: their records stay.
 * @param {HTMLSelectElement} choose
 * @param {Set<string>} known
 */
const addClosed = async (choose, known) => {
  const { sessions } = await gateway.request("sessions.records");
  const closed = /** @type {string[]} */ (sessions).filter((key) => !known.has(key));
  choose.append(...closed.map((key) => element("option", { value: key }, `${sessionTitle(key)}, closed`)));
};

customElements.define("rove-timeline", Timeline);
