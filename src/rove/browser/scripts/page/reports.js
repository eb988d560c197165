// Reports to the driver: by its bindings or, where it has none, by the console of this world, which the page cannot see.

// Tells the worlds of two frames apart.
const reportingWorld = Math.random().toString(36).slice(2);

/** @param {"roveTell" | "roveCopied"} binding @param {string} message */
export const tellDriver = (binding, message) => {
  const send = globalThis[binding];
  if (send) send(message);
  else console.debug(`${NONCE} ${reportingWorld} ${binding} ${message}`);
};
