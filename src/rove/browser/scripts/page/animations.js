// Animations and transitions that are running and will end, and a page that is held still while it is pictured. Endless
// ones, and those that follow the scroll position, are never waited for.

import { offsetHeightOf, offsetWidthOf, queryOne, rectOf, textContentOf } from "../dom/natives.js";
import { knownShadowRoots } from "../dom/tree.js";

const nativeDocumentAnimations = Document.prototype.getAnimations;
const nativeShadowAnimations = ShadowRoot.prototype.getAnimations;

// Properties that change neither what is shown nor where. Buttons fade these for a press or a pointer over them.
const DECORATIVE =
  /^(?:background|border|outline|box-?shadow|text-?shadow|text-?decoration|fill|stroke|caret|accent|cursor|column-?rule|-?webkit-?tap|border-?radius|stop-?color|flood-?color|lighting-?color)/i;
const KEYFRAME_FIELDS = new Set(["offset", "computedOffset", "easing", "composite"]);

// What takes no presses and holds nothing, such as the ripple of a button, neither is told nor covers anything.
/** @param {Element} element */
const isOrnament = (element) => isEmpty(element) && getComputedStyle(element).pointerEvents === "none";

/** @param {Element} element */
const isEmpty = (element) =>
  !textContentOf(element).trim() && !queryOne(element, "img,svg,canvas,video,input,button,select,textarea,a,slot");

/** @param {Animation} animation */
const isDecorative = (animation) => {
  if (animation instanceof CSSTransition && DECORATIVE.test(animation.transitionProperty)) return true;
  const effect = animation.effect;
  if (!(effect instanceof KeyframeEffect)) return false;
  if (effect.target instanceof HTMLElement && isOrnament(effect.target)) return true;
  for (const frame of effect.getKeyframes())
    for (const name of Object.keys(frame)) if (!KEYFRAME_FIELDS.has(name) && !DECORATIVE.test(name)) return false;
  return true;
};

// Milliseconds until an animation ends; 0 if it is not to be waited for.
/** @param {Animation} animation */
const timeLeft = (animation) => {
  if (animation.playState !== "running" || !animation.effect || animation.timeline !== document.timeline) return 0;
  const end = Number(animation.effect.getComputedTiming().endTime);
  if (!Number.isFinite(end) || animation.playbackRate === 0) return 0;
  const at = Number(animation.currentTime ?? 0);
  const left = animation.playbackRate > 0 ? end - at : at;
  return Math.max(left / Math.abs(animation.playbackRate), 1);
};

// What fades in is told as soon as it can be seen: the rest of such an animation changes nothing that is told.
const FADING = /^(?:opacity|transform|translate|scale|filter|backdrop-?filter|visibility)$/i;
const SEEN_OPACITY = 0.05;
const NEAR_PIXELS = 60;
const LEAST_SCALE = 0.5;

// Whether an animation only brings an element into sight, or moves what is in sight.
/** @param {Animation} animation */
const fadesIn = (animation) => {
  const effect = animation.effect;
  if (!(effect instanceof KeyframeEffect) || !(effect.target instanceof HTMLElement) || effect.pseudoElement)
    return false;
  if (effect.getComputedTiming().direction !== "normal") return false;
  const frames = effect.getKeyframes();
  const end = frames.at(-1);
  if (!end || animation.playbackRate < 0) return false;
  for (const frame of frames)
    for (const name of Object.keys(frame))
      if (!KEYFRAME_FIELDS.has(name) && !DECORATIVE.test(name) && !FADING.test(name)) return false;
  const { opacity } = getComputedStyle(effect.target);
  return Number(end.opacity ?? 1) >= Number(opacity) && !/hidden|collapse/.test(String(end.visibility ?? ""));
};

// Whether the element of such an animation can be seen, near where it will be.
/** @param {Animation} animation */
const isSeenNow = (animation) => {
  const effect = /** @type {KeyframeEffect} */ (animation.effect);
  const element = /** @type {HTMLElement} */ (effect.target);
  if (isEmpty(element)) return true;
  const { opacity, visibility, translate, scale } = getComputedStyle(element);
  if (Number(opacity) < SEEN_OPACITY || visibility !== "visible" || translate !== "none") return false;
  if (scale !== "none" && parseFloat(scale) < LEAST_SCALE) return false;
  if (!isInsideClips(element)) return false;
  const end = effect.getKeyframes().at(-1);
  return end && "transform" in end ? isNearItsEnd(element, String(end.transform)) : true;
};

// What moves by a transform while all of it can be seen says nothing; what enters or leaves the part that can be seen does.
const MAX_ANCESTORS = 40;

/** @param {Element} element */
export const isInsideClips = (element) => {
  const box = rectOf(element);
  let [left, top, right, bottom] = [-scrollX, -scrollY, Infinity, Infinity];
  let each = element;
  for (let count = 0; count < MAX_ANCESTORS; count++) {
    const { position } = getComputedStyle(each);
    if (position === "fixed")
      [left, top, right, bottom] = [Math.max(left, 0), Math.max(top, 0), innerWidth, innerHeight];
    const parent = each.parentElement;
    if (!parent || parent === document.documentElement) break;
    const { overflowX, overflowY } = getComputedStyle(parent);
    if ((overflowX !== "visible" || overflowY !== "visible") && parent !== document.body) {
      const edges = rectOf(parent);
      [left, top] = [Math.max(left, edges.left), Math.max(top, edges.top)];
      [right, bottom] = [Math.min(right, edges.right), Math.min(bottom, edges.bottom)];
    }
    each = parent;
  }
  return box.left >= left && box.top >= top && box.right <= right && box.bottom <= bottom;
};

