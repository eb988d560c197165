// The steps of each session: from its journal what is over, from events what happens now.

/** @import { Picture, Step } from "./wire.js" */

const MOST_STEPS = 2000;

export class Steps {
  /** @type {Map<string, Step[]>} */
  #steps = new Map();
  /** Sessions whose journal has been read. @type {Set<string>} */
  #read = new Set();

  /** @param {string} sessionKey */
  of(sessionKey) {
    const steps = this.#steps.get(sessionKey) ?? [];
    this.#steps.set(sessionKey, steps);
    return steps;
  }

  /** @param {string} sessionKey */
  hasHistory(sessionKey) {
    return this.#read.has(sessionKey);
  }

  /**
   * Put the steps of the journal before those of events, which have told some of them already.
   * @param {string} sessionKey
   * @param {Step[]} steps
   */
  addHistory(sessionKey, steps) {
    const known = new Set(this.of(sessionKey).map((step) => step.stepId));
    this.#steps.set(sessionKey, [...steps.filter((step) => !known.has(step.stepId)), ...this.of(sessionKey)]);
    this.#read.add(sessionKey);
  }

  /** @param {Step} step @returns {"steps"} */
  begin(step) {
    const steps = this.of(step.sessionKey);
    steps.push({ began: Date.now() / 1000, ...step, isRunning: true });
    if (steps.length > MOST_STEPS) steps.shift();
    return "steps";
  }

  /** @param {Step} step @returns {"steps"} */
  end(step) {
    const steps = this.of(step.sessionKey);
    const index = steps.findLastIndex((one) => one.stepId === step.stepId);
    if (index < 0) steps.push({ began: Date.now() / 1000 - (step.seconds ?? 0), ...step });
    else steps[index] = { ...steps[index], ...step, isRunning: false };
    return "steps";
  }

  /** @param {{ sessionKey: string, stepId: string, picture: Picture }} shown @returns {"steps"} */
  addPicture({ sessionKey, stepId, picture }) {
    const steps = this.of(sessionKey);
    const index = steps.findLastIndex((one) => one.stepId === stepId);
    if (index >= 0) steps[index] = { ...steps[index], picture };
    return "steps";
  }
}
