// Names of the events between the main world and the isolated world. NONCE is a random number, so that no page
// can listen for them.

export const INTERNALS_QUESTION = `asked-by-${NONCE}`;
export const INTERNALS_ANSWER = `told-by-${NONCE}`;
export const LISTENER_FOUND = `listener-found-by-${NONCE}`;
export const LISTENER_QUESTION = `ask-${LISTENER_FOUND}`;
export const LISTENING_QUESTION = `listening-asked-by-${NONCE}`;
export const CLIPBOARD_WRITE = `copied-by-${NONCE}`;
export const WORK_QUESTION = `work-asked-by-${NONCE}`;
export const WORK_ANSWER = `work-told-by-${NONCE}`;
