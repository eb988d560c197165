// Runs among the page's own scripts, ahead of them: a passkey needs a person's finger, and a browser without a person
// would wait for it. Refused as that person would; to the page these functions are the browser's own.
(() => {
  const { reject } = Promise, { apply } = Reflect, Refusal = DOMException, Native = Promise;
  for (const name of ["create", "get"]) {
    const native = globalThis.CredentialsContainer?.prototype[name];
    if (!native) continue;
    CredentialsContainer.prototype[name] = new Proxy(native, {
      apply(target, self, given) {
        if (!given[0]?.publicKey) return apply(target, self, given);
        const refusal = new Refusal("The operation either timed out or was not allowed.", "NotAllowedError");
        return apply(reject, Native, [refusal]);
      },
    });
  }
})();
