// Descriptions of elements by which they are found again, in a page that may have been changed since.

import { idSelector, isMadeByProgram, tagSelector } from "../aria/locator_candidates.js";
import { attr } from "../dom/attributes.js";
import { documentOrigin, isRendered } from "../dom/elements.js";
import { childrenOf, localNameOf, parentNodeOf, queryAll, rootNodeOf } from "../dom/natives.js";
import { elementOfRef, refNumber } from "../dom/refs.js";
import { squash } from "../dom/text.js";
import { allRoots, everyElement, parentElementOf } from "../dom/tree.js";
import { roleOf } from "../roles/roles.js";
import { similarity } from "../search/similar_names.js";
import { describeNamed, isClickable, nameForSearch } from "../search/targets.js";
import { beginPass } from "../snapshot/snapshot.js";
import { beginSurroundings, shortText, surroundingsToFindBy } from "./surroundings.js";

const TEST_ATTRIBUTES = ["data-testid", "data-test-id", "data-test", "data-qa", "data-cy"];
const KEPT_ATTRIBUTES = [...TEST_ATTRIBUTES, "name", "type", "placeholder", "autocomplete", "title", "alt", "for"];
const LONGEST_NAME = 200;
const MOST_COMPARED = 5000;
const MOST_DESCRIBED = 40;
// Of a larger page only the beginning is searched for elements of the same name, as every action pays for that.
const MOST_VISITED = 20000;
const MOST_LEVELS = 12;
// Roles that a redesign may exchange for one another.
const KIN = [
  "button link menuitem tab clickable",
  "textbox searchbox combobox spinbutton",
  "checkbox switch radio",
].map((roles) => new Set(roles.split(" ")));

/** @param {Element} element @param {string} role */
const nameToFindBy = (element, role) => shortText(nameForSearch(element, role), LONGEST_NAME);

/** @param {string} value */
const quotedAttribute = (value) => `"${value.replace(/["\\]/g, "\\$&")}"`;

// The path of a link, without the query: that often names a visit, not a page.
/** @param {Element} element */
const linkPathOf = (element) => {
  const href = attr(element, "href");
  if (!href || /^\s*javascript:/i.test(href)) return "";
  try {
    return new URL(href, document.baseURI).pathname;
  } catch {
    return "";
  }
};

/** @param {Element} element */
const lastingId = (element) => {
  const id = attr(element, "id");
  return id && !isMadeByProgram(id) ? id : "";
};

/** @param {Element} element */
const attributesToFindBy = (element) => {
  const found = KEPT_ATTRIBUTES.map((name) => [name, shortText(attr(element, name) || "")]);
  const all = [["id", lastingId(element)], ...found, ["path", linkPathOf(element)]];
  return Object.fromEntries(all.filter(([, value]) => value));
};

// The shortest selectors that are likely to last: by a test id, an id or the name of a field.
/** @param {Element} element */
const lastingSelectors = (element) => {
  const tests = TEST_ATTRIBUTES.filter((name) => attr(element, name));
  const ways = tests.map((name) => `[${name}=${quotedAttribute(attr(element, name) || "")}]`);
  if (lastingId(element)) ways.push(idSelector(lastingId(element)));
  const name = attr(element, "name");
  if (name) ways.push(`${tagSelector(element)}[name=${quotedAttribute(name)}]`);
  return ways;
};

/** @param {Element} element */
const placeSelector = (element) => {
  const parent = parentNodeOf(element);
  const tag = tagSelector(element);
  const alike = parent
    ? [...childrenOf(/** @type {Element} */ (parent))].filter((each) => localNameOf(each) === localNameOf(element))
    : [element];
  return alike.length === 1 ? tag : `${tag}:nth-of-type(${alike.indexOf(element) + 1})`;
};

// A CSS selector that means this element alone in its document or shadow tree.
/** @param {Element} element */
const selectorToFindBy = (element) => {
  const root = rootNodeOf(element);
  /** @param {string} selector */
  const isUnique = (selector) => {
    const found = queryAll(root, selector);
    return found.length === 1 && found[0] === element;
  };
  let path = "";
  let node = /** @type {Element | null} */ (element);
  for (let level = 0; node && level < MOST_LEVELS; level++) {
    const rest = path ? ` > ${path}` : "";
    const lasting = lastingSelectors(node).find((selector) => isUnique(selector + rest));
    if (lasting) return lasting + rest;
    path = placeSelector(node) + rest;
    if (isUnique(path)) return path;
    node = parentElementOf(node);
  }
  return path;
};

