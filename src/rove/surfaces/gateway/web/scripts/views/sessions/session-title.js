// What a session is called.

import { gateway, markIn } from "../../client/gateway.js";
import { element } from "../../dom/element.js";

const IS_MADE_UP = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

/**
 * The name that its owner gave it; otherwise how its conversation begins, or the start of its id.
 * @param {string} key
 */
export const sessionTitle = (key) => {
  if (IS_MADE_UP.test(key)) return gateway.threads.titleOf(key) || key.slice(0, 8);
  return key.slice(0, key.length - markIn(key).length);
};

/**
 * Who opened a session, if it was not the holder of this page's token.
 * @param {{ sessionKey: string, openedBy?: string } | undefined} session
 */
export const opener = (session) =>
  session && !gateway.isOwn(session.sessionKey) && session.openedBy
    ? element("span", { class: "chip weak", title: "Who opened this session" }, session.openedBy)
    : null;
