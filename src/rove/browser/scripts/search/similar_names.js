// The elements whose names are most similar to one that was not found.

import { documentOrigin, isRendered } from "../dom/elements.js";
import { squash } from "../dom/text.js";
import { everyElement } from "../dom/tree.js";
import { ARIA_ROLES } from "../roles/role_names.js";
import { roleOf } from "../roles/roles.js";
import { PRESS_ROLES } from "../snapshot/press_targets.js";
import { beginPass } from "../snapshot/snapshot.js";
import { describeNamed, isClickable, nameForSearch } from "./targets.js";

const MAX_SIMILAR = 3;
const MAX_COMPARED = 5000;
const LEAST_SIMILARITY = 0.45;
const SAME_ROLE = 0.15;
// Taken from what cannot be pressed, such as a heading.
const NO_CONTROL = 0.1;
// Longer names are compared by their pairs of letters alone.
const MAX_SPELLED = 30;
const LEAST_CLOSENESS = 0.6;
// Of one name that contains the other.
const PART_OF_NAME = 0.7;

/** @param {string} text */
const pairsOf = (text) => {
  const pairs = new Map();
  for (let i = 0; i < text.length - 1; i++) {
    const pair = text.slice(i, i + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
};

// The least number of letters to add, drop or replace, as a part of the longer text, taken from 1.
/** @param {string} a @param {string} b */
const closeness = (a, b) => {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return 1 - row[b.length] / Math.max(a.length, b.length, 1);
};

// From 0 to 1, by the pairs of letters that both have (the Dice coefficient), or where that is more, by the letters that
// differ: one wrong letter changes most pairs of a short name.
/** @param {string} a @param {string} b */
export const similarity = (a, b) => {
  if (a === b) return 1;
  const [first, second] = [pairsOf(a), pairsOf(b)];
  let shared = 0;
  for (const [pair, count] of first) shared += Math.min(count, second.get(pair) ?? 0);
  const dice = (2 * shared) / Math.max(a.length + b.length - 2, 1);
  const isPart = Math.min(a.length, b.length) > 2 && (a.includes(b) || b.includes(a));
  const isShort = Math.max(a.length, b.length) <= MAX_SPELLED;
  const spelled = isShort ? closeness(a, b) : 0;
  return Math.max(dice, isPart ? PART_OF_NAME : 0, spelled < LEAST_CLOSENESS ? 0 : spelled);
};

// What a target without quotes may mean: a role, a role and a name, or a name.
/** @param {string} words */
const readWords = (words) => {
  const [first, ...rest] = words.split(" ");
  return ARIA_ROLES.has(first) ? { role: first, name: rest.join(" ") } : { role: "", name: words };
};

/** @param {Element} element @param {string} own @param {{ role: string, name: string }} wanted */
const scoreOf = (element, own, wanted) => {
  const isSameRole = own === wanted.role;
  if (!wanted.name) return isSameRole ? 1 : 0;
  const name = nameForSearch(element, own).toLowerCase();
  const isControl = PRESS_ROLES.has(own) || own === "generic" || own === "none";
  return name ? similarity(name, wanted.name) + (isSameRole ? SAME_ROLE : isControl ? 0 : -NO_CONTROL) : 0;
};

// Whether an element without a role is no control either, such as most containers.
/** @param {Element} element @param {string} own */
const isContainerOnly = (element, own) => (own === "generic" || own === "none") && !isClickable(element, own);

/** @param {{ role?: string, name?: string, words?: string }} spec */
export const similarNames = (spec) => {
  beginPass({});
  const given = spec.words ? readWords(squash(spec.words)) : { role: spec.role ?? "", name: squash(spec.name ?? "") };
  const wanted = { role: given.role.toLowerCase(), name: given.name.toLowerCase() };
  const found = [];
  let compared = 0;
  for (const element of everyElement()) {
    const own = roleOf(element);
    if (!isRendered(element) || isContainerOnly(element, own) || ++compared > MAX_COMPARED) continue;
    const score = scoreOf(element, own, wanted);
    if (score > 0) found.push({ element, score, isSameRole: own === wanted.role });
  }
  found.sort((a, b) => b.score - a.score);
  const similar = found.filter(({ score }) => score >= LEAST_SIMILARITY);
  const nearest = similar.length ? similar : found.filter(({ isSameRole }) => isSameRole);
  const described = nearest
    .slice(0, 2 * MAX_SIMILAR)
    .map(({ element, score }) => ({ ...describeNamed(element), score }));
  return { origin: documentOrigin(), names: described.filter((match) => match.isSeen).slice(0, MAX_SIMILAR) };
};
