// Ways to name an element in a Playwright locator, with a score for each: the lower, the better it will last.

import { attr } from "../dom/attributes.js";
import { isTag } from "../dom/elements.js";
import { localNameOf } from "../dom/natives.js";
import { ariaNameOf, isFrameElement } from "./aria_tree.js";
import { labelTextsOf, locatorRoleOf, wholeTextOf } from "./locator_queries.js";

const TEST_ID = 1;
const OTHER_TEST_ID = 2;
const FRAME_ATTRIBUTE = 10;
const ROLE_AND_NAME = 100;
const PLACEHOLDER = 120;
const LABEL = 140;
const ALT = 160;
const TEXT_SCORE = 180;
const TITLE_SCORE = 200;
const TEXT_PATTERN = 250;
const ID = 500;
const ROLE_ALONE = 510;
const FIELD_ATTRIBUTE = 520;
const TAG = 530;
export const NTH = 10000;
const EXACT = 5;
const LONGEST_EXACT_TEXT = 80;
const LONGEST_PENALTY = 10;

/** @param {string} kind @param {number} score @param {Partial<LocatorStep>} [rest] @returns {ScoredStep} */
const scored = (kind, score, rest = {}) => ({ kind, score, ...rest });

// Longer texts change sooner. `around` is what stands beside the text where it is counted.
/** @param {number} score @param {string} text @param {number} around */
const withPenalty = (score, text, around) => score + Math.min(LONGEST_PENALTY, Math.floor((text.length + around) / 10));

/** @param {string} text @param {number} limit */
const cutAtWord = (text, limit) => {
  if (text.length <= limit) return text;
  const match = /^(.*)\b.+?$/s.exec(text.slice(0, limit));
  return match ? match[1].trimEnd() : "";
};

// Parts of a text that are enough to find it by: without a number at its start or end, and not too long.
/** @param {string} text @returns {[text: string, bonus: number][]} */
const searchableParts = (text) => {
  /** @type {[string, number][]} */
  const parts = [];
  const leading = /^([\d.,]+)[^.,\w]/.exec(text);
  const trailing = /[^.,\w]([\d.,]+)$/.exec(text);
  const rests = [
    leading ? text.slice(leading[1].length).trimStart() : "",
    trailing ? text.slice(0, -trailing[1].length).trimEnd() : "",
  ];
  for (const rest of rests.map((each) => cutAtWord(each, 80))) if (rest) parts.push([rest, rest.length <= 30 ? 2 : 1]);
  if (text.length <= 30) parts.push([text, 0]);
  else parts.push([cutAtWord(text, 80), 0], [cutAtWord(text, 30), 1]);
  const told = parts.filter(([part]) => part);
  return told.length ? told : [[text.slice(0, 80), 0]];
};

// A step by the whole text, and steps by parts of it.
/** @param {string} kind @param {number} score @param {string} text @param {number} around @param {Partial<LocatorStep>} [rest] */
const textSteps = (kind, score, text, around, rest = {}) => [
  scored(kind, withPenalty(score + EXACT, text, around), { ...rest, text, exact: true }),
  ...searchableParts(text).map(([part, bonus]) =>
    scored(kind, withPenalty(score - bonus, part, around), { ...rest, text: part, exact: false }),
  ),
];

/** @param {string} text */
const cssString = (text) => `"${text.replace(/["\\]/g, "\\$&")}"`;

/** @param {string} id */
export const idSelector = (id) => (/^[a-zA-Z][\w-]+$/.test(id) ? `#${id}` : `[id=${cssString(id)}]`);

/** @param {Element} element */
export const tagSelector = (element) => localNameOf(element).toLowerCase().replace(/[:.]/g, "\\$&");

/** @param {string} character */
const kindOfCharacter = (character) =>
  /[a-z]/.test(character) ? "lower" : /[A-Z]/.test(character) ? "upper" : /\d/.test(character) ? "digit" : "other";

// An id that changes its kind of characters all the time was made by a program, and will be another next time.
/** @param {string} id */
export const isMadeByProgram = (id) => {
  let last = "";
  let changes = 0;
  for (const character of id.replace(/[-_]/g, "")) {
    const kind = kindOfCharacter(character);
    if (last && last !== kind && !(kind === "lower" && last === "upper")) changes += 1;
    last = kind;
  }
  return changes >= id.length / 4;
};

/** @param {Element} element @param {number} score @param {string} name */
const attributeStep = (element, score, name) =>
  attr(element, name)
    ? [scored("css", score, { text: `${tagSelector(element)}[${name}=${cssString(attr(element, name) || "")}]` })]
    : [];

