// Who drives a session, and the requests of an agent that a person takes over.

import { gateway } from "../../client/gateway.js";
import { element } from "../../dom/element.js";
import { icon } from "../../dom/icons.js";

/** @import { SessionFacts } from "../../client/wire.js" */

/** @param {string} sessionKey */
export const handoffOf = (sessionKey) => [...gateway.handoffs.values()].find((one) => one.sessionKey === sessionKey);

/** @param {SessionFacts | undefined} session */
export const isDrivenByPerson = (session) => session?.driver?.who === "person";

const PERSON = "rove.person";

/**
 * Keep the name under which the gateway knows the user of this page.
 * @param {string | undefined} name
 */
export const keepPerson = (name) => sessionStorage.setItem(PERSON, name ?? "");

/** @param {SessionFacts | undefined} session */
export const isDrivenHere = (session) =>
  isDrivenByPerson(session) && session?.driver?.name === sessionStorage.getItem(PERSON);

/** @param {SessionFacts | undefined} session */
export const driverChip = (session) => {
  if (session && handoffOf(session.sessionKey))
    return element("span", { class: "chip bad" }, icon("hand"), "asks for you");
  if (isDrivenByPerson(session))
    return element("span", { class: "chip accent" }, icon("person"), session?.driver?.name || "a person drives");
  if (session?.driver?.isPaused) return element("span", { class: "chip weak" }, icon("pause"), "paused");
  return element("span", { class: "chip good" }, "agent");
};
