// What the driver calls.

globalThis.rove = {
  startRefs: (number) => { nextRefNumber = Math.max(nextRefNumber, number); return nextRefNumber; },
  snapshot: takeSnapshot,
  element: elementOfRef,
  ref: (element) => "e" + refNumber(element),
  describe: describeElement,
  query: queryTargets,
  find: findRows,
  boxes: rectanglesOf,
  closedHostCandidates: () => {
    const found = closedHosts.filter((element) => isConnected(element) && !askedHosts.has(element));
    for (const element of found) askedHosts.add(element);
    return found;
  },
  adoptShadow: (host, root) => {
    adoptedShadows.set(host, root);
  },
  hintClickable: (elements) => { for (const element of elements) hinted.add(element); },
};
