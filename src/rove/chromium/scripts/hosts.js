// Elements that may hold a closed shadow root, which only the driver can find out. Asking costs a round trip each,
// so of look-alikes only a few are asked, and all of them once one was found to be a host.

const ASKED_PER_KIND = 3;
const MAX_CANDIDATES = 100;
const HOST_TAGS = new Set(
  "article aside blockquote div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
);

let closedHosts = [];
let slottedInto = new Set();
let notedKinds = new Map();
const askedHosts = new WeakSet();
const askedKinds = new Map();
const hostKinds = new Set();

const kindOfHost = (element) => {
  const tag = localNameOf(element);
  return tag.includes("-") ? tag : tag + "." + (attr(element, "class") || "");
};

const noteClosedHost = (element) => {
  if (!element || askedHosts.has(element) || shadowOf(element) || closedHosts.length >= MAX_CANDIDATES) return;
  const kind = kindOfHost(element);
  const noted = notedKinds.get(kind) || 0;
  if (!hostKinds.has(kind) && noted + (askedKinds.get(kind) || 0) >= ASKED_PER_KIND) return;
  notedKinds.set(kind, noted + 1);
  closedHosts.push(element);
};

// A custom element, one whose children name a slot, or a box that has a size though nothing in the light tree and no
// paint of its own explains it.
const isLikelyHost = (element, facts) => {
  if (facts.custom || slottedInto.has(element)) return true;
  if (firstChildOf(element) !== null) return false;
  if (facts.background[3] > 0 || facts.pictured || hasAttr(element, "style")) return false;
  return clientHeightOf(element) > 0;
};

const takeClosedHosts = () => {
  const found = closedHosts.filter((element) => isConnected(element) && !askedHosts.has(element));
  closedHosts = [];
  for (const element of found) {
    askedHosts.add(element);
    const kind = kindOfHost(element);
    askedKinds.set(kind, (askedKinds.get(kind) || 0) + 1);
  }
  return found;
};

const adoptShadow = (host, root) => {
  adoptedShadows.set(host, root);
  shadowsAreAdopted = true;
  hostKinds.add(kindOfHost(host));
};
