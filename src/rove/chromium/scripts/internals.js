// Runs among the page's own scripts, ahead of them. What an element says of itself through its internals, its role and
// states, only the script knows that asked for them. Kept, and told to our world when it asks (semantics.js). To the page
// the function is the browser's own. (`attachShadow` is left alone: pages that test for tampering look at it first.)
(() => {
  const { attachInternals } = globalThis.HTMLElement?.prototype ?? {};
  if (!attachInternals) return;
  const { apply } = Reflect, { stringify } = JSON, Telling = CustomEvent, Weak = WeakRef;
  const { addEventListener: listen, dispatchEvent: dispatch } = EventTarget.prototype;
  const { get, set, has } = WeakMap.prototype, { deref } = WeakRef.prototype;
  const stop = Event.prototype.stopImmediatePropagation;
  const internals = new WeakMap();
  const hosts = [];
  const SAID = {
    role: "role", ariaBusy: "aria-busy", ariaChecked: "aria-checked", ariaCurrent: "aria-current",
    ariaDescription: "aria-description", ariaDisabled: "aria-disabled", ariaExpanded: "aria-expanded",
    ariaHasPopup: "aria-haspopup", ariaHidden: "aria-hidden", ariaInvalid: "aria-invalid", ariaLabel: "aria-label",
    ariaLevel: "aria-level", ariaPlaceholder: "aria-placeholder", ariaPressed: "aria-pressed",
    ariaReadOnly: "aria-readonly", ariaRequired: "aria-required", ariaRoleDescription: "aria-roledescription",
    ariaSelected: "aria-selected", ariaSort: "aria-sort", ariaValueNow: "aria-valuenow", ariaValueText: "aria-valuetext",
  };
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
  const tell = (host) => {
    const held = apply(get, internals, [host]);
    const said = { __proto__: null, tag: host.localName };
    let isSilent = true;
    for (const name in SAID) {
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
