// What an act led to that no row tells: values that were refused, and looks that changed.

import { documentOrigin, isRendered, SVG } from "../dom/elements.js";
import {
  bodyOf,
  closestOf,
  isConnected,
  matchesSelector,
  namespaceOf,
  queryAll,
  rootElementOf,
  rootNodeOf,
} from "../dom/natives.js";
import { refNumber } from "../dom/refs.js";
import { clip, quote } from "../dom/text.js";
import { deepActiveElement, deepestAt, flattenedParent, isWithin, shadowOf } from "../dom/tree.js";
import { describeElement } from "../snapshot/targets.js";
import { colourName, parseColour } from "../visibility/colours.js";

// Fields that the browser's own validation refused. The bubble that tells a person so is not part of the page.

const MAX_REFUSED = 20;
const MAX_MESSAGE = 200;

/** @typedef {{ element: Element, form: Element | null, isAttempt: boolean, isFocused: boolean }} Refusal */

/** @type {Refusal[]} */
let refusals = [];
// The form that a press or the Enter key has just tried to submit.
/** @type {Element | null} */
let attemptedForm = null;
const listenedRoots = new WeakSet();

/** @param {Event} event @returns {any} */
const targetOf = (event) => event.composedPath()[0];

/** @param {any} element @returns {Element | null} */
const formOf = (element) => element.form ?? closestOf(element, "form");

const SUBMIT_BUTTONS = "button:not([type=button i], [type=reset i]), input:is([type=submit i], [type=image i])";

/** @param {Event} event */
const onAttempt = (event) => {
  const target = targetOf(event);
  if (!event.isTrusted || !(target instanceof Element)) return;
  const isEnter = event instanceof KeyboardEvent;
  if (isEnter && event.key !== "Enter") return;
  const submitter = isEnter ? target : closestOf(target, SUBMIT_BUTTONS);
  attemptedForm = submitter && formOf(submitter);
  // Neither of the two events leaves a shadow tree.
  if (attemptedForm) listenIn(rootNodeOf(attemptedForm));
};

/** @param {Event} event */
const onInvalid = (event) => {
  const element = targetOf(event);
  if (!event.isTrusted || !(element instanceof Element) || refusals.length >= MAX_REFUSED) return;
  const form = formOf(element);
  refusals = refusals.filter((refusal) => refusal.element !== element);
  const isAttempt = form !== null && form === attemptedForm;
  refusals.push({ element, form, isAttempt, isFocused: false });
};

/** @param {Event} event */
const onSubmit = (event) => {
  refusals = refusals.filter((refusal) => refusal.form !== targetOf(event));
  attemptedForm = null;
};

// A script may ask whether a field is valid without telling the user. Where the user is told, the field gets the focus.
/** @param {Event} event */
const onFocus = (event) => {
  for (const refusal of refusals) if (refusal.element === targetOf(event)) refusal.isFocused = true;
};

/** @param {Node} root */
const listenIn = (root) => {
  if (listenedRoots.has(root)) return;
  listenedRoots.add(root);
  root.addEventListener("invalid", onInvalid, true);
  root.addEventListener("submit", onSubmit, true);
};

export const listenForValidation = () => {
  listenIn(document);
  for (const kind of ["click", "keydown"]) addEventListener(kind, onAttempt, { capture: true, passive: true });
  addEventListener("focusin", onFocus, { capture: true, passive: true });
};

// Returns the refused fields since the last call. All fields of a form are refused in one task, the first gets the focus.
export const takeRefusedFields = () => {
  const recent = refusals.filter(({ element }) => isConnected(element) && isInvalid(element));
  refusals = [];
  const told = new Set(recent.filter((refusal) => refusal.isFocused).map((refusal) => refusal.form));
  return recent
    .filter(({ isAttempt, form }) => isAttempt || told.has(form))
    .filter(isFirstOfGroup)
    .map(describeRefusal);
};

/** @param {Element} element */
const isInvalid = (element) => matchesSelector(element, ":invalid");

// All radio buttons of a group are refused together.
/** @param {Refusal} refusal @param {number} index @param {Refusal[]} all */
const isFirstOfGroup = ({ element, form }, index, all) => {
  const group = groupOf(element);
  return !group || all.findIndex((other) => other.form === form && groupOf(other.element) === group) === index;
};

/** @param {any} element */
const groupOf = (element) => (matchesSelector(element, "input[type=radio i]") ? element.name : "");

/** @param {Refusal} refusal */
const describeRefusal = ({ element, isAttempt }) => {
  const message = /** @type {any} */ (element).validationMessage;
  return {
    line: describeElement(element).label,
    ref: "e" + refNumber(element),
    message: typeof message === "string" && message ? quote(clip(message, MAX_MESSAGE)) : "",
    isAttempt,
    origin: documentOrigin(),
  };
};

