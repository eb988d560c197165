// Which steps of a timeline are shown.

/** @import { Step } from "../../client/wire.js" */

/** @param {Step} step */
export const isDenied = (step) => step.outcome === "denied";

/** @param {Step} step */
export const isFailed = (step) =>
  !step.isRunning && Boolean(step.outcome) && step.outcome !== "done" && !isDenied(step);

/** @param {Step} step */
export const isByPerson = (step) => Boolean(step.actor) && step.actor !== "agent";

/** @type {Record<string, { title: string, accepts: (step: Step) => boolean }>} */
export const FILTERS = {
  all: { title: "All", accepts: () => true },
  failures: { title: "Failures", accepts: isFailed },
  denials: { title: "Denials", accepts: isDenied },
  asked: {
    title: "Asked",
    accepts: (step) => Boolean(step.decision) && !["allowed", "undecided"].includes(step.decision ?? ""),
  },
  person: { title: "By a person", accepts: (step) => isByPerson(step) },
};

/**
 * @param {Step} step
 * @param {string} filter
 * @param {string} words
 */
export const matches = (step, filter, words) => {
  if (!FILTERS[filter].accepts(step)) return false;
  if (!words.trim()) return true;
  const text = JSON.stringify([
    step.action,
    step.summary,
    step.arguments,
    step.url,
    step.error,
    step.changes,
  ]).toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};
