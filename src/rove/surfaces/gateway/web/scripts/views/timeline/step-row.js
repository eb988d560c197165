// One step in the list.

import { element, fill } from "../../dom/element.js";
import { clockTime, duration } from "../../dom/time.js";
import { isByPerson, isDenied, isFailed } from "./filters.js";

/** @import { Step } from "../../client/wire.js" */

let count = 0;

/** @param {Step} step */
export const outcomeChip = (step) => {
  if (step.isRunning) return element("span", { class: "chip accent" }, "running");
  if (isDenied(step)) return element("span", { class: "chip bad" }, "denied");
  if (isFailed(step)) return element("span", { class: "chip bad" }, step.outcome ?? "failed");
  return element("span", { class: "chip good" }, "done");
};

/**
 * What a step did, in one line. A batch is told by its actions.
 * @param {Step} step
 */
export const titleOf = (step) => {
  const { steps } = step.arguments ?? {};
  if (!Array.isArray(steps)) return step.summary || step.action;
  const count = steps.length === 1 ? "1 action" : `${steps.length} actions`;
  return `Batch of ${count}: ${steps.map((one) => one.action).join(", ")}`;
};

export class StepRow extends HTMLElement {
  /** @type {Step | undefined} */
  step;

  /** @param {() => void} select */
  constructor(select) {
    super();
    this.addEventListener("click", select);
  }

  /** @param {Step} step */
  show(step) {
    if (this.step === step) return;
    this.step = step;
    this.id ||= `step-${++count}`;
    this.setAttribute("role", "option");
    fill(
      this,
      element("span", { class: "step-time" }, step.began ? clockTime(step.began) : ""),
      element("span", { class: "step-summary" }, titleOf(step)),
      isByPerson(step) && element("span", { class: "chip accent" }, "person"),
      outcomeChip(step),
      element("span", { class: "step-duration" }, step.seconds === undefined ? "" : duration(step.seconds)),
    );
  }
}

customElements.define("rove-step-row", StepRow);