// In what an element looks different after it was pressed, or what is in it or around it: a chip that is chosen now, a
// page that has turned dark. Only computed styles are compared, at rest, and only after an attribute has changed, so that
// styles of hovering and of the focus do not count.

const MAX_LOOKS_WITHIN = 30;
const MAX_LOOKS_AROUND = 3;
const MAX_LOOKS_TOLD = 2;
const RELEASES = ["mouseup", "click", "auxclick"];

/** @typedef {"it" | "within" | "around" | "page"} Where */
/** @typedef {{ element: Element, pseudo: string, where: Where }} Place */
/** @typedef {Record<string, string | null>} Appearance */
/** @typedef {{ element: Element, places: Place[], looks: Appearance[], focus: Element | null, isTouched: boolean }} Watched */

/** @type {Watched | null} */
let watched = null;

/** @param {Element} element @returns {Place[]} */
const placesToLook = (element) => {
  /** @type {Place[]} */
  const places = [{ element, pseudo: "", where: "it" }];
  const inside = [element, ...queryAll(element, "*"), ...(shadowOf(element) ? queryAll(shadowOf(element), "*") : [])];
  for (const inner of inside.slice(0, MAX_LOOKS_WITHIN)) {
    if (inner !== element) places.push({ element: inner, pseudo: "", where: "within" });
    for (const pseudo of ["::before", "::after"]) places.push({ element: inner, pseudo, where: "within" });
  }
  const page = [bodyOf(document), rootElementOf(document)];
  let around = flattenedParent(element);
  for (let i = 0; around && !page.includes(/** @type {any} */ (around)) && i < MAX_LOOKS_AROUND; i++) {
    places.push({ element: around, pseudo: "", where: "around" });
    around = flattenedParent(around);
  }
  for (const whole of page) if (whole && whole !== element) places.push({ element: whole, pseudo: "", where: "page" });
  return places;
};

// The values that running transitions end with, by property; null for one that another animation keeps changing.
/** @param {Place} place @returns {Record<string, string | null>} */
const endValuesOf = ({ element, pseudo }) => {
  /** @type {Record<string, string | null>} */
  const ends = {};
  for (const animation of Element.prototype.getAnimations.call(element, { subtree: pseudo !== "" })) {
    const effect = animation.effect;
    if (!(effect instanceof KeyframeEffect) || effect.target !== element || (effect.pseudoElement || "") !== pseudo)
      continue;
    const frames = effect.getKeyframes();
    const last = /** @type {Record<string, any>} */ (frames[frames.length - 1] ?? {});
    for (const name of Object.keys(last)) ends[name] = animation instanceof CSSTransition ? String(last[name]) : null;
  }
  return ends;
};

const BORDER_SIDES = ["Top", "Right", "Bottom", "Left"];
const MOVES = ["transform", "translate", "rotate", "scale"];

// Each part of the look as one text; null for a part that keeps changing.
/** @param {Place} place @returns {Appearance} */
const appearanceOf = (place) => {
  const { element, pseudo } = place;
  const style = /** @type {any} */ (getComputedStyle(element, pseudo || undefined));
  if (pseudo && (style.content === "none" || style.content === "normal")) return {};
  const isHidden = !isRendered(element) || style.display === "none" || style.visibility !== "visible";
  if (isHidden) return { shown: "hidden" };
  const ends = endValuesOf(place);
  /** @param {...string} names */
  const read = (...names) => {
    const values = names.map((name) => (name in ends ? ends[name] : style[name]));
    return values.includes(null) ? null : values.join(" ");
  };
  const sides = BORDER_SIDES.filter((side) => style[`border${side}Width`] !== "0px");
  const borders = sides.flatMap((side) => [`border${side}Width`, `border${side}Style`, `border${side}Color`]);
  return {
    shown: "shown",
    background: read("backgroundColor"),
    picture: read("backgroundImage"),
    text: read("color"),
    border: read(...borders),
    opacity: read("opacity"),
    weight: read("fontWeight"),
    line: read("textDecorationLine"),
    shadow: read("boxShadow"),
    place: read(...MOVES),
    ...(namespaceOf(element) === SVG ? { fill: read("fill"), stroke: read("stroke") } : {}),
  };
};

/** @param {string} value */
const wordFor = (value) => {
  const colour = parseColour(value);
  return colour[3] < 0.05 ? "" : colourName(colour);
};

/** @type {Record<string, (now: string) => string>} */
const WORDS = {
  shown: (now) => now,
  background: (now) => (wordFor(now) ? `background ${wordFor(now)}` : "no background"),
  picture: (now) => (now === "none" ? "no background image" : "background image"),
  text: (now) => `text ${wordFor(now) || "transparent"}`,
  border: (now) => (now === "" ? "no border" : "border"),
  opacity: (now) => `opacity ${Number(Number(now).toFixed(2))}`,
  weight: (now) => (Number(now) >= 600 ? "bold" : "not bold"),
  line: (now) => (now === "none" ? "no line on the text" : `text ${now}`),
  shadow: (now) => (now === "none" ? "no shadow" : "shadow"),
  place: () => "moved or turned",
  fill: (now) => `fill ${wordFor(now) || "none"}`,
  stroke: (now) => `stroke ${wordFor(now) || "none"}`,
};

