// The slowest interactions of a person with the page, from which INP is computed. They are watched from the start of each
// document: the browser keeps only those of more than 104 ms for a script that asks later.

const MOST_INTERACTIONS = 10;
const SHORTEST_MS = 16;

/** @typedef {{ id: number, duration: number, type: string, start: number, target: WeakRef<Element> | null }} Interaction */

/** @type {Interaction[]} */
let slowest = [];

// One interaction has several events, such as pointerdown and click, and lasts as long as the longest of them.
/** @param {any} entry */
const noteInteraction = (entry) => {
  if (!entry.interactionId && entry.entryType !== "first-input") return;
  const known = slowest.find(({ id }) => id === entry.interactionId);
  if (known && known.duration >= entry.duration) return;
  const { interactionId: id, duration, name: type, startTime: start } = entry;
  const target = entry.target instanceof Element ? new WeakRef(entry.target) : null;
  const others = slowest.filter((each) => each !== known);
  slowest = [...others, { id, duration, type, start, target }].sort((a, b) => b.duration - a.duration);
  slowest.length = Math.min(slowest.length, MOST_INTERACTIONS);
};

export const slowestInteractions = () => slowest;

export const listenForInteractions = () => {
  if (window !== top || !PerformanceObserver.supportedEntryTypes.includes("event")) return;
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(noteInteraction));
  // `durationThreshold` is not in TypeScript's types.
  observer.observe(/** @type {any} */ ({ type: "event", durationThreshold: SHORTEST_MS, buffered: true }));
  observer.observe({ type: "first-input", buffered: true });
};
