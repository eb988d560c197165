// Web Vitals of the document, as the browser's performance timeline has them and as the library web-vitals defines them.

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

export const listenForInteractions = () => {
  if (window !== top || !PerformanceObserver.supportedEntryTypes.includes("event")) return;
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(noteInteraction));
  // `durationThreshold` is not in TypeScript's types.
  observer.observe(/** @type {any} */ ({ type: "event", durationThreshold: SHORTEST_MS, buffered: true }));
  observer.observe({ type: "first-input", buffered: true });
};

// The browser keeps so many entries of a kind for those who ask later; more than that are lost.
const BUFFER = { "layout-shift": 150, longtask: 200, "largest-contentful-paint": 150 };
const SHIFT_GAP_MS = 1000;
const SHIFT_SPAN_MS = 5000;
const INTERACTIONS_PER_OUTLIER = 50;
const LONG_TASK_MS = 50;

/** @param {string} type @returns {any[] | null} */
const timelineOf = (type) => {
  if (!PerformanceObserver.supportedEntryTypes.includes(type)) return null;
  const observer = new PerformanceObserver(() => {});
  observer.observe({ type, buffered: true });
  const entries = observer.takeRecords();
  observer.disconnect();
  // WebKit hands buffered entries over later, and lists those of some kinds at once.
  return entries.length > 0 ? entries : performance.getEntriesByType(type);
};

/** @param {any} entry @param {number} start */
const startOf = (entry, start) => Math.max(entry.startTime - start, 0);

// What is painted while the page is hidden does not count.
const firstHiddenAt = () => {
  const hidden = (timelineOf("visibility-state") ?? []).find((entry) => entry.name === "hidden");
  return hidden ? hidden.startTime : document.visibilityState === "hidden" ? 0 : Infinity;
};

/** @param {any[]} entries @param {number} start @param {number} hiddenAt */
const largestPaint = (entries, start, hiddenAt) => {
  const entry = entries.findLast((each) => each.startTime < hiddenAt);
  if (!entry) return null;
  return { value: startOf(entry, start), element: entry.element, url: entry.url, size: entry.size };
};

// The worst session window: shifts with gaps of less than a second, within five seconds.
/** @param {any[]} entries */
const layoutShift = (entries) => {
  let worst = { value: 0, shifts: /** @type {any[]} */ ([]) };
  let session = { value: 0, shifts: /** @type {any[]} */ ([]) };
  for (const entry of entries) {
    if (entry.hadRecentInput) continue;
    const [first] = session.shifts;
    const last = session.shifts.at(-1);
    const goesOn =
      first && entry.startTime - last.startTime < SHIFT_GAP_MS && entry.startTime - first.startTime < SHIFT_SPAN_MS;
    session = goesOn ? session : { value: 0, shifts: [] };
    session.value += entry.value;
    session.shifts.push(entry);
    if (session.value > worst.value) worst = { value: session.value, shifts: [...session.shifts] };
  }
  const largest = worst.shifts.toSorted((a, b) => b.value - a.value)[0];
  const sources = (largest?.sources ?? []).map((/** @type {any} */ source) => source.node);
  const element = sources.find((/** @type {any} */ node) => node instanceof Element) ?? null;
  const isCut = entries.length >= BUFFER["layout-shift"];
  return { value: worst.value, element, count: worst.shifts.length, isCut };
};

// One in fifty interactions is left out as an outlier, the slowest ones.
const interaction = () => {
  const count = Math.max(/** @type {any} */ (performance).interactionCount ?? 0, slowest.length);
  const chosen = slowest[Math.min(slowest.length - 1, Math.floor(count / INTERACTIONS_PER_OUTLIER))];
  // Without a paint after it, the browser does not tell how long an interaction took.
  if (!chosen) return count > 0 ? { isUnpainted: true } : null;
  return { value: chosen.duration, element: chosen.target?.deref() ?? null, type: chosen.type, count };
};

/** @param {any[]} entries */
const longTasks = (entries) => ({
  count: entries.length,
  total: entries.reduce((sum, entry) => sum + entry.duration, 0),
  blocking: entries.reduce((sum, entry) => sum + Math.max(entry.duration - LONG_TASK_MS, 0), 0),
  longest: entries.reduce((most, entry) => Math.max(most, entry.duration), 0),
  isCut: entries.length >= BUFFER.longtask,
});

// Resolves when the browser has told of the largest paint so far, which it does some frames after the page has loaded.
/** @param {number} longest */
const untilPainted = (longest) =>
  new Promise((resolve) => {
    const type = "largest-contentful-paint";
    const isMeasured = PerformanceObserver.supportedEntryTypes.includes(type);
    if (!isMeasured || document.visibilityState === "hidden") return resolve(null);
    const observer = new PerformanceObserver(resolve);
    observer.observe({ type, buffered: true });
    setTimeout(resolve, longest);
  });

// Resolves when the browser has told of an interaction, if there was one, which it does with the paint after it.
/** @param {number} longest */
const untilInteractionTold = (longest) =>
  new Promise((resolve) => {
    const isMeasured = PerformanceObserver.supportedEntryTypes.includes("first-input");
    const count = /** @type {any} */ (performance).interactionCount ?? 0;
    if (!isMeasured || count === 0 || slowest.length > 0 || document.visibilityState === "hidden") return resolve(null);
    // The observer that notes interactions was there before this one, and is called first.
    const observer = new PerformanceObserver(resolve);
    observer.observe({ type: "first-input", buffered: true });
    setTimeout(resolve, longest);
  });

/** @template T @param {any[] | null} entries @param {(entries: any[]) => T} read */
const measured = (entries, read) => (entries === null ? { isUnsupported: true } : read(entries));

// `describe` returns the ref and the line of an element. Waits for a first paint, and for one after the first
// interaction, but not longer than `longest`.
/** @param {(element: Element) => { ref: string, line: string }} describe @param {number} longest */
export const webVitals = async (describe, longest) => {
  await Promise.all([untilPainted(longest), untilInteractionTold(longest)]);
  const [navigation] = /** @type {any[]} */ (performance.getEntriesByType("navigation"));
  const start = navigation?.activationStart ?? 0;
  const hiddenAt = firstHiddenAt();
  const paints = timelineOf("paint");
  /** @type {Record<string, any>} */
  const vitals = {
    lcp: measured(timelineOf("largest-contentful-paint"), (entries) => largestPaint(entries, start, hiddenAt)),
    cls: measured(timelineOf("layout-shift"), layoutShift),
    inp: PerformanceObserver.supportedEntryTypes.includes("event") ? interaction() : { isUnsupported: true },
    fcp: measured(paints, (entries) => {
      const entry = entries.find((each) => each.name === "first-contentful-paint" && each.startTime < hiddenAt);
      return entry ? { value: startOf(entry, start) } : null;
    }),
    ttfb: navigation?.responseStart > 0 ? { value: Math.max(navigation.responseStart - start, 0) } : null,
    longTasks: measured(timelineOf("longtask"), longTasks),
  };
  for (const vital of Object.values(vitals)) {
    if (vital?.element instanceof Element && vital.element.isConnected) Object.assign(vital, describe(vital.element));
    if (vital) delete vital.element;
  }
  return { ...vitals, age: performance.now(), wasHidden: hiddenAt === 0 };
};
