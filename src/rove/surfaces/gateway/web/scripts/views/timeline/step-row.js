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
      element("span", { class: "step-summary" }, step.summary || step.action),
      isByPerson(step) && element("span", { class: "chip accent" }, "person"),
      outcomeChip(step),
      element("span", { class: "step-duration" }, step.seconds === undefined ? "" : duration(step.seconds)),
    );
  }
}

customElements.define("rove-step-row", StepRow);