// A transform with shares of the element's size in pixels; null if there is something else in it.
/** @param {HTMLElement} element @param {string} transform */
const endMatrix = (element, transform) => {
  const inPixels = transform.replace(/translate(X|Y|3d)?\(([^)]*)\)/gi, (_, axis, list) => {
    const sizes = axis === "Y" ? [offsetHeightOf(element)] : [offsetWidthOf(element), offsetHeightOf(element)];
    const parts = String(list).split(",");
    return `translate${axis ?? ""}(${parts.map((part, i) => (part.trim().endsWith("%") ? `${(parseFloat(part) / 100) * sizes[i]}px` : part))})`;
  });
  return /[\d.](?:%|em|rem|vw|vh|vmin|vmax|ch)\b|calc|var/i.test(inPixels) ? null : new DOMMatrixReadOnly(inPixels);
};

/** @param {HTMLElement} element @param {string} end */
const isNearItsEnd = (element, end) => {
  const now = new DOMMatrixReadOnly(getComputedStyle(element).transform);
  const then = endMatrix(element, end);
  if (!then) return false;
  const isNear = Math.abs(now.e - then.e) <= NEAR_PIXELS && Math.abs(now.f - then.f) <= NEAR_PIXELS;
  return isNear && Math.hypot(now.a, now.b) >= LEAST_SCALE && Math.hypot(then.a, then.b) >= LEAST_SCALE;
};

const MAX_ANIMATIONS = 500;

const runningAnimations = function* () {
  yield* nativeDocumentAnimations.call(document);
  for (const root of knownShadowRoots()) yield* nativeShadowAnimations.call(root);
};

// Milliseconds until the last animation ends that ends within `longest`; until the last that only fades in (`fading`), and
// whether what does is in sight; and until the first one after `longest`. 0 for none.
/** @param {number} longest */
export const animationTimeLeft = (longest) => {
  const found = { within: 0, fading: 0, isSeenNow: true, later: 0 };
  let count = 0;
  for (const animation of runningAnimations()) {
    if (++count > MAX_ANIMATIONS) break;
    const left = timeLeft(animation);
    if (left === 0 || isDecorative(animation)) continue;
    if (left > longest) found.later = found.later === 0 ? left : Math.min(found.later, left);
    else if (fadesIn(animation)) {
      found.fading = Math.max(found.fading, left);
      found.isSeenNow &&= isSeenNow(animation);
    } else found.within = Math.max(found.within, left);
  }
  return found;
};

// Whether something moves that is to be waited for.
/** @param {number} longest */
export const hasAnimations = (longest) => {
  const { within, fading } = animationTimeLeft(longest);
  return Math.max(within, fading) > 0;
};

// Resolves when no animation is running that would end within `longest` milliseconds.
/** @param {number} longest */
export const untilAnimationsEnd = async (longest) => {
  const ends = performance.now() + longest;
  for (;;) {
    const { within, fading } = animationTimeLeft(ends - performance.now());
    const left = Math.max(within, fading);
    if (!left) return;
    await new Promise((resolve) => setTimeout(resolve, left));
  }
};

// A smooth scroll shows as scroll events frame after frame; the browser reports its end late, or not at all.
const SCROLL_FRAME_MS = 50;
let lastScrollAt = -Infinity;
let lastScrollEndAt = -Infinity;

export const listenForScrolling = () => {
  addEventListener("scroll", () => (lastScrollAt = performance.now()), { capture: true, passive: true });
  addEventListener("scrollend", () => (lastScrollEndAt = performance.now()), { capture: true, passive: true });
};

export const isScrolling = () => lastScrollEndAt < lastScrollAt && performance.now() - lastScrollAt < SCROLL_FRAME_MS;

// Holding a page still while it is pictured, so that two pictures of the same page are the same: fonts have loaded,
// animations have ended or stand at their beginning, no caret blinks.

const NO_CARET = "* { caret-color: transparent !important; }";

/** @type {{ animation: Animation, at: CSSNumberish | null }[]} */
let frozen = [];
/** @type {CSSStyleSheet | null} */
let noCaret = null;

const styledRoots = () => [document, ...knownShadowRoots()];

const hideCaret = () => {
  noCaret ??= new CSSStyleSheet();
  noCaret.replaceSync(NO_CARET);
  for (const root of styledRoots()) root.adoptedStyleSheets = [...root.adoptedStyleSheets, noCaret];
};

const showCaret = () => {
  for (const root of styledRoots())
    root.adoptedStyleSheets = root.adoptedStyleSheets.filter((each) => each !== noCaret);
};

// An animation that never ends stands at its beginning; one that follows the scroll position stands still by itself.
const freezeAnimations = () => {
  for (const animation of runningAnimations()) {
    if (animation.playState !== "running" || animation.timeline !== document.timeline) continue;
    frozen.push({ animation, at: animation.currentTime });
    animation.pause();
    animation.currentTime = 0;
  }
};

/** @param {number} ms */
const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Resolves once fonts have loaded and the animations have ended that do so within `longest` milliseconds; freezes the
// others until `releaseStill`.
/** @param {number} longest */
export const holdStill = async (longest) => {
  const ends = performance.now() + longest;
  await Promise.race([document.fonts.ready, delay(longest)]);
  for (;;) {
    const left = [...runningAnimations()].map(timeLeft).filter((ms) => ms > 0 && ms <= ends - performance.now());
    if (left.length === 0) break;
    await delay(Math.max(...left));
  }
  releaseStill();
  freezeAnimations();
  hideCaret();
};

export const releaseStill = () => {
  showCaret();
  for (const { animation, at } of frozen) {
    animation.currentTime = at;
    animation.play();
  }
  frozen = [];
};
