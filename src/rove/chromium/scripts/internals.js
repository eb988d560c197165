// Runs among the page's own scripts, ahead of them. What an element says of itself through its internals, its role and
// states, only the script knows that asked for them. Kept, and told to our world when it asks (semantics.js). (`attachShadow` is left alone: pages that test for tampering look at it first.)
(() => {
  const { attachInternals } = globalThis.HTMLElement?.prototype ?? {};
  if (!attachInternals) return;
  const { apply } = Reflect, { stringify } = JSON, Telling = CustomEvent, Weak = WeakRef;
  const { addEventListener: listen, dispatchEvent: dispatch } = EventTarget.prototype;
  const { get, set, has } = WeakMap.prototype, { deref } = WeakRef.prototype;
  const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name)?.get;
  const localName = getter(Element.prototype, "localName"), isConnected = getter(Node.prototype, "isConnected");
  const internals = new WeakMap();
  const hosts = [];
  const NAMES = {
    __proto__: null, role: "role", ariaBusy: "aria-busy", ariaChecked: "aria-checked", ariaCurrent: "aria-current",
    ariaDescription: "aria-description", ariaDisabled: "aria-disabled", ariaExpanded: "aria-expanded",
    ariaHasPopup: "aria-haspopup", ariaHidden: "aria-hidden", ariaInvalid: "aria-invalid", ariaLabel: "aria-label",
    ariaLevel: "aria-level", ariaPlaceholder: "aria-placeholder", ariaPressed: "aria-pressed",
    ariaReadOnly: "aria-readonly", ariaRequired: "aria-required", ariaRoleDescription: "aria-roledescription",
    ariaSelected: "aria-selected", ariaSort: "aria-sort", ariaValueNow: "aria-valuenow", ariaValueText: "aria-valuetext",
  };
  const said = [];
  for (const name in NAMES) {
    const read = getter(ElementInternals.prototype, name);
    if (read) said[said.length] = [read, NAMES[name]];
  }
  const keep = (host, held) => {
    if (!apply(has, internals, [host])) hosts[hosts.length] = new Weak(host);
    apply(set, internals, [host, held]);
  };
  HTMLElement.prototype.attachInternals = new Proxy(attachInternals, {
    apply(target, self, given) {
      const held = apply(target, self, given);
      keep(self, held);
      return held;
    },
  });
  // True if there was something to tell.
  const tell = (host) => {
    const held = apply(get, internals, [host]);
    const told = { __proto__: null };
    let isSilent = true;
    for (let i = 0; i < said.length; i++) {
      const value = apply(said[i][0], held, []);
      if (value === null) continue;
      told[said[i][1]] = value;
      isSilent = false;
    }
    if (isSilent) return false;
    told.tag = apply(localName, host, []);
    apply(dispatch, host, [new Telling("told-by-NONCE", { detail: stringify(told), composed: true })]);
    return true;
  };
  // Nothing of the page runs in between, or knows the names of these events.
  const MOST_TOLD = 2000, MOST_ASKED = 10000;
  const onAsked = () => {
    let living = 0, left = MOST_TOLD;
    for (let i = 0; i < hosts.length; i++) {
      const host = apply(deref, hosts[i], []);
      if (!host) continue;
      hosts[living++] = hosts[i];
      if (left > 0 && living < MOST_ASKED && apply(isConnected, host, []) && tell(host)) left--;
    }
    hosts.length = living;
  };
  apply(listen, globalThis, ["asked-by-NONCE", onAsked, true]);
})();
