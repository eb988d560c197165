// Playwright locators: the shortest lasting one for an element, and the elements that one means.

import { attr, isEditingHost, isTag } from "../dom/elements.js";
import {
  childrenOf,
  closestOf,
  localNameOf,
  matchesSelector,
  parentNodeOf,
  queryAll,
  rootElementOf,
  rootNodeOf,
} from "../dom/natives.js";
import { elementOfRef, refNumber } from "../dom/refs.js";
import { messageOf } from "../dom/text.js";
import { parentElementOf } from "../dom/tree.js";
import { beginPass } from "../snapshot/snapshot.js";
import { ariaBoxOf, ariaNameOf, elementOfAriaNumber, isFrameElement } from "./aria_tree.js";
import {
  beginLocating,
  elementsOfSteps,
  isStrictlyInside,
  labelTextsOf,
  locatorRoleOf,
  textsThatFitted,
  wholeTextOf,
} from "./locator_queries.js";

// Ways to name an element in a Playwright locator, with a score for each: the lower, the better it will last.

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
const NTH = 10000;
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
const plainCandidates = (element) => {
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
const textCandidates = (element, isTarget) => {
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

const MOST_ALIKE = 5;
const CSS_PATH = 10000000;

/** @param {ScoredStep[]} steps */
const scoreOfSteps = (steps) => steps.reduce((sum, step, index) => sum + step.score * (steps.length - index), 0);

/** @param {number} index @returns {ScoredStep} */
const nthStep = (index) => ({ kind: "nth", score: NTH, index });

// A part of a text that is as good as the whole.
const LONG_PART = 60;

// Whether a step means what has this text and nothing more. The words of a row are a part of it in any case.
/** @param {ScoredStep} step */
const hasWholeText = (step) => step.exact !== false || step.kind === "hasText" || (step.text || "").length >= LONG_PART;

// For locators that go into code, a text that other elements may come to contain is not enough.
let isExactOnly = false;

/** @param {Element} element @param {boolean} isTarget @param {boolean} withText */
const candidatesFor = (element, isTarget, withText) => {
  const texts = withText ? textCandidates(element, isTarget).map((steps) => ({ steps, isText: true })) : [];
  const plain = plainCandidates(element).map((step) => ({ steps: [step], isText: false }));
  const all = [...texts, ...plain].filter(({ steps }) => !isExactOnly || steps.every(hasWholeText));
  return all.sort((one, other) => scoreOfSteps(one.steps) - scoreOfSteps(other.steps));
};

// The best locator for an element; for the element around a target, without looking further out.
/** @param {Element} element @param {boolean} isTarget @param {boolean} withText @returns {ScoredStep[] | null} */
const bestSteps = (element, isTarget, withText) => {
  if (element === rootElementOf(document)) return [{ kind: "css", text: "html", score: 1 }];
  /** @type {ScoredStep[] | null} */
  let best = null;
  /** @param {ScoredStep[]} steps */
  const offer = (steps) => {
    if (!best || scoreOfSteps(steps) < scoreOfSteps(best)) best = steps;
  };
  for (const { steps, isText } of candidatesFor(element, isTarget, withText)) {
    const alike = elementsOfSteps(steps);
    const index = alike.indexOf(element);
    if (index >= 0 && alike.length === 1) {
      offer(steps);
      break;
    }
    if (index < 0 || index > MOST_ALIKE) continue;
    offer([...steps, nthStep(index)]);
    if (isTarget) for (const nested of nestedSteps(element, steps, alike, best, withText && !isText)) offer(nested);
  }
  return best;
};

// Locators through an element around the target, where that leaves fewer elements to choose from.
/** @param {Element} element @param {ScoredStep[]} steps @param {Element[]} alike @param {ScoredStep[] | null} best @param {boolean} withText */
const nestedSteps = function* (element, steps, alike, best, withText) {
  const index = alike.indexOf(element);
  for (let outer = parentElementOf(element); outer; outer = parentElementOf(outer)) {
    const around = outer;
    const inside = alike.filter((each) => isStrictlyInside(around, each));
    const place = inside.indexOf(element);
    if (inside.length > MOST_ALIKE || place < 0 || (place === index && inside.length > 1)) continue;
    const inner = inside.length === 1 ? steps : [...steps, nthStep(place)];
    if (best && scoreOfSteps([{ kind: "", score: 1 }, ...inner]) >= scoreOfSteps(best)) continue;
    yield [...(bestSteps(around, false, withText) || cssPath(around)), ...inner];
  }
};

// The path to an element by tags, classes and ids.
/** @param {Element} element @returns {ScoredStep[]} */
const cssPath = (element) => {
  /** @type {string[]} */
  let path = [];
  for (let node = /** @type {Element | null} */ (element); node; node = parentElementOf(node)) {
    const words = levelSelectors(node);
    for (const selector of words) {
      const whole = [selector, ...path].join(" > ");
      if (queryAll(rootNodeOf(element), whole)[0] === element) return strictCss(element, whole);
    }
    path = [words[words.length - 1], ...path];
  }
  return strictCss(element, path.join(" > "));
};

/** @param {Element} element */
const levelSelectors = (element) => {
  const words = [];
  const id = attr(element, "id");
  if (id) words.push(idSelector(id));
  const classes = (attr(element, "class") || "")
    .split(/\s+/)
    .filter(Boolean)
    .map((name) => CSS.escape(name));
  for (let count = 1; count <= classes.length; count++) words.push(`.${classes.slice(0, count).join(".")}`);
  const parent = parentNodeOf(element);
  const siblings = parent ? [...childrenOf(/** @type {Element} */ (parent))] : [element];
  const isFirst = siblings.find((each) => localNameOf(each) === localNameOf(element)) === element;
  words.push(isFirst ? tagSelector(element) : `${tagSelector(element)}:nth-child(${siblings.indexOf(element) + 1})`);
  return words;
};

/** @param {Element} element @param {string} text @returns {ScoredStep[]} */
const strictCss = (element, text) => {
  const step = { kind: "css", text, score: CSS_PATH };
  const alike = elementsOfSteps([step]);
  return alike.length === 1 ? [step] : [step, nthStep(alike.indexOf(element))];
};

const PRESSED = "button,select,input,[role=button],[role=checkbox],[role=radio],a,[role=link]";

// A press inside a button is one on the button.
/** @param {Element} element */
const pressedAround = (element) => {
  if (matchesSelector(element, "input,textarea,select") || isEditingHost(element)) return element;
  const around = closestOf(element, PRESSED);
  return around && ariaBoxOf(around).visible ? around : element;
};

/** @param {string} text */
const quoted = (text) => `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** @param {LocatorStep} step */
const pattern = (step) => (step.isRegex ? `/${(step.text || "").replaceAll("/", "\\/")}/` : quoted(step.text || ""));

/** @type {Record<string, string>} */
const BY_TEXT = {
  text: "getByText",
  label: "getByLabel",
  placeholder: "getByPlaceholder",
  alt: "getByAltText",
  title: "getByTitle",
};

/** @param {LocatorStep} step */
const codeOf = (step) => {
  const exact = step.exact ? "exact: true" : "";
  if (step.kind === "css") return `locator(${quoted(step.text || "")})`;
  if (step.kind === "testid") return `getByTestId(${quoted(step.text || "")})`;
  if (step.kind === "hasText") return `filter({ hasText: ${pattern(step)} })`;
  if (step.kind === "nth") return step.index === 0 ? "first()" : step.index === -1 ? "last()" : `nth(${step.index})`;
  if (step.kind === "role") {
    const options = [step.text === undefined ? "" : `name: ${pattern(step)}`, exact].filter(Boolean).join(", ");
    return `getByRole(${quoted(step.role || "")}${options ? `, { ${options} }` : ""})`;
  }
  return `${BY_TEXT[step.kind]}(${pattern(step)}${exact ? `, { ${exact} }` : ""})`;
};

/** @param {LocatorStep[]} steps */
const codeOfSteps = (steps) => {
  /** @type {LocatorStep[]} */
  const joined = [];
  for (const step of steps) {
    const last = joined[joined.length - 1];
    if (last && last.kind === "css" && step.kind === "css")
      joined[joined.length - 1] = { ...step, text: `${last.text} ${step.text}` };
    else joined.push(step);
  }
  return joined.map(codeOf).join(".");
};

// The locator of the element that a ref means, as JavaScript; by whole texts only, where they are asked for.
/** @param {string} ref @param {boolean} [isExact] */
export const locatorOf = (ref, isExact = false) => {
  const element = elementOfRef(ref);
  if (!element) return null;
  beginPass({});
  beginLocating();
  isExactOnly = isExact;
  const target = isFrameElement(element) ? element : pressedAround(element);
  return codeOfSteps(bestSteps(target, true, true) || cssPath(target));
};

// The ref of the element that an aria snapshot has given a number.
/** @param {number} number */
export const refOfAriaNumber = (number) => {
  const element = elementOfAriaNumber(number);
  return element && `e${refNumber(element)}`;
};

// The places of the texts that match a pattern, which may be written with flags: /pattern/i.
/** @param {string[]} texts @param {string} regex */
export const matching = (texts, regex) => {
  const written = /^\/(.*)\/([a-z]*)$/s.exec(regex);
  try {
    const wanted = written ? new RegExp(written[1], written[2].replace(/[gy]/g, "")) : new RegExp(regex);
    return { places: texts.flatMap((text, place) => (wanted.test(text) ? [place] : [])) };
  } catch (error) {
    return { error: messageOf(error) };
  }
};

// The refs of the elements that a locator means, and how it is written. Texts that have a secret fit no locator.
/** @param {LocatorStep[]} steps @param {number} limit @param {string[]} [secretTexts] */
export const locate = (steps, limit, secretTexts) => {
  beginPass({});
  beginLocating(secretTexts);
  try {
    const found = elementsOfSteps(steps).slice(0, limit);
    return { refs: found.map((element) => `e${refNumber(element)}`), code: codeOfSteps(steps) };
  } catch (error) {
    return { error: messageOf(error) };
  }
};

// The same, with the texts that fitted: the driver says which of them have a secret.
/** @param {LocatorStep[]} steps @param {number} limit @param {string[]} secretTexts */
export const locateOpenly = (steps, limit, secretTexts) => ({
  ...locate(steps, limit, secretTexts),
  texts: textsThatFitted(),
});