// The elements that a person can see and that have a role like this one, each with its name.
/** @param {string} role @param {number} [mostVisited] */
const elementsLike = (role, mostVisited = Infinity) => {
  const kin = KIN.find((roles) => roles.has(role)) || new Set([role]);
  const found = [];
  let compared = 0;
  let visited = 0;
  for (const element of everyElement()) {
    if (++visited > mostVisited) break;
    const own = roleOf(element);
    const isPlain = own === "generic" || own === "none";
    if (!kin.has(own) && !(isPlain && (role === own || kin.has("clickable")))) continue;
    if (!isRendered(element) || (isPlain && !isClickable(element, own))) continue;
    if (++compared > MOST_COMPARED) break;
    found.push({ element, role: own, name: nameToFindBy(element, own) });
  }
  return found;
};

/** @param {Element} element @param {string} role @param {string} name @param {{ element: Element, role: string, name: string }[]} like */
const describeToFind = (element, role, name, like) => {
  const sameRole = like.filter((each) => each.role === role);
  const sameName = sameRole.filter((each) => each.name === name).map((each) => each.element);
  const place = sameName.indexOf(element);
  return {
    role,
    name,
    tag: localNameOf(element),
    selector: selectorToFindBy(element),
    attributes: attributesToFindBy(element),
    ...surroundingsToFindBy(element),
    place: Math.max(place, 0) + 1,
    equals: Math.max(sameName.length, 1),
    alike: Math.max(sameRole.length, 1),
  };
};

/** @param {string} text */
const wordsToTellBy = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];

// What tells an element from those that have the same role and name: the words that stand by it alone, and where.
/** @param {Element} element @param {string} role @param {string} name @param {{ element: Element, role: string, name: string }[]} like */
const distinction = (element, role, name, like) => {
  const equals = like.filter((each) => each.role === role && each.name === name && each.element !== element);
  if (!equals.length) return {};
  const own = surroundingsToFindBy(element);
  const others = equals.slice(0, MOST_DESCRIBED).map((each) => surroundingsToFindBy(each.element));
  for (const key of /** @type {(keyof typeof own)[]} */ (["item", "heading", "landmark", "before", "after"])) {
    const known = new Set(others.flatMap((other) => wordsToTellBy(other[key])));
    const alone = [...new Set(wordsToTellBy(own[key]))].filter((word) => !known.has(word));
    if (alone.length) return { distinct: alone.join(" "), distinct_in: key };
  }
  return {};
};

// What is needed to find the element of a ref again; null if it has left the page.
/** @param {string} ref */
export const recordedDescription = (ref) => {
  const element = elementOfRef(ref);
  if (!element) return null;
  beginPass({});
  beginSurroundings();
  const role = roleOf(element);
  const name = nameToFindBy(element, role);
  const like = elementsLike(role, MOST_VISITED);
  return {
    origin: documentOrigin(),
    description: { ...describeToFind(element, role, name, like), ...distinction(element, role, name, like) },
  };
};

/** @param {Element} element @param {Record<string, string>} wanted */
const sharesAttribute = (element, wanted) => {
  const own = attributesToFindBy(element);
  return ["id", ...TEST_ATTRIBUTES, "name"].some((name) => wanted[name] && own[name] === wanted[name]);
};

// What is where the element was, which may be no control and have no role.
/** @param {string} selector @param {{ element: Element }[]} known */
const elementsAt = (selector, known) => {
  if (!selector) return [];
  const found = allRoots().flatMap((root) => [...queryAll(root, selector)]);
  const others = found.filter((element) => isRendered(element) && !known.some((each) => each.element === element));
  return others.slice(0, MOST_DESCRIBED).map((element) => {
    const role = roleOf(element);
    return { element, role, name: nameToFindBy(element, role) };
  });
};

// The elements that a description may mean, the likeliest by their names first, each as it would be described now.
/** @param {{ role: string, name: string, selector: string, attributes: Record<string, string> }} wanted */
export const recordedCandidates = (wanted) => {
  beginPass({});
  beginSurroundings();
  const name = squash(wanted.name).toLowerCase();
  const like = elementsLike(wanted.role);
  const ranked = [...like, ...elementsAt(wanted.selector, like)].map((each) => {
    const likeness = name || each.name ? similarity(each.name.toLowerCase(), name) : 1;
    const bonus = (each.role === wanted.role ? 0.1 : 0) + (sharesAttribute(each.element, wanted.attributes) ? 1 : 0);
    return { ...each, likeness, rank: likeness + bonus };
  });
  ranked.sort((one, other) => other.rank - one.rank);
  return {
    origin: documentOrigin(),
    candidates: ranked.slice(0, MOST_DESCRIBED).map(({ element, role, name: own, likeness }) => ({
      ref: `e${refNumber(element)}`,
      line: describeNamed(element).line,
      likeness,
      description: describeToFind(element, role, own, like),
    })),
  };
};
