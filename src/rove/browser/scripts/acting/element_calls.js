// Calls from the driver that concern one element. Every answer carries the element's line, so that acting and reporting
// need one call.

import { documentOrigin } from "../dom/elements.js";
import { elementOfRef, refNumber } from "../dom/refs.js";
import { tellDriver } from "../page/reports.js";
import { describeElement } from "../search/targets.js";
import { nextFrameOrTimeout, waitFor } from "./waiting.js";

// What an element is called. Its states and its value are left out: an act may be about to change them.
/** @param {Element} element */
export const lineOf = (element) => describeElement(element).label;

/** @param {(element: any, ...rest: any[]) => object} work @returns {(ref: string, ...rest: any[]) => any} */
export const withElement =
  (work) =>
  (ref, ...rest) => {
    const element = elementOfRef(ref);
    return element ? { line: lineOf(element), whose: documentOrigin(), ...work(element, ...rest) } : { gone: true };
  };

/** @param {Element} element */
export const described = (element) => ({
  line: lineOf(element),
  ref: "e" + refNumber(element),
  origin: documentOrigin(),
});

// Tells the driver the answer of an act that is done, before the page's listeners run: a dialog that one of them opens
// would hold the answer back.
/** @param {Element} element @param {object} answer */
export const tellDone = (element, answer) =>
  tellDriver("roveTell", "done " + JSON.stringify({ line: lineOf(element), whose: documentOrigin(), ...answer }));

// Calls the work again until it answers without a reason to retry, or that reason's time is over.
/** @param {(element: any, ...rest: any[]) => any} work @returns {(ref: string, timeout: number, ...rest: any[]) => Promise<any>} */
export const withRetries =
  (work) =>
  async (ref, timeout, ...rest) => {
    const target = elementOfRef(ref);
    if (!target) return { gone: true };
    const wait = waitFor(target, timeout);
    try {
      for (;;) {
        if (!elementOfRef(ref)) return { gone: true };
        const line = lineOf(target);
        const answer = await work(target, ...rest);
        if (wait.isOver(answer.retryFor ?? 0)) return { line, whose: documentOrigin(), ...wait.result(answer) };
        await nextFrameOrTimeout();
      }
    } finally {
      wait.stop();
    }
  };
