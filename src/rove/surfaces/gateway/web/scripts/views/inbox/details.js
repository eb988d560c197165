// The details of a request, drawn for the tool that they come from.

import { element } from "../../dom/element.js";

/** @import { Approval, Facts } from "../../client/wire.js" */

/** @param {Approval} approval */
export const describeDetails = (approval) => {
  const { details = {} } = approval;
  if (Array.isArray(details.actions)) return actionList(details.actions);
  if (typeof details.command === "string") return commandDetails(details);
  return valueList(details);
};

/** @param {Facts[]} actions */
export const actionList = (actions) =>
  element(
    "ol",
    { class: "actions" },
    actions.map((one) => element("li", {}, action(one))),
  );

/** @param {Facts} facts */
const action = ({ type, action: name, ...values }) =>
  element("div", { class: "action" }, element("strong", {}, String(type ?? name ?? "?")), valueList(values));

/** @param {Facts} details */
const commandDetails = ({ command, workingDir, ...others }) =>
  element(
    "div",
    {},
    element("pre", { class: "command", tabindex: "0" }, command),
    workingDir && element("p", {}, "in the folder ", element("code", {}, workingDir)),
    valueList(others),
  );

/**
 * Names and values, as they would be used.
 * @param {Facts} values
 */
export const valueList = (values) => {
  const shown = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  if (!shown.length) return null;
  return element(
    "dl",
    { class: "values" },
    shown.flatMap(([name, value]) => [
      element("dt", {}, name),
      element("dd", {}, typeof value === "string" ? value : JSON.stringify(value)),
    ]),
  );
};
