// What a session is called.

import { gateway } from "../../client/gateway.js";

const IS_MADE_UP = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

/**
 * The name that its owner gave it; otherwise how its conversation begins, or the start of its id.
 * @param {string} key
 */
export const sessionTitle = (key) => (IS_MADE_UP.test(key) ? gateway.threads.titleOf(key) || key.slice(0, 8) : key);
