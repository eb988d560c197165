// All that is known of one step: its arguments, the decision, what it changed, and the page before and after it.

import { RequestFailed } from "../../client/connection.js";
import { gateway } from "../../client/gateway.js";
import { element, fill } from "../../dom/element.js";
import { outlinedPicture } from "../../dom/pictures.js";
import { clockTime, duration } from "../../dom/time.js";
import { valueList } from "../inbox/details.js";
import { outcomeChip, titleOf } from "./step-row.js";

/** @import { Picture, Step } from "../../client/wire.js" */

export class StepDetail extends HTMLElement {
  /** @type {Step | undefined} */
  #step;

  /**
   * @param {Step} step
   * @param {Step} [before] the step before it, whose picture is what this one found
   */
  show(step, before) {
    if (this.#step === step) return;
    this.#step = step;
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", "The chosen step");
    const pictures = element("div", { class: "step-pictures" });
    fill(
      this,
      element("header", { class: "row" }, element("h2", { class: "grow" }, titleOf(step)), outcomeChip(step)),
      valueList(facts(step)),
      step.error && element("p", { class: "callout urgent page-text" }, step.error),
      pictures,
      section("Arguments", valueList(step.arguments ?? {})),
      section("What the agent was told", told(step)),
    );
    this.#showPictures(pictures, step, before);
  }

  /**
   * @param {HTMLElement} place
   * @param {Step} step
   * @param {Step} [before]
   */
  async #showPictures(place, step, before) {
    const [earlier, later] = await Promise.all([before && pictureOf(before), pictureOf(step)]);
    if (this.#step !== step) return;
    const boxes = step.box ? [step.box] : [];
    fill(place, earlier && figure("Before", earlier, boxes), later && figure("After", later, earlier ? [] : boxes));
  }
}

/**
 * The picture of a step: from its event, or kept by the gateway.
 * @param {Step} step
 * @returns {Promise<Picture | undefined>}
 */
const pictureOf = async (step) => {
  if (step.picture || step.isRunning) return step.picture;
  try {
    return await gateway.request("session.picture", { sessionKey: step.sessionKey, stepId: step.stepId });
  } catch (error) {
    if (error instanceof RequestFailed) return undefined;
    throw error;
  }
};

/**
 * @param {string} title
 * @param {Picture} picture
 * @param {import("../../client/wire.js").Box[]} boxes
 */
const figure = (title, picture, boxes) =>
  element(
    "figure",
    {},
    element("figcaption", {}, title),
    outlinedPicture(picture, `The page ${title.toLowerCase()} this step`, boxes),
  );

/** @param {Step} step */
const told = ({ changes: text }) =>
  text && element("pre", { class: "log", tabindex: "0", "aria-label": "What the agent was told" }, text);

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
