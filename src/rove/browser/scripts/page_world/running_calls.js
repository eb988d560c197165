// Calls of the driver. An answer is lost where a dialog opens during the call, so that each is kept until it was told.

import { callNumbered } from "../dom/refs.js";
import { documentId } from "./document_state.js";

const nativeStringify = JSON.stringify;
const MAX_KEPT = 50;
/** @type {Map<number, Promise<string>>} */
const keptCalls = new Map();

/** @param {any} error */
const thrownText = (error) => {
  if (!(error instanceof Error)) return `${error}`;
  return `${error.name}: ${error.message}`;
};

/** @param {number} first @param {(...rest: any[]) => any} work @param {any[]} rest */
const answerOf = async (first, work, rest) => {
  try {
    const { value, next } = await callNumbered(first, work, rest);
    return nativeStringify({ value, next, document: documentId });
  } catch (error) {
    return nativeStringify({ thrown: thrownText(error), document: documentId });
  }
};

// Runs a call once, by whichever attempt of the driver arrives first.
/** @param {number} call @param {number} first @param {(...rest: any[]) => any} work @param {any[]} rest */
export const runCall = (call, first, work, rest) => {
  const kept = keptCalls.get(call);
  if (kept) return kept;
  const answer = answerOf(first, work, rest);
  keptCalls.set(call, answer);
  if (keptCalls.size > MAX_KEPT) keptCalls.delete(keptCalls.keys().next().value ?? 0);
  return answer;
};
