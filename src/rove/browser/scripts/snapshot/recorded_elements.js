// Descriptions of elements by which they are found again, in a page that may have been changed since.

import { idSelector, isMadeByProgram, tagSelector } from "../aria/locators.js";
import { attr, documentOrigin, isRendered } from "../dom/elements.js";
import {
  childrenOf,
  closestOf,
  comesBefore,
  containsNode,
  innerTextOf,
  localNameOf,
  parentNodeOf,
  queryAll,
  rootNodeOf,
  textContentOf,
  textDataOf,
} from "../dom/natives.js";
import { elementOfRef, refNumber } from "../dom/refs.js";
import { clean, clip, squash } from "../dom/text.js";
import { allRoots, everyElement, parentElementOf } from "../dom/tree.js";
import { nameOf } from "../roles/names.js";
import { roleOf } from "../roles/roles.js";
import { iconWords, PAINTED_BY } from "./lines.js";
import { similarity } from "./search.js";
import { beginPass } from "./snapshot.js";
import { describeNamed, HEADINGS, isClickable, nameForSearch } from "./targets.js";

// What an element without a name shows instead: the words that its icon is called by in the code, and what is drawn.
// The words are those of the page's author and survive a new drawing; the drawing survives new class names.

const ICON_SHAPES = "path,polygon,polyline,circle,ellipse,rect,line";
const ICON_GEOMETRY = ["d", "points", "cx", "cy", "r", "rx", "ry", "x", "y", "width", "height", "x1", "y1", "x2", "y2"];
const MOST_SHAPES_OF_ICON = 60;
const MOST_PAINTED = 6;

/** @param {Element} shape */
const geometryOf = (shape) => {
  const known = ICON_GEOMETRY.map((name) => [name, attr(shape, name)]).filter(([, value]) => value);
  return `${localNameOf(shape)} ${known.map(([name, value]) => `${name}=${squash(value || "")}`).join(" ")}`;
};

