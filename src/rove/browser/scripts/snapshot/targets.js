// Descriptions of one element, and targets by CSS selector or by role and name.

import { isEditingHost, isRendered, isTag, SVG } from "../dom/elements.js";
import { comesBefore, localNameOf, namespaceOf, queryAll, rectOf, rootElementOf } from "../dom/natives.js";
import { elementOfRef, refNumber } from "../dom/refs.js";
import { clean, clip, MAX_NAME, messageOf, quote, squash } from "../dom/text.js";
import { allRoots, everyElement, isWithin, parentElementOf, pictureOf } from "../dom/tree.js";
import { NO_NAME, nameOf } from "../roles/names.js";
import { SYNONYMS } from "../roles/role_names.js";
import { roleOf } from "../roles/roles.js";
import { readStyle } from "../visibility/computed_styles.js";
import { composeLine, composeName, guessName, MAX_GUESS } from "./lines.js";
import { PRESS_ROLES, pressStrength, STRONG, visibleLabelOf } from "./press_targets.js";
import { unmarkTransparentToggle } from "./row_parts.js";
import { clickableName, clickableRole, isShownByLabel } from "./row_roles.js";
import { finishLine, rows, UNSEEN } from "./rows.js";
import { beginPass, rowOf, walkElement } from "./snapshot.js";
import { SKIPPED } from "./walk.js";

/** @param {Element} element */
export const describeElement = (element) => {
  beginPass({});
  const row = rowOf(element);
  return {
    role: row.role,
    name: clip(clean(row.naming.name), MAX_NAME),
    ...describedLines(element, row),
    ref: "e" + refNumber(element),
    visible: !(row.flags & UNSEEN),
  };
};

