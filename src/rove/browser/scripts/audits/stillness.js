// Holding a page still while it is pictured, so that two pictures of the same page are the same: fonts have loaded,
// animations have ended or stand at their beginning, no caret blinks.

import { knownShadowRoots } from "../dom/shadow_roots.js";
import { runningAnimations, timeLeft } from "../page/animations.js";

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
