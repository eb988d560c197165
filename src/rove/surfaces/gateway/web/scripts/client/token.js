// The token that this page authenticates with. It comes with the link, in the fragment, which no server is sent.

const KEY = "rove.token";
const SINCE = "rove.since";
// `#token=…`, or `#/approvals/…?token=…`
const IN_LINK = /[#?&]token=([^&\s]+)/;

/** Return the token of the link or of this browser tab, and remove it from the address bar. */
export const takeToken = () => {
  const found = IN_LINK.exec(location.hash);
  if (!found) return sessionStorage.getItem(KEY);
  keepToken(found[1]);
  history.replaceState(null, "", location.pathname + location.hash.replace(found[0], ""));
  return found[1];
};

/** @param {string} token */
export const keepToken = (token) => {
  if (sessionStorage.getItem(KEY) !== token) sessionStorage.removeItem(SINCE);
  sessionStorage.setItem(KEY, token);
};

export const forgetToken = () => sessionStorage.removeItem(KEY);

/**
 * Find the token in what a person pastes: a link or the token itself.
 * @param {string} text
 */
export const tokenIn = (text) => IN_LINK.exec(text)?.[1] ?? text.trim();

/** Return the id of the event before the oldest run that went on when this page was left, if there was one. */
export const savedSince = () => {
  const saved = sessionStorage.getItem(SINCE);
  return saved === null ? undefined : Number(saved);
};

/** @param {number | undefined} eventId */
export const saveSince = (eventId) =>
  eventId === undefined ? sessionStorage.removeItem(SINCE) : sessionStorage.setItem(SINCE, String(eventId));
