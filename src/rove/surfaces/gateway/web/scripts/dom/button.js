// Buttons. One that the token of this page does not allow is shown disabled, with the reason.

import { gateway } from "../client/gateway.js";
import { element } from "./element.js";
import { icon } from "./icons.js";
import { showFailure } from "./notices.js";

/** @import { Scope } from "../client/wire.js" */
/** @import { IconName } from "./icons.js" */
/**
 * @typedef {object} ButtonOptions
 * @property {IconName} [icon]
 * @property {string} [kind] `primary`, `danger` or `quiet`
 * @property {string} [key] the key that does the same
 * @property {Scope | Scope[]} [scope] the scope without which it is disabled, or several of which one is enough
 * @property {string} [session] the session that it is about
 * @property {string} [label] its name, if it shows no text
 * @property {string} [id]
 */

const REASONS = {
  view: "This link does not let you look.",
  act: "This link lets you look, not act.",
  approve: "This link does not let you approve or drive.",
  "view:all": "This link does not let you see the sessions of others.",
  "approve:all": "This link does not let you approve or drive in the sessions of others.",
  own: "Only the owner can do this.",
};
const NOT_OWN = "Only its own client and the owner can act in this session.";

/**
 * Return why the token of this page does not allow something, or "".
 * @param {Scope | Scope[] | undefined} scope
 * @param {string} [session]
 */
export const missing = (scope, session) => {
  const scopes = [scope ?? []].flat();
  if (!scopes.length || scopes.some((one) => gateway.can(one, session))) return "";
  return session !== undefined && scopes.includes("act") && gateway.can("act") ? NOT_OWN : REASONS[scopes[0]];
};

/**
 * @param {string} text
 * @param {() => unknown} act what a click does; a failure of it is shown
 * @param {ButtonOptions} [options]
 */
export const button = (text, act, options = {}) => {
  const reason = missing(options.scope, options.session);
  return element(
    "button",
    {
      type: "button",
      id: options.id,
      class: ["button", options.kind].filter(Boolean).join(" "),
      disabled: reason !== "",
      title: reason || options.label,
      "aria-label": options.label && !text ? options.label : undefined,
      "aria-keyshortcuts": options.key,
      onclick: () => attempt(act),
    },
    options.icon && icon(options.icon),
    text && element("span", {}, text),
    options.key && element("kbd", { "aria-hidden": "true" }, options.key),
  );
};

/**
 * A sentence that says why controls nearby are disabled, or nothing.
 * @param {Scope} scope
 * @param {string} [session]
 */
export const disabledReason = (scope, session) =>
  gateway.can(scope, session) ? null : element("p", { class: "disabled-reason" }, missing(scope, session));

/**
 * Do something that may be refused, and show the refusal.
 * @param {() => unknown} act
 */
export const attempt = async (act) => {
  try {
    return await act();
  } catch (error) {
    showFailure(error);
    return undefined;
  }
};
