// Long lists: each remembers where the rows of its children start, so that it can be cut between children.

import { refNumber } from "../dom/refs.js";
import { thousands } from "../dom/text.js";
import { FOLD, flushText, rows } from "../snapshot/rows.js";

export const GROUP_SIZE = 12;
/** @type {Group[]} */
export let groups = [];

export const resetGroups = () => {
  groups = [];
};

/** @param {Element} element @returns {Group} */
export const startGroup = (element) => ({ element, items: [], children: [], last: null });

/** @param {Group} group @param {number} before @param {number} index */
export const noteItem = (group, before, index) => {
  if (rows.length <= before) return;
  group.items.push(rows[before]);
  group.children.push(index);
};

/** @param {Group} group */
export const endGroup = (group) => {
  group.last = rows[rows.length - 1];
  if (group.items.length >= GROUP_SIZE) groups.push(group);
};

/** @param {Element} element @param {VisibilityContext} context @param {number} from @param {number} to */
export const addFold = (element, context, from, to) => {
  if (to <= from || context.isInName) return;
  flushText();
  rows.push({
    depth: context.depth,
    flags: FOLD,
    ref: refNumber(element),
    line: `… ${thousands(to - from)} more`,
    from,
    to,
  });
};