// A file is known by its name: where it lies, and the version in its query, change with each release.
/** @param {string} address */
const pictureName = (address) =>
  address.startsWith("data:") ? address : (address.split(/[?#]/)[0].split("/").pop() ?? "");

/** @param {Element} element */
const paintOf = (element) =>
  PAINTED_BY.map((part) => {
    const style = getComputedStyle(element, part);
    const pictures = [...`${style.backgroundImage} ${style.maskImage}`.matchAll(/url\("?([^")]+)"?\)/g)];
    const isMade = part && !["none", "normal", '""'].includes(style.content);
    return [...(isMade ? [style.content] : []), ...pictures.map((match) => pictureName(match[1]))].join(" ");
  }).join(" ");

/** @param {Element} element */
const drawingOf = (element) => {
  const shapes = [...queryAll(element, ICON_SHAPES)].slice(0, MOST_SHAPES_OF_ICON).map(geometryOf);
  const images = [...queryAll(element, "img")]
    .slice(0, MOST_PAINTED)
    .map((each) => pictureName(attr(each, "src") || ""));
  const uses = [...queryAll(element, "use")].slice(0, MOST_PAINTED).map((each) => attr(each, "href") || "");
  const painted = [element, ...queryAll(element, "*:not(svg *)")].slice(0, MOST_PAINTED).map(paintOf);
  return squash([...shapes, ...images, ...uses, ...painted].join(" "));
};

// FNV-1a: short, and no one gains from two drawings of the same number.
/** @param {string} text */
const fingerprint = (text) => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
};

/** @param {Element} element */
const iconOf = (element) => {
  const drawing = drawingOf(element);
  return squash(`${iconWords(element)} ${drawing ? `#${fingerprint(drawing)}` : ""}`);
};

// What is around an element, by which it can be told from others that are called the same.

const LANDMARK_ROLES = new Set(
  "banner navigation main contentinfo complementary search form region dialog alertdialog menu toolbar tabpanel".split(
    " ",
  ),
);
const ITEM_SELECTOR = "tr,li,dd,article,fieldset,figure,[role=row],[role=listitem],[role=treeitem],[role=article]";
const SILENT_TAGS = new Set(["script", "style", "noscript", "template"]);
const LONGEST_TEXT = 160;
const LONGEST_NEAR = 60;
const MOST_HEADINGS = 300;
// Text nodes that are looked at on either side, of which most may be blank.
const MOST_NEAR = 30;

// Within one call the page cannot change.
/** @type {Element[]} */
let headings = [];

const beginSurroundings = () => {
  headings = [...queryAll(document, HEADINGS)].filter(isRendered).slice(0, MOST_HEADINGS);
};

/** @param {string} text @param {number} [limit] */
const shortText = (text, limit = LONGEST_TEXT) => clip(squash(clean(text)), limit);

/** @param {Element} element */
const visibleTextOf = (element) => (element instanceof HTMLElement ? innerTextOf(element) : textContentOf(element));

/** @param {Element} element */
const landmarkOf = (element) => {
  for (let around = parentElementOf(element); around; around = parentElementOf(around)) {
    const role = roleOf(around);
    if (LANDMARK_ROLES.has(role)) return shortText(`${role} ${nameOf(around, role).name}`, LONGEST_NEAR);
  }
  return "";
};

/** @param {Element} element */
const headingOf = (element) => {
  const last = headings.findLast((heading) => comesBefore(heading, element) && !containsNode(element, heading));
  return last ? shortText(visibleTextOf(last), LONGEST_NEAR) : "";
};

// The largest element around it that has none of its equals: a row, whatever elements the page makes rows of. What has
// any of them has the one before or the one after it.
/** @param {Element} element @param {Element[]} equals */
const rowAmong = (element, equals) => {
  const at = equals.indexOf(element);
  const neighbours = [equals[at - 1], equals[at + 1]].filter(Boolean);
  if (at < 0 || !neighbours.length) return null;
  let row = element;
  for (let around = parentElementOf(row); around; around = parentElementOf(row)) {
    const outer = around;
    if (neighbours.some((equal) => containsNode(outer, equal))) break;
    row = around;
  }
  return row === element ? null : row;
};

// The text of the row or list item that it is in, without its own.
/** @param {Element} element @param {Element[]} equals */
const itemOf = (element, equals) => {
  const around = parentElementOf(element);
  const item = (around && closestOf(around, ITEM_SELECTOR)) || rowAmong(element, equals);
  if (!item) return "";
  const own = squash(visibleTextOf(element));
  return shortText(squash(visibleTextOf(item)).replace(own, " "));
};

/** @param {Node} node @param {Element} element */
const isShownText = (node, element) => {
  const parent = parentElementOf(node);
  return Boolean(parent && !containsNode(element, node) && !SILENT_TAGS.has(localNameOf(parent)) && isRendered(parent));
};

// The nearest text before or after an element.
/** @param {Element} element @param {"previousNode" | "nextNode"} step */
const nearText = (element, step) => {
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  walker.currentNode = element;
  for (let count = 0; count < MOST_NEAR; count++) {
    const node = walker[step]();
    if (!node) return "";
    if (containsNode(element, node)) count -= 1;
    else if (squash(textDataOf(node)) && isShownText(node, element)) return shortText(textDataOf(node), LONGEST_NEAR);
  }
  return "";
};

// `equals`: all that are called the same, itself included, in the order of the page.
/** @param {Element} element @param {Element[]} equals */
const surroundingsToFindBy = (element, equals) => ({
  landmark: landmarkOf(element),
  heading: headingOf(element),
  item: itemOf(element, equals),
  before: nearText(element, "previousNode"),
  after: nearText(element, "nextNode"),
});

const TEST_ATTRIBUTES = ["data-testid", "data-test-id", "data-test", "data-qa", "data-cy"];
const KEPT_ATTRIBUTES = [...TEST_ATTRIBUTES, "name", "type", "placeholder", "autocomplete", "title", "alt", "for"];
const LONGEST_NAME = 200;
const MOST_COMPARED = 5000;
const MOST_DESCRIBED = 40;
const MOST_EQUALS = 300;
// Equals on either side that an element is told from, when it is described for a recording.
const MOST_NEIGHBOURS = 40;
const MOST_ICONS = 1000;
// Of a larger page only the beginning is searched for elements of the same name: while a recording is made, and where
// each action pays for what the journal notes.
const MOST_VISITED = 20000;
export const MOST_VISITED_FOR_JOURNAL = 3000;
const MOST_LEVELS = 12;
// Roles that a redesign may exchange for one another.
const KIN = [
  "button link menuitem tab clickable",
  "textbox searchbox combobox spinbutton",
  "checkbox switch radio",
].map((roles) => new Set(roles.split(" ")));

const FIELD_KIN = KIN[1];

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

/** @typedef {{ element: Element, role: string, name: string, icon: string }} Found */

// Fields show what is typed; all else that has no name is known by its icon.
/** @param {Element} element @param {string} role @param {string} name */
const iconToFindBy = (element, role, name) => (name || FIELD_KIN.has(role) ? "" : iconOf(element));

// The elements that a person can see and that have a role like this one, each with its name. Their icons are read only
// where they are asked for, since that takes long.
/** @param {string} role @param {boolean} hasIcons @param {number} [mostVisited] @returns {Found[]} */
const elementsLike = (role, hasIcons, mostVisited = Infinity) => {
  const kin = KIN.find((roles) => roles.has(role)) || new Set([role]);
  /** @type {Found[]} */
  const found = [];
  let visited = 0;
  let icons = hasIcons ? MOST_ICONS : 0;
  for (const element of everyElement()) {
    if (++visited > mostVisited) break;
    const own = roleOf(element);
    const isPlain = own === "generic" || own === "none";
    if (!kin.has(own) && !(isPlain && (role === own || kin.has("clickable")))) continue;
    if (!isRendered(element) || (isPlain && !isClickable(element, own))) continue;
    if (found.length === MOST_COMPARED) break;
    const name = nameToFindBy(element, own);
    found.push({ element, role: own, name, icon: icons-- > 0 ? iconOf(element) : "" });
  }
  return found;
};

// The elements that are called the same: by their names or, where they have none, by their icons.
/** @param {Found} own @param {Found[]} like */
const calledSame = (own, like) =>
  like.filter(
    (each) => each.role === own.role && each.name === own.name && (own.name !== "" || each.icon === own.icon),
  );

/** @param {Found} own @param {Found[]} like */
const describeToFind = (own, like) => {
  const { element, role, name, icon } = own;
  const same = calledSame(own, like).map((each) => each.element);
  return {
    role,
    name,
    ...(icon && { icon }),
    tag: localNameOf(element),
    selector: selectorToFindBy(element),
    attributes: attributesToFindBy(element),
    ...surroundingsToFindBy(element, same),
    place: Math.max(same.indexOf(element), 0) + 1,
    equals: Math.max(same.length, 1),
    alike: Math.max(like.filter((each) => each.role === role).length, 1),
  };
};

/** @param {string} text */
const wordsToTellBy = (text) => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) || [];

/** @typedef {ReturnType<typeof surroundingsToFindBy>} Surroundings */

// What tells an element from those that are called the same: the words that stand by it alone, and where; else those of
// the fewest that it shares them with, and which of these it is.
/** @param {Found} own @param {Found[]} like */
const distinction = (own, like) => {
  const same = calledSame(own, like).map((each) => each.element);
  const at = same.indexOf(own.element);
  if (same.length < 2 || at < 0) return {};
  const first = Math.max(0, at - MOST_NEIGHBOURS);
  const equals = same.slice(first, at + MOST_NEIGHBOURS);
  const around = equals.map((each) => surroundingsToFindBy(each, same));
  const keys = /** @type {(keyof Surroundings)[]} */ (["item", "heading", "landmark", "before", "after"]);
  const ways = keys.map((key) => groupBy(around, at - first, key)).filter((way) => way.distinct);
  ways.sort((one, other) => one.group - other.group);
  const [way] = ways;
  if (!way) return {};
  const { group, group_place, ...told } = way;
  return group > 1 ? way : told;
};

// The equals that have the same text there, and the words of it that no other equal has there.
/** @param {Surroundings[]} around @param {number} at @param {keyof Surroundings} key */
const groupBy = (around, at, key) => {
  const text = around[at][key];
  const known = new Set(around.filter((other) => other[key] !== text).flatMap((other) => wordsToTellBy(other[key])));
  const alone = [...new Set(wordsToTellBy(text))].filter((word) => !known.has(word));
  const before = around.slice(0, at).filter((other) => other[key] === text).length;
  const group = around.filter((other) => other[key] === text).length;
  return { distinct: group < around.length ? alone.join(" ") : "", distinct_in: key, group, group_place: before + 1 };
};

// What is needed to find the element of a ref again; null if it has left the page.
/** @param {string} ref @param {number} [mostVisited] */
export const recordedDescription = (ref, mostVisited = MOST_VISITED) => {
  const element = elementOfRef(ref);
  if (!element) return null;
  beginPass({});
  beginSurroundings();
  const role = roleOf(element);
  const name = nameToFindBy(element, role);
  const own = { element, role, name, icon: iconToFindBy(element, role, name) };
  const like = elementsLike(role, own.icon !== "", mostVisited);
  return {
    origin: documentOrigin(),
    description: { ...describeToFind(own, like), ...distinction(own, like) },
  };
};

/** @param {Element} element @param {Record<string, string>} wanted */
const sharesAttribute = (element, wanted) => {
  const own = attributesToFindBy(element);
  return ["id", ...TEST_ATTRIBUTES, "name"].some((name) => wanted[name] && own[name] === wanted[name]);
};

// What is where the element was, which may be no control and have no role.
/** @param {string} selector @param {Found[]} known @param {boolean} hasIcons @returns {Found[]} */
const elementsAt = (selector, known, hasIcons) => {
  if (!selector) return [];
  const found = allRoots().flatMap((root) => [...queryAll(root, selector)]);
  const others = found.filter((element) => isRendered(element) && !known.some((each) => each.element === element));
  return others.slice(0, MOST_DESCRIBED).map((element) => {
    const role = roleOf(element);
    return { element, role, name: nameToFindBy(element, role), icon: hasIcons ? iconOf(element) : "" };
  });
};

// How likely an element is the one that is meant, to describe the likeliest only. 2 is for one that is called the same.
/** @param {Found} found @param {Wanted} wanted @param {number} likeness */
const rankOf = (found, wanted, likeness) =>
  likeness +
  (found.role === wanted.role ? 0.1 : 0) +
  (wanted.icon && found.icon === wanted.icon ? 1 : 0) +
  (sharesAttribute(found.element, wanted.attributes) ? 1 : 0);

/** @typedef {{ role: string, name: string, icon: string, selector: string, attributes: Record<string, string> }} Wanted */

// The elements that a description may mean, the likeliest by their names first, each as it would be described now. Of
// those that are called the same none may be missing, as they are counted.
/** @param {Wanted} wanted */
export const recordedCandidates = (wanted) => {
  beginPass({});
  beginSurroundings();
  const name = squash(wanted.name).toLowerCase();
  const hasIcons = wanted.icon !== "";
  const like = elementsLike(wanted.role, hasIcons);
  const ranked = [...like, ...elementsAt(wanted.selector, like, hasIcons)].map((found) => {
    const likeness = name || found.name ? similarity(found.name.toLowerCase(), name) : 1;
    return { found, likeness, rank: rankOf(found, wanted, likeness) };
  });
  ranked.sort((one, other) => other.rank - one.rank);
  const same = ranked.filter(({ found, likeness }) => likeness === 1 && found.role === wanted.role).length;
  return {
    origin: documentOrigin(),
    candidates: ranked.slice(0, Math.max(MOST_DESCRIBED, Math.min(same, MOST_EQUALS))).map(({ found, likeness }) => ({
      ref: `e${refNumber(found.element)}`,
      line: describeNamed(found.element).line,
      likeness,
      description: describeToFind(found, like),
    })),
  };
};