// What browsers and pages draw around what has the focus.
const FOCUS_PARTS = new Set(["border", "shadow"]);

/** @param {Appearance} before @param {Appearance} after @param {boolean} hasGotFocus */
const differencesIn = (before, after, hasGotFocus) => {
  const parts = after.shown === before.shown ? Object.keys(after) : ["shown"];
  const differing = parts.filter((part) => {
    const [was, is] = [before[part], after[part]];
    return was !== undefined && was !== null && is !== null && was !== is && !(hasGotFocus && FOCUS_PARTS.has(part));
  });
  return differing.map((part) => WORDS[part](String(after[part])));
};

const lookObserver = new MutationObserver((records) => noteTouched(records));

/** @param {MutationRecord[]} records */
const noteTouched = (records) => {
  for (const { target } of watched ? records : []) {
    const { element } = /** @type {Watched} */ (watched);
    if (isWithin(element, /** @type {Element} */ (target)) || isWithin(/** @type {Element} */ (target), element))
      /** @type {Watched} */ (watched).isTouched = true;
  }
};

// Again once the pointer is over the element, as styles of hovering apply then.
const lookAgain = (/** @type {Event} */ event) => {
  if (!watched || !event.isTrusted) return;
  watched.looks = watched.places.map(appearanceOf);
};

// What has changed before the press is no effect of it.
const notePress = (/** @type {Event} */ event) => {
  if (!watched || !event.isTrusted) return;
  removeEventListener("mousemove", lookAgain, true);
  lookObserver.takeRecords();
  watched.isTouched = false;
};

// The press has moved the focus. Unless the page has reacted to the press already, what differs now is the focus. Once
// more at the click, as in Firefox the styles of what is pressed still apply when the button is released.
const noteRelease = (/** @type {Event} */ event) => {
  if (!watched || !event.isTrusted) return;
  noteTouched(lookObserver.takeRecords());
  if (watched.isTouched) return;
  watched.looks = watched.places.map(appearanceOf);
  watched.focus = deepActiveElement();
};

/** @param {Element} element */
const beginLooking = (element) => {
  forgetLook();
  const places = placesToLook(element);
  watched = { element, places, looks: places.map(appearanceOf), focus: deepActiveElement(), isTouched: false };
  const attributes = { subtree: true, attributes: true };
  lookObserver.observe(document, attributes);
  for (const root of [rootNodeOf(element), shadowOf(element)])
    if (root && root !== document) lookObserver.observe(root, attributes);
};

/** @param {Element} element */
export const watchLook = (element) => {
  beginLooking(element);
  addEventListener("mousemove", lookAgain, true);
  addEventListener("pointerdown", notePress, true);
  for (const kind of RELEASES) addEventListener(kind, noteRelease, true);
};

/** @param {number} x @param {number} y */
export const watchLookAt = (x, y) => {
  const element = deepestAt(x, y);
  if (element) watchLook(element);
};

export const forgetLook = () => {
  watched = null;
  lookObserver.disconnect();
  removeEventListener("mousemove", lookAgain, true);
  removeEventListener("pointerdown", notePress, true);
  for (const kind of RELEASES) removeEventListener(kind, noteRelease, true);
};

// A key may press what has the focus.
export const watchLookOnKeys = () =>
  addEventListener(
    "keydown",
    (event) => {
      const focused = event.isTrusted && (event.key === "Enter" || event.key === " ") ? deepActiveElement() : null;
      if (focused && focused !== bodyOf(document)) beginLooking(focused);
    },
    { capture: true },
  );

// What looks different now, in a few words for each place, with the ref of the element that was pressed.
export const changedLook = () => {
  if (!watched) return null;
  noteTouched(lookObserver.takeRecords());
  const { element, places, looks, focus, isTouched } = watched;
  forgetLook();
  if (!isTouched || !isConnected(element)) return null;
  const focused = deepActiveElement();
  /** @type {Map<Where, Set<string>>} */
  const told = new Map();
  places.forEach((place, index) => {
    if (!isConnected(place.element)) return;
    const known = told.get("it"); // what the element inherits, or what is in it does, is told once
    const hasGotFocus = focused !== focus && focused !== null && isWithin(focused, place.element);
    const found = differencesIn(looks[index], appearanceOf(place), hasGotFocus);
    const differences = place.where === "it" ? found : found.filter((words) => !known?.has(words));
    if (differences.length) told.set(place.where, new Set([...(told.get(place.where) ?? []), ...differences]));
  });
  const found = [...told].slice(0, MAX_LOOKS_TOLD).map(([where, words]) => ({ where, words: [...words].slice(0, 4) }));
  return found.length ? { ref: "e" + refNumber(element), found } : null;
};