/** @param {Element} element */
const cssSteps = (element) => {
  const id = attr(element, "id");
  const steps = ["data-test-id", "data-test"].flatMap((name) =>
    attr(element, name)
      ? [scored("css", OTHER_TEST_ID, { text: `[${name}=${cssString(attr(element, name) || "")}]` })]
      : [],
  );
  if (id && !isMadeByProgram(id)) steps.push(scored("css", ID, { text: idSelector(id) }));
  return [...steps, scored("css", TAG, { text: tagSelector(element) })];
};

const FIELD_TAGS = /^(?:input|textarea|select)$/;
const SUBMITTED = /^(?:button|form|fieldset|input|object|output|select|textarea|map|meta|param)$/;

/** @param {Element} element */
const fieldSteps = (element) => {
  const tag = localNameOf(element);
  const steps = SUBMITTED.test(tag) ? attributeStep(element, FIELD_ATTRIBUTE, "name") : [];
  if (!FIELD_TAGS.test(tag) || attr(element, "type") === "hidden") return steps;
  if (tag !== "select") steps.push(...attributeStep(element, FIELD_ATTRIBUTE, "type"));
  return [...steps, scored("css", FIELD_ATTRIBUTE + 1, { text: tagSelector(element) })];
};

// Ways that do not depend on the text inside.
/** @param {Element} element @returns {ScoredStep[]} */
export const plainCandidates = (element) => {
  const tag = localNameOf(element);
  if (isFrameElement(element))
    return [
      ...cssSteps(element),
      ...["name", "title"].flatMap((name) => attributeStep(element, FRAME_ATTRIBUTE, name)),
    ];
  const steps = cssSteps(element);
  const testId = attr(element, "data-testid");
  if (testId) steps.push(scored("testid", TEST_ID, { text: testId }));
  const placeholder = tag === "input" || tag === "textarea" ? attr(element, "placeholder") : "";
  if (placeholder) steps.push(...textSteps("placeholder", PLACEHOLDER, placeholder, 17));
  for (const label of labelTextsOf(element)) if (label) steps.push(...textSteps("label", LABEL, label, 3));
  const role = locatorRoleOf(element);
  if (role) steps.push(scored("role", ROLE_ALONE, { role }));
  return [...steps, ...fieldSteps(element)];
};

/** @param {string} text */
const wholePattern = (text) => `^${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`;

/** @param {ScoredStep} first @param {string} text @param {boolean} isTarget @returns {ScoredStep[][]} */
const filteredByText = (first, text, isTarget) => {
  const filters = searchableParts(text).map(([part, bonus]) =>
    scored("hasText", withPenalty(TEXT_SCORE - bonus, part, 3), { text: part, exact: false }),
  );
  if (isTarget && text.length <= LONGEST_EXACT_TEXT) {
    const pattern = wholePattern(text);
    filters.push(scored("hasText", withPenalty(TEXT_PATTERN, pattern, 2), { text: pattern, isRegex: true }));
  }
  return filters.map((filter) => [first, filter]);
};

/** @param {Element} element @param {string} role @param {string} text @param {boolean} isTarget @returns {ScoredStep[][]} */
const roleCandidates = (element, role, text, isTarget) => {
  const name = ariaNameOf(element);
  const around = role.length + 9;
  if (name && !/^\p{Co}+$/u.test(name))
    return textSteps("role", ROLE_AND_NAME, name, around, { role }).map((step) => [step]);
  const bare = scored("role", ROLE_ALONE, { role });
  if (text) return filteredByText(bare, text, isTarget);
  return isTarget ? [[bare, scored("hasText", TEXT_PATTERN, { text: "^$", isRegex: true })]] : [];
};

// Ways that depend on the text inside.
/** @param {Element} element @param {boolean} isTarget @returns {ScoredStep[][]} */
export const textCandidates = (element, isTarget) => {
  if (isTag(element, "select")) return [];
  /** @type {ScoredStep[][]} */
  const ways = [];
  const title = attr(element, "title");
  if (title) ways.push(...textSteps("title", TITLE_SCORE, title, 11).map((step) => [step]));
  const alt = /^(?:area|img|input)$/.test(localNameOf(element)) ? attr(element, "alt") : "";
  if (alt) ways.push(...textSteps("alt", ALT, alt, 9).map((step) => [step]));
  const text = wholeTextOf(element);
  if (text && isTarget)
    ways.push(
      ...textSteps("text", TEXT_SCORE, text, 3)
        .filter((step) => !step.exact || text.length <= LONGEST_EXACT_TEXT)
        .map((step) => [step]),
    );
  if (text) ways.push(...filteredByText(scored("css", TAG, { text: tagSelector(element) }), text, isTarget));
  const role = locatorRoleOf(element);
  return role ? [...ways, ...roleCandidates(element, role, text, isTarget)] : ways;
};
