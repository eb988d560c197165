// Rows as columns of text, which the DevTools protocol carries faster than lists of values; and which rows are kept.

import { childCountOf, rectOf } from "../dom/natives.js";
import { refNumber } from "../dom/refs.js";
import { GROUP_SIZE, groups } from "../folding/groups.js";
import { FOLD, FRAME, finishLine, IN_VIEW, ITEM, PRESS, replaceRows, rows, STRUCTURE } from "./rows.js";
import { walkLimits } from "./walk.js";

/** @param {Row} row @param {SnapshotOptions} options */
const isKeptInMode = (row, options) => {
  if (options.mode === "viewport") return Boolean(row.flags & IN_VIEW) || Boolean(row.flags & FOLD);
  return row.flags & (PRESS | FRAME | FOLD) || (row.flags & STRUCTURE && row.role !== "list");
};

// Keeps elements that can be pressed or are in the viewport, with the headings and landmarks around them.
/** @param {SnapshotOptions} options */
export const filterRows = (options) => {
  if (options.depth !== null && options.depth !== undefined) cutDepth(options.depth);
  if (options.mode !== "interactive" && options.mode !== "viewport") return;
  const keep = new Array(rows.length).fill(false);
  /** @type {number[]} */
  const ancestors = [];
  rows.forEach((row, index) => {
    while (ancestors.length && rows[ancestors[ancestors.length - 1]].depth >= row.depth) ancestors.pop();
    if (
      isKeptInMode(row, options) &&
      (options.mode === "viewport" || row.flags & (PRESS | FRAME | FOLD) || row.role === "heading" || index === 0)
    ) {
      keep[index] = true;
      for (const above of ancestors) if (rows[above].flags & (STRUCTURE | PRESS | ITEM)) keep[above] = true;
    }
    ancestors.push(index);
  });
  replaceRows(reindent(rows.filter((_, index) => keep[index])));
};

/** @param {Row[]} kept */
const reindent = (kept) => {
  const stack = [];
  for (const row of kept) {
    while (stack.length && stack[stack.length - 1] >= row.depth) stack.pop();
    const depth = stack.length;
    stack.push(row.depth);
    row.depth = depth;
  }
  return kept;
};

/** @param {number} depth */
const cutDepth = (depth) => {
  const kept = [];
  let hidden = 0;
  for (const row of rows) {
    if (row.depth <= depth) kept.push(row);
    else hidden += 1;
  }
  replaceRows(kept);
  walkLimits.cutByDepth = hidden;
};

// The index of a row among the rows that are sent; -1 if it is not sent.
/** @param {Row | null} row */
const placeOf = (row) => (row !== null && row.place !== undefined && rows[row.place] === row ? row.place : -1);

export const groupColumns = () => {
  const columns = [];
  for (const group of groups) {
    const last = placeOf(group.last);
    if (last < 0) continue;
    const starts = [];
    const children = [];
    // Most lists show every child, so that the number of the child is its position and need not be sent.
    let dense = true;
    for (let i = 0; i < group.items.length; i++) {
      const place = placeOf(group.items[i]);
      if (place < 0) continue;
      if (group.children[i] !== starts.length) dense = false;
      starts.push(place);
      children.push(group.children[i]);
    }
    if (starts.length < GROUP_SIZE) continue;
    columns.push({
      ref: refNumber(group.element),
      total: childCountOf(group.element),
      end: last + 1,
      starts: starts.join(" "),
      children: dense ? null : children.join(" "),
    });
  }
  return columns;
};

/** @param {Row} row */
const rowBoxOf = (row) => {
  const element = row.element;
  if (!element) return null;
  const rect = rectOf(element);
  return [Math.round(rect.left), Math.round(rect.top), Math.round(rect.width), Math.round(rect.height)];
};

/** @param {SnapshotOptions} options */
export const columnsOf = (options) => {
  const count = rows.length;
  const depths = new Array(count);
  const flags = new Array(count);
  const refs = new Array(count);
  /** @type {Record<number, (number | undefined)[]>} */
  const folds = {};
  /** @type {(number[] | null)[] | null} */
  const boxes = options.boxes ? [] : null;
  let lines = "";
  let hrefs = "";
  for (let index = 0; index < count; index++) {
    const row = rows[index];
    row.place = index;
    depths[index] = row.depth;
    flags[index] = row.flags;
    refs[index] = row.ref;
    lines += index === 0 ? finishLine(row) : "\n" + finishLine(row);
    if (row.href) hrefs += (hrefs && "\n") + index + " " + row.href;
    if (row.from !== undefined) folds[index] = [row.from, row.to];
    if (boxes) boxes.push(row.ref ? rowBoxOf(row) : null);
  }
  return { depths: depths.join(" "), flags: flags.join(" "), refs: refs.join(" "), lines, hrefs, folds, boxes };
};
