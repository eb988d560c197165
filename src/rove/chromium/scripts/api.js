// What the driver calls.

globalThis.rove = {
  startRefs: (number) => {
    nextRefNumber = Math.max(nextRefNumber, number);
    return nextRefNumber;
  },
  snapshot: takeSnapshot,
  element: elementOfRef,
  ref: (element) => "e" + refNumber(element),
  describe: describeElement,
  query: queryTargets,
  find: findRows,
  boxes: rectanglesOf,
  closedHostCandidates: takeClosedHosts,
  adoptShadow,
  hintClickable,
};
