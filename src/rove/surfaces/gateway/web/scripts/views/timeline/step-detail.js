// All that is known of one step: its arguments, the decision, what it changed, and the picture after it.

import { element, fill } from "../../dom/element.js";
import { outlinedPicture } from "../../dom/pictures.js";
import { clockTime, duration } from "../../dom/time.js";
import { valueList } from "../inbox/details.js";
import { outcomeChip } from "./step-row.js";

/** @import { Step } from "../../client/wire.js" */

export class StepDetail extends HTMLElement {
  /** @type {Step | undefined} */
  #step;

  /** @param {Step} step */
  show(step) {
    if (this.#step === step) return;
    this.#step = step;
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", "The chosen step");
    fill(
      this,
      element(
        "header",
        { class: "row" },
        element("h2", { class: "grow" }, step.summary || step.action),
        outcomeChip(step),
      ),
      valueList(facts(step)),
      step.error && element("p", { class: "callout urgent page-text" }, step.error),
      step.picture && outlinedPicture(step.picture, "The page after this step", step.box ? [step.box] : []),
      section("Arguments", valueList(step.arguments ?? {})),
      section(
        "What the agent was told",
        step.text &&
          element("pre", { class: "log", tabindex: "0", "aria-label": "What the agent was told" }, step.text),
      ),
    );
  }
}

/** @param {Step} step */
const facts = (step) => ({
  at: step.began && clockTime(step.began),
  took: step.seconds === undefined ? undefined : duration(step.seconds),
  decision: step.decision,
  by: step.actor,
  tab: step.tab,
  page: step.url,
});

/**
 * @param {string} title
 * @param {Node | string | null | undefined} content
 */
const section = (title, content) => (content ? element("section", {}, element("h3", {}, title), content) : null);

customElements.define("rove-step-detail", StepDetail);
