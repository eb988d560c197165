// Who drives a session, and the requests of an agent that a person takes over.

import { gateway } from "../../client/gateway.js";
import { element } from "../../dom/element.js";
import { icon } from "../../dom/icons.js";
import { goTo, linkTo } from "../../shell/router.js";

/** @import { SessionFacts } from "../../client/wire.js" */
/** @import { IconName } from "../../dom/icons.js" */

/** @param {string} sessionKey */
export const handoffOf = (sessionKey) => [...gateway.handoffs.values()].find((one) => one.sessionKey === sessionKey);

/** @param {SessionFacts | undefined} session */
export const isDrivenByPerson = (session) => session?.driver?.who === "person";

// The name under which the gateway knows the user of this page, which it tells when they take over.
const PERSON = "rove.person";

/**
 * Take a session over and show its live view.
 * @param {string} sessionKey
 */
export const takeOver = async (sessionKey) => {
  const { driver } = await gateway.request("live.take", { sessionKey });
  sessionStorage.setItem(PERSON, driver?.name ?? "");
  gateway.changed("sessions");
  goTo(linkTo("sessions", sessionKey));
  document.querySelector("canvas")?.focus();
};

/** @param {SessionFacts | undefined} session */
export const isDrivenHere = (session) =>
  isDrivenByPerson(session) && session?.driver?.name === sessionStorage.getItem(PERSON);

/** @param {SessionFacts | undefined} session */
export const driverChip = (session) => {
  if (isDrivenHere(session)) return chip("accent", "person", "you drive");
  if (isDrivenByPerson(session)) return chip("accent", "person", session?.driver?.name || "a person drives");
  if (session && handoffOf(session.sessionKey)) return chip("bad", "hand", "asks for you");
  if (session?.driver?.isPaused) return chip("weak", "pause", "paused");
  return chip("good", "compass", "agent");
};

/**
 * @param {string} kind
 * @param {IconName} picture
 * @param {string} text
 */
const chip = (kind, picture, text) => element("span", { class: `chip ${kind}` }, icon(picture), text);
