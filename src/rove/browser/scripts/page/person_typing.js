// Fields that a person types into while driving the tab. Their values are withheld from the agent, and told to the driver,
// which removes them from every text that the agent gets.

import { fieldOfEvent } from "../acting/typing.js";
import { hidesValue, wasPassword, withholdValue } from "../roles/passwords.js";
import { tellDriver } from "./reports.js";

const MAX_REPORTED = 1000;
let isDriving = false;
export const isPersonDriving = () => isDriving;
/** @type {WeakMap<Element, number>} */
const typedFields = new WeakMap();
let lastTypedField = 0;
/** @type {Set<WeakRef<any>>} */
const typedFieldRefs = new Set();

/** @param {Element} field */
const numberOfTypedField = (field) => {
  if (!typedFields.has(field)) {
    typedFields.set(field, ++lastTypedField);
    typedFieldRefs.add(new WeakRef(field));
  }
  return typedFields.get(field);
};

/** @param {Event} event */
const onPersonInput = (event) => {
  const field = isDriving && event.isTrusted ? fieldOfEvent(event) : null;
  if (!field) return;
  withholdValue(field);
  // What is in an editor is mostly the page's text. The driver knows the keys.
  const value = typeof field.value === "string" && field.value.length <= MAX_REPORTED ? field.value : "";
  tellDriver("roveTell", "typed " + JSON.stringify([numberOfTypedField(field), value, wasPassword(field)]));
};

const TYPED_COVER = "-webkit-text-security";

// Shows dots in place of what a person has typed, while a picture is taken that the agent gets or that is kept. Returns
// whether a field was not covered until now.
/** @param {boolean} isOn */
export const coverTyped = (isOn) => {
  let wasShown = false;
  for (const ref of typedFieldRefs) {
    const field = ref.deref();
    if (!field) typedFieldRefs.delete(ref);
    else if (isOn && hidesValue(field)) {
      wasShown ||=
        field.style.getPropertyValue(TYPED_COVER) !== "disc" || !field.style.getPropertyPriority(TYPED_COVER);
      field.style.setProperty(TYPED_COVER, "disc", "important");
    } else field.style.removeProperty(TYPED_COVER);
  }
  return wasShown;
};

// Listens each time, as document.open() removes all listeners; adding one twice has no effect.
/** @param {boolean} isOn */
export const watchPerson = (isOn) => {
  isDriving = isOn;
  if (isOn) EventTarget.prototype.addEventListener.call(window, "input", onPersonInput, { capture: true });
};