// `line` is the element as it is now, `label` only what it is called. An element without a meaningful role is described
// by its text, as a clickable element would be.
/** @param {Element} element @param {ElementRow} row */
const describedLines = (element, row) => {
  /** @param {string} line */
  const finish = (line) => finishLine({ ...row, line, ref: 0 });
  if (row.role !== "generic" && row.role !== "none") {
    const strength = PRESS_ROLES.has(row.role) ? STRONG : 0;
    return { line: finish(row.line), label: finish(composeName(element, row.role, row.naming, strength)) };
  }
  const named = clickableName(element, row.role);
  const naming = { ...named, name: clip(named.name, MAX_DESCRIBED_NAME) };
  const word = isClickable(element, row.role) ? clickableRole(element, row.role) : row.role;
  const line = finish(composeLine(element, word, row.role, naming, STRONG));
  // The text of an editable element is its value.
  const called = isEditingHost(element) && named.source === "content" ? NO_NAME : naming;
  const isBare = (word === "generic" || word === "none") && called.name !== "";
  // What is neither a control nor has a role is its text, as in a snapshot.
  return {
    line,
    label: finish(isBare ? quote(called.name, MAX_DESCRIBED_NAME) : composeName(element, word, called, STRONG)),
  };
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

/** @param {Element} element @param {string} own */
export const nameForSearch = (element, own) =>
  (own === "generic" || own === "none" ? clickableName(element, own) : nameOf(element, own)).name;

/** @param {string} role @param {string | null | undefined} name @param {boolean} isGuess */
const queryRole = (role, name, isGuess) => {
  const wanted = role ? SYNONYMS[role.toLowerCase()] || role.toLowerCase() : "";
  const target = name === null || name === undefined ? null : squash(name).toLowerCase();
  const exact = [];
  const partial = [];
  const unnamed = [];
  for (const element of everyElement()) {
    const own = roleOf(element);
    if (!hasWantedRole(element, own, wanted) || !isExposed(element)) continue;
    if (target === null) {
      exact.push(element);
      continue;
    }
    const called = nameForSearch(element, own);
    if (!called) unnamed.push(element);
    else if (isGuess) continue;
    else if (called.toLowerCase() === target || clean(called).toLowerCase() === target) exact.push(element);
    else if (target && includesShown(called.toLowerCase(), target)) partial.push(element);
  }
  if (exact.length || partial.length) return { found: exact.length ? exact : partial, isPartial: !exact.length };
  return { found: target ? unnamed.filter((element) => guessShown(element) === target) : [], isPartial: false };
};

// A name that is shown in part ends with an ellipsis.
/** @param {string} name @param {string} target */
const includesShown = (name, target) =>
  name.includes(target) || (target.length > 1 && target.endsWith("…") && name.startsWith(target.slice(0, -1)));

/** @param {Element} element */
const guessShown = (element) => clip(clean(guessName(element)), MAX_GUESS).toLowerCase();

/** @param {Element} element @param {string} own @param {string} wanted */
const hasWantedRole = (element, own, wanted) => {
  if (!wanted) return PRESS_ROLES.has(own);
  if (own === wanted) return true;
  // What has no role of its own is shown as "clickable", a text that can be edited as "textbox", a shape by its tag.
  if (wanted !== "clickable" && wanted !== "textbox" && namespaceOf(element) !== SVG) return false;
  return clickableRole(element, own) === wanted && isClickable(element, own);
};

/** @param {Element} element @param {string} own */
export const isClickable = (element, own) => {
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
  if (!rootElementOf(document)) return { total: 0, matches: [], isPartial: false }; // document.open() leaves it empty for a moment
  beginPass({});
  /** @type {{ found: Element[], isPartial: boolean }} */
  let answer;
  try {
    answer =
      spec.css !== undefined && spec.css !== null
        ? { found: queryCss(spec.css), isPartial: false }
        : queryRole(spec.role || "", spec.name, Boolean(spec.isGuess));
  } catch (error) {
    return { error: "bad selector: " + clip(messageOf(error), 200), total: 0, matches: [] };
  }
  const found = spec.css === undefined || spec.css === null ? answer.found.map(visibleLabelOrSelf) : answer.found;
  const matches = found.slice(0, spec.limit || MAX_MATCHES).map(describeMatch);
  return { total: found.length, matches, isPartial: answer.isPartial };
};

/** @param {Element} element */
const describeMatch = (element) => {
  const row = rowOf(element);
  unmarkTransparentToggle(element, row);
  // An element that is seen may have a name, or a part of one, that is not.
  const isSeen = isRendered(element) && !(row.reason && row.flags & UNSEEN);
  return { ref: "e" + refNumber(element), line: finishLine({ ...row, ref: 0 }), isSeen };
};

// As `describeMatch`; an element without a role by its text, as a snapshot shows it.
/** @param {Element} element */
export const describeNamed = (element) => {
  const match = describeMatch(element);
  const row = rowOf(element);
  return row.role === "generic" || row.role === "none" ? { ...match, line: describedLines(element, row).line } : match;
};

const MAX_AROUND = 100;

// What tells each of several elements from the others: its own line, and text of the largest part of the page that
// contains only this one, else the heading before it.
/** @param {string[]} refs */
export const surroundingsOf = (refs) => {
  const found = refs.map(elementOfRef);
  const around = found.map((element) => (element ? textAround(element, found) : ""));
  return found.map((element, index) => ({
    line: element ? toldLineOf(element) : "",
    // What is around several of them does not tell one from the other.
    around: around.filter((text) => text === around[index]).length === 1 ? around[index] : "",
  }));
};

// The line of an element; of one that has no name, such as a list item, with its text.
/** @param {Element} element */
const toldLineOf = (element) => {
  const { role, name, line } = describeElement(element);
  const text = name || role === "generic" || role === "none" ? "" : clickableName(element, role).name;
  return text ? `${line} ${quote(text, MAX_DESCRIBED_NAME)}` : line;
};

/** @param {Element} element @param {(Element | null)[]} all */
const textAround = (element, all) => {
  const others = all.filter((other) => other && other !== element && !isWithin(element, other));
  let area = element;
  for (let above = parentElementOf(area); above; above = parentElementOf(above)) {
    const around = above;
    if (others.some((other) => other && isWithin(other, around))) break;
    area = around;
  }
  const own = area === element ? "" : linesIn(area, element);
  return own ? `beside ${own}` : headingBefore(element);
};

/** @param {Element} area @param {Element} element */
const linesIn = (area, element) => {
  beginPass({});
  walkElement(area, {});
  const place = rows.findIndex((row) => row.element === element);
  // The first row is the area itself, which has no text of its own.
  const near =
    place < 1 ? rows.slice(1, 4) : [...rows.slice(Math.max(place - 2, 1), place), ...rows.slice(place + 1, place + 2)];
  return clip(near.map((row) => finishLine({ ...row, ref: 0 })).join(", "), MAX_AROUND);
};

/** @param {Element} element */
const headingBefore = (element) => {
  let last = null;
  for (const heading of queryAll(document, HEADINGS))
    if (isRendered(heading) && comesBefore(heading, element)) last = heading;
  return last ? `under ${clip(describeElement(last).label, MAX_AROUND)}` : "";
};

export const HEADINGS = "h1,h2,h3,h4,h5,h6,[role=heading]";

/** @param {string[]} refs */
export const rectanglesOf = (refs) =>
  refs.map((ref) => {
    const element = elementOfRef(ref);
    if (!element) return null;
    const rect = rectOf(element);
    return { ref, x: rect.left, y: rect.top, width: rect.width, height: rect.height };
  });
