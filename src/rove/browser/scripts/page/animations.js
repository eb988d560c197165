// Animations and transitions that are running and will end. Endless ones, and those that follow the scroll position, are
// never waited for.

import { knownShadowRoots } from "../dom/shadow_roots.js";

const nativeDocumentAnimations = Document.prototype.getAnimations;
const nativeShadowAnimations = ShadowRoot.prototype.getAnimations;

// Properties that change neither what is shown nor where. Buttons fade these for a press or a pointer over them.
const DECORATIVE =
  /^(?:background|border|outline|box-?shadow|text-?shadow|text-?decoration|fill|stroke|caret|accent|cursor|column-?rule|-?webkit-?tap|border-?radius|stop-?color|flood-?color|lighting-?color)/i;
const KEYFRAME_FIELDS = new Set(["offset", "computedOffset", "easing", "composite"]);

/** @param {Animation} animation */
const isDecorative = (animation) => {
  if (animation instanceof CSSTransition) return DECORATIVE.test(animation.transitionProperty);
  const effect = animation.effect;
  if (!(effect instanceof KeyframeEffect)) return false;
  for (const frame of effect.getKeyframes())
    for (const name of Object.keys(frame)) if (!KEYFRAME_FIELDS.has(name) && !DECORATIVE.test(name)) return false;
  return true;
};

// Milliseconds until an animation ends; 0 if it is not to be waited for.
/** @param {Animation} animation */
export const timeLeft = (animation) => {
  if (animation.playState !== "running" || !animation.effect || animation.timeline !== document.timeline) return 0;
  const end = Number(animation.effect.getComputedTiming().endTime);
  if (!Number.isFinite(end) || animation.playbackRate === 0) return 0;
  const at = Number(animation.currentTime ?? 0);
  const left = animation.playbackRate > 0 ? end - at : at;
  return Math.max(left / Math.abs(animation.playbackRate), 1);
};

const MAX_ANIMATIONS = 500;

export const runningAnimations = function* () {
  yield* nativeDocumentAnimations.call(document);
  for (const root of knownShadowRoots()) yield* nativeShadowAnimations.call(root);
};

// Milliseconds until the last animation ends that ends within `longest`, and until the first one after that; 0 for none.
/** @param {number} longest */
export const animationTimeLeft = (longest) => {
  let within = 0;
  let later = 0;
  let count = 0;
  for (const animation of runningAnimations()) {
    if (++count > MAX_ANIMATIONS) break;
    const left = timeLeft(animation);
    if (left === 0 || isDecorative(animation)) continue;
    if (left <= longest) within = Math.max(within, left);
    else later = later === 0 ? left : Math.min(later, left);
  }
  return { within, later };
};

// Resolves when no animation is running that would end within `longest` milliseconds.
/** @param {number} longest */
export const untilAnimationsEnd = async (longest) => {
  const ends = performance.now() + longest;
  for (;;) {
    const { within } = animationTimeLeft(ends - performance.now());
    if (!within) return;
    await new Promise((resolve) => setTimeout(resolve, within));
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
