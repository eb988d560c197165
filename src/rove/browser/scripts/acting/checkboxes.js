// The state of checkboxes, radio buttons and switches.

import { attr } from "../dom/attributes.js";
import { queryOne } from "../dom/natives.js";
import { withElement } from "./element_calls.js";

export const checkedIn = withElement((element) => {
  const control = element instanceof HTMLLabelElement && element.control ? element.control : element;
  const inner = control.matches("input[type=checkbox], input[type=radio]")
    ? control
    : queryOne(control, "input[type=checkbox], input[type=radio]") || control;
  if (inner instanceof HTMLInputElement && (inner.type === "checkbox" || inner.type === "radio"))
    return { checked: inner.checked, radio: inner.type === "radio" };
  const state = attr(control, "aria-checked") ?? attr(control, "aria-pressed") ?? attr(control, "aria-selected");
  return state === null
    ? { reason: "is not a checkbox, a radio button or a switch", hint: "Use {click}.", never: true }
    : { checked: state === "true" };
});
