// Runs among the page's own scripts, ahead of them. Two things of an element only the script knows that asked for them:
// what it says of itself through its internals, its role and states, and that it has a closed shadow root. Kept, and
// told to our world when it asks (semantics.js). To the page these functions are the browser's own.
(() => {
  const { attachInternals } = globalThis.HTMLElement?.prototype ?? {}, { attachShadow } = Element.prototype;
  if (!attachInternals) return;
  const { apply } = Reflect, { stringify } = JSON, Telling = CustomEvent, Weak = WeakRef;
  const { addEventListener: listen, dispatchEvent: dispatch } = EventTarget.prototype;
  const { get, set, has } = WeakMap.prototype, { deref } = WeakRef.prototype;
  const stop = Event.prototype.stopImmediatePropagation;
  const internals = new WeakMap();
  const closed = new WeakMap();
  const hosts = [];
  const SAID = {
    role: "role", ariaBusy: "aria-busy", ariaChecked: "aria-checked", ariaCurrent: "aria-current",
    ariaDescription: "aria-description", ariaDisabled: "aria-disabled", ariaExpanded: "aria-expanded",
    ariaHasPopup: "aria-haspopup", ariaHidden: "aria-hidden", ariaInvalid: "aria-invalid", ariaLabel: "aria-label",
    ariaLevel: "aria-level", ariaPlaceholder: "aria-placeholder", ariaPressed: "aria-pressed",
    ariaReadOnly: "aria-readonly", ariaRequired: "aria-required", ariaRoleDescription: "aria-roledescription",
    ariaSelected: "aria-selected", ariaSort: "aria-sort", ariaValueNow: "aria-valuenow", ariaValueText: "aria-valuetext",
  };
  const keep = (map, host, what) => {
    if (!apply(has, internals, [host]) && !apply(has, closed, [host])) hosts[hosts.length] = new Weak(host);
    apply(set, map, [host, what]);
  };
  HTMLElement.prototype.attachInternals = new Proxy(attachInternals, {
    apply(target, self, given) {
      const held = apply(target, self, given);
      keep(internals, self, held);
      return held;
    },
  });
  Element.prototype.attachShadow = new Proxy(attachShadow, {
    apply(target, self, given) {
      const root = apply(target, self, given);
      if (root.mode === "closed") keep(closed, self, true);
      return root;
    },
  });
  const tell = (host) => {
    const held = apply(get, internals, [host]);
    const said = { __proto__: null, tag: host.localName, closed: apply(has, closed, [host]) };
    let isSilent = !said.closed;
    for (const name in held ? SAID : {}) {
      const value = held[name];
      if (value === null || value === undefined) continue;
      said[SAID[name]] = `${value}`;
      isSilent = false;
    }
    if (!isSilent) apply(dispatch, host, [new Telling("semanticstold", { detail: stringify(said), composed: true })]);
  };
  const onAsked = (event) => {
    apply(stop, event, []);
    let living = 0;
    for (let i = 0; i < hosts.length; i++) {
      const host = apply(deref, hosts[i], []);
      if (!host) continue;
      hosts[living++] = hosts[i];
      if (host.isConnected) tell(host);
    }
    hosts.length = living;
  };
  apply(listen, globalThis, ["semanticsasked", onAsked, true]);
})();
