// Fields into which the page itself, or the browser when it went back, may have put a secret. The driver knows the
// secrets and says which of these fields have one.

import { queryAll } from "../dom/natives.js";
import { allRoots } from "../dom/tree.js";
import { textOfField } from "../roles/field_values.js";
import { holdSecrets, isHeld } from "./secret_fields.js";

/** @typedef {import("./secret_fields.js").HeldSecret} HeldSecret */

const TEXT_FIELDS = "input, textarea, [contenteditable]:not([contenteditable=false i])";
const MAX_FIELD_LENGTH = 20_000;
const MAX_FIELDS = 5_000;
// The fields whose texts were told last.
/** @type {WeakRef<any>[]} */
let toldFields = [];

// The texts of all fields that are not known to hold a secret and are not empty.
export const unheldTexts = () => {
  toldFields = [];
  /** @type {string[]} */
  const texts = [];
  for (const field of allRoots().flatMap((root) => [...queryAll(root, TEXT_FIELDS)])) {
    if (isHeld(field) || texts.length >= MAX_FIELDS) continue;
    const text = textOfField(field);
    if (!text || text.length > MAX_FIELD_LENGTH) continue;
    texts.push(text);
    toldFields.push(new WeakRef(field));
  }
  return texts;
};

/** @param {[number, HeldSecret[]][]} found */
export const holdSecretsIn = (found) => {
  for (const [place, secrets] of found) {
    const field = toldFields[place]?.deref();
    // A field that has changed since is asked about again.
    if (field && !isHeld(field) && secrets.every((secret) => textOfField(field).includes(secret.value)))
      holdSecrets(field, secrets);
  }
};
