// Fields that a person types into while driving the tab. Their values are withheld from the agent, and told to the driver,
// which removes them from every text that the agent gets.

import { fieldOfEvent } from "../acting/typing.js";
import { wasPassword, withholdValue } from "../roles/passwords.js";

const MAX_REPORTED = 1000;
let isPersonDriving = false;
/** @type {WeakMap<Element, number>} */
const typedFields = new WeakMap();
let lastTypedField = 0;

/** @param {Element} field */
const numberOfTypedField = (field) => {
  if (!typedFields.has(field)) typedFields.set(field, ++lastTypedField);
  return typedFields.get(field);
};

/** @param {Event} event */
const onPersonInput = (event) => {
  const field = isPersonDriving && event.isTrusted ? fieldOfEvent(event) : null;
  if (!field) return;
  withholdValue(field);
  // What is in an editor is mostly the page's text. The driver knows the keys.
  if (typeof field.value !== "string" || field.value.length > MAX_REPORTED) return;
  globalThis.roveTell?.("typed " + JSON.stringify([numberOfTypedField(field), field.value, wasPassword(field)]));
};

// Listens each time, as document.open() removes all listeners; adding one twice has no effect.
/** @param {boolean} isOn */
export const watchPerson = (isOn) => {
  isPersonDriving = isOn;
  if (isOn) EventTarget.prototype.addEventListener.call(globalThis, "input", onPersonInput, { capture: true });
};
