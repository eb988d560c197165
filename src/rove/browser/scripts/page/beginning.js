// The one question with which an action begins: what changed since the last answer, and what its targets mean.

import { MOST_VISITED_FOR_JOURNAL, recordedDescription } from "../snapshot/recorded_elements.js";
import { queryTargets } from "../snapshot/targets.js";
import { beginAction } from "./settling.js";

/** @typedef {Query & { ref?: string }} Aim */

/** @param {Aim} aim @param {boolean} describes */
const found = (aim, describes) => {
  if (aim.ref) return { description: describes ? recordedDescription(aim.ref, MOST_VISITED_FOR_JOURNAL) : null };
  const answer = queryTargets(aim);
  const only = answer.matches.length === 1 ? answer.matches[0] : null;
  return { ...answer, description: describes && only ? recordedDescription(only.ref, MOST_VISITED_FOR_JOURNAL) : null };
};

// `number`: the last snapshot that the agent has seen. `describes`: whether it is asked by what an element that is meant
// alone can be found again.
/** @param {number} number @param {Aim[]} aims @param {boolean} describes */
export const begin = (number, aims, describes) => {
  const answers = aims.map((aim) => found(aim, describes));
  return { changed: beginAction(number), answers };
};
