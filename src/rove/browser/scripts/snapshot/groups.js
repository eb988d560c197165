// Long lists: each remembers where the rows of its children start, so that it can be cut between children.

import { refNumber } from "../dom/refs.js";
import { thousands } from "../dom/text.js";
import { FOLD, flushText, rows } from "./rows.js";

export const GROUP_SIZE = 12;
export let groups = [];

export const resetGroups = () => {
  groups = [];
};

export const startGroup = (element) => ({ element, items: [], children: [], last: null });

export const noteItem = (group, before, index) => {
  if (rows.length <= before) return;
  group.items.push(rows[before]);
  group.children.push(index);
};

export const endGroup = (group) => {
  group.last = rows[rows.length - 1];
  if (group.items.length >= GROUP_SIZE) groups.push(group);
};

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
