// Short notices at the edge of the page, and what screen readers are told.

import { RequestFailed } from "../client/connection.js";
import { element } from "./element.js";

const SHOWN_FOR = 8000;
const notices = element("div", { class: "notices", role: "status" });
const announcements = element("div", { class: "visually-hidden", "aria-live": "assertive" });

/** Put the places of notices into the page. */
export const mountNotices = () => document.body.append(notices, announcements);

/**
 * Tell users of a screen reader at once.
 * @param {string} text
 */
export const announce = (text) => {
  announcements.textContent = text;
};

/**
 * @param {string} text
 * @param {string} [kind]
 */
export const showNotice = (text, kind = "") => {
  const notice = element("p", { class: `notice ${kind}` }, text);
  notices.append(notice);
  setTimeout(() => notice.remove(), SHOWN_FOR);
};

/** @param {unknown} error */
export const showFailure = (error) => {
  if (!(error instanceof RequestFailed)) throw error;
  showNotice(describeFailure(error), "failure");
};

/** @param {RequestFailed} error */
export const describeFailure = (error) => [error.message, error.hint].filter(Boolean).join(" ");
