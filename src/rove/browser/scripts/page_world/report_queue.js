// Reports that wait for the driver, which asks for the next ones and is answered as soon as there are some.

const MAX_REPORTS = 500;
// A turn later, so that reports of one event are answered together.
const GATHERING_MS = 5;
const nativeSetTimeout = setTimeout;

/** @type {any[][]} */
let reports = [];
let droppedReports = 0;
let toldReports = 0;
/** @type {(() => void) | null} */
let wakeAsker = null;

const takeReports = () => {
  toldReports += reports.length;
  const taken = { reports, dropped: droppedReports, told: toldReports };
  reports = [];
  droppedReports = 0;
  return taken;
};

// Makes room for a report: the newest console messages are kept, and all uncaught errors and other reports that can be.
const dropOldestMessage = () => {
  const oldest = reports.findIndex((report) => report[0] === "message" && report[1] !== "exception");
  if (oldest >= 0) reports.splice(oldest, 1);
  droppedReports += 1;
};

export const reportQueue = {
  /** @param {any[]} report */
  add: (report) => {
    if (reports.length >= MAX_REPORTS) dropOldestMessage();
    if (reports.length < MAX_REPORTS) reports.push(report);
    if (wakeAsker) nativeSetTimeout(wakeAsker, GATHERING_MS);
    wakeAsker = null;
  },
  // Answers with the reports since the last call, or with none after some milliseconds.
  /** @param {number} ms */
  next: (ms) => {
    if (reports.length || droppedReports || ms === 0) return takeReports();
    return new Promise((resolve) => {
      const answer = () => resolve(takeReports());
      wakeAsker = answer;
      nativeSetTimeout(() => {
        if (wakeAsker === answer) wakeAsker = null;
        answer();
      }, ms);
    });
  },
};
