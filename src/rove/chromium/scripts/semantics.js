// What only a script among the page's own can know of an element (internals.js). What it says of itself through its
// internals is taken as if its attributes said it, where these are silent: a page could say it by attributes too.

const MOST_HOSTS = 2000;
const SEMANTIC = /^(?:role|aria-[a-z]+)$/;

const takeSemantics = (event) => {
  const host = event.composedPath()[0];
  if (semantics.size >= MOST_HOSTS || typeof event.detail !== "string" || !(host instanceof Element)) return;
  const { tag, ...said } = JSON.parse(event.detail);
  // Out of a closed shadow tree an event comes as if from its host.
  if (tag !== localNameOf(host)) return;
  const kept = new Map();
  for (const [name, value] of Object.entries(said))
    if (SEMANTIC.test(name) && typeof value === "string") kept.set(name, clip(value, 1000));
  if (kept.size) semantics.set(host, kept);
};

// The answers come while we ask, and at no other time.
const gatherSemantics = () => {
  semantics = new Map();
  anySemantics = false;
  globalThis.addEventListener("told-by-NONCE", takeSemantics, true);
  globalThis.dispatchEvent(new CustomEvent("asked-by-NONCE"));
  globalThis.removeEventListener("told-by-NONCE", takeSemantics, true);
  anySemantics = semantics.size !== 0;
};
