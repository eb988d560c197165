// Descriptions of one element, and targets by CSS selector or by role and name.

import { isRendered, isTag } from "../dom/elements.js";
import { localNameOf, queryAll, rectOf } from "../dom/natives.js";
import { elementOfRef, refNumber } from "../dom/refs.js";
import { clean, clip, MAX_NAME, messageOf, squash } from "../dom/text.js";
import { allRoots, everyElement, parentElementOf } from "../dom/tree.js";
import { nameOf } from "../names/names.js";
import { SYNONYMS } from "../roles/role_names.js";
import { roleOf } from "../roles/roles.js";
import { composeLine } from "../snapshot/lines.js";
import { PRESS_ROLES, pressStrength, STRONG, visibleLabelOf } from "../snapshot/press_targets.js";
import { clickableName, clickableRole, isShownByLabel } from "../snapshot/row_roles.js";
import { finishLine, UNSEEN } from "../snapshot/rows.js";
import { beginPass, rowOf } from "../snapshot/snapshot.js";
import { SKIPPED } from "../snapshot/walk.js";
import { readStyle } from "../visibility/computed_styles.js";
import { pictureOf } from "../visibility/image_maps.js";

/** @param {Element} element */
export const describeElement = (element) => {
  beginPass({});
  const row = rowOf(element);
  return {
    role: row.role,
    name: clip(clean(row.naming.name), MAX_NAME),
    line: describedLine(element, row),
    ref: "e" + refNumber(element),
    visible: !(row.flags & UNSEEN),
  };
};

// An element without a meaningful role is described by its text, as a clickable element would be.
/** @param {Element} element @param {ElementRow} row */
const describedLine = (element, row) => {
  if (row.role !== "generic" && row.role !== "none") return finishLine({ ...row, ref: 0 });
  const named = clickableName(element, row.role);
  const naming = { ...named, name: clip(named.name, MAX_DESCRIBED_NAME) };
  const word = isClickable(element, row.role) ? clickableRole(element, row.role) : row.role;
  return finishLine({ ...row, line: composeLine(element, word, row.role, naming, STRONG), ref: 0 });
};

const MAX_DESCRIBED_NAME = 60;

/** @param {Element} element */
export const fullLineOf = (element) => {
  const row = rowOf(element);
  return finishLine({ ...row, ref: 0 });
};

const MAX_MATCHES = 20;

/** @param {string} selector */
const queryCss = (selector) => {
  const found = [];
  for (const root of allRoots()) {
    for (const element of queryAll(root, selector)) found.push(element);
  }
  return found;
};

/** @param {Element} element */
const isExposed = (element) =>
  isTag(element, "area") ? pictureOf(element) !== null : isRendered(element) && !SKIPPED.has(localNameOf(element));

/** @param {string} role @param {string | null | undefined} name */
const queryRole = (role, name) => {
  const wanted = role ? SYNONYMS[role.toLowerCase()] || role.toLowerCase() : "";
  const target = name === null || name === undefined ? null : squash(name).toLowerCase();
  const exact = [];
  const partial = [];
  for (const element of everyElement()) {
    const own = roleOf(element);
    if (!hasWantedRole(element, own, wanted) || !isExposed(element)) continue;
    if (target === null) {
      exact.push(element);
      continue;
    }
    const called = (
      own === "generic" || own === "none" ? clickableName(element, own) : nameOf(element, own)
    ).name.toLowerCase();
    if (called === target || clean(called) === target) exact.push(element);
    else if (target && called.includes(target)) partial.push(element);
  }
  return exact.length ? exact : partial;
};

/** @param {Element} element @param {string} own @param {string} wanted */
const hasWantedRole = (element, own, wanted) => {
  if (!wanted) return PRESS_ROLES.has(own);
  if (own === wanted) return true;
  return wanted === "clickable" && (own === "generic" || own === "none") && isClickable(element, own);
};

/** @param {Element} element @param {string} own */
const isClickable = (element, own) => {
  const facts = readStyle(element);
  const parent = parentElementOf(element);
  return (
    !facts.none &&
    pressStrength(element, own, facts, { pointer: parent ? getComputedStyle(parent).cursor === "pointer" : false }) > 0
  );
};

/** @param {Element} element */
const visibleLabelOrSelf = (element) => {
  const label = isShownByLabel(element) ? visibleLabelOf(element) : null;
  return label || element;
};

/** @param {Query} spec */
export const queryTargets = (spec) => {
  beginPass({});
  let found;
  try {
    found =
      spec.css !== undefined && spec.css !== null
        ? queryCss(spec.css)
        : queryRole(spec.role || "", spec.name).map(visibleLabelOrSelf);
  } catch (error) {
    return { error: "bad selector: " + clip(messageOf(error), 200), total: 0, matches: [] };
  }
  const matches = found.slice(0, spec.limit || MAX_MATCHES).map((element) => ({
    ref: "e" + refNumber(element),
    line: fullLineOf(element),
    visible: isRendered(element),
  }));
  return { total: found.length, matches };
};

/** @param {string[]} refs */
export const rectanglesOf = (refs) =>
  refs.map((ref) => {
    const element = elementOfRef(ref);
    if (!element) return null;
    const rect = rectOf(element);
    return { ref, x: rect.left, y: rect.top, width: rect.width, height: rect.height };
  });
