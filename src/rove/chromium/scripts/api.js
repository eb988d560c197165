// What the driver calls.

let adoptedCount = 0;
const askedHosts = new WeakSet();
const HOST_TAGS = "article,aside,blockquote,div,footer,h1,h2,h3,h4,h5,h6,header,main,nav,p,section,span";

// Elements that may hold a closed shadow root: custom elements, and boxes with a size that nothing in the light tree explains.
const closedHostCandidates = () => {
  const found = [];
  for (const root of allRoots()) {
    for (const element of queryAll(root, "*")) {
      if (askedHosts.has(element) || shadowOf(element) || !isHtml(element)) continue;
      if (isLikelyHost(element)) found.push(element);
      if (found.length >= 200) return found;
    }
  }
  return found;
};

const isLikelyHost = (element) => {
  const name = localNameOf(element);
  if (name.includes("-")) return true;
  if (!HOST_NAMES.has(name)) return false;
  const first = firstChildOf(element);
  if (!first) {
    if (hasAttr(element, "style") || !checkVisibility(element)) return false;
    return clientHeightOf(element) > 0 || reader(HTMLElement.prototype, "offsetWidth")(element) > 0;
  }
  return false;
};
const HOST_NAMES = new Set(HOST_TAGS.split(","));

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
    const found = closedHostCandidates();
    for (const element of found) askedHosts.add(element);
    return found;
  },
  adoptShadow: (host, root) => {
    if (!adoptedShadows.has(host)) adoptedCount += 1;
    adoptedShadows.set(host, root);
  },
  hintClickable: (elements) => { for (const element of elements) hinted.add(element); },
};
