// The entry of rove's script in the page's own world, for engines without isolated worlds. The page could tamper with it
// if it knew of it, so that nothing on `window` shows it: each call asks for it by an event that only the driver can name.

import { driverCalls } from "./isolated_world.js";
import { reportTo } from "./page/reports.js";
import { announceDialogs } from "./page_world/dialogs.js";
import { noteDocument } from "./page_world/document_state.js";
import { interceptChoosers } from "./page_world/file_choosers.js";
import { recordMessages } from "./page_world/messages.js";
import { reportQueue } from "./page_world/report_queue.js";
import { recordRequests } from "./page_world/requests.js";
import { runCall } from "./page_world/running_calls.js";
import { treatAsFocused } from "./page_world/window_focus.js";

const pageWorldCalls = { ...driverCalls, runCall, nextReports: reportQueue.next, documentState: noteDocument() };

reportTo((binding, message) => reportQueue.add([binding, message]));
recordRequests();
recordMessages();
announceDialogs();
treatAsFocused();
interceptChoosers();
performance.addEventListener(`called-by-${NONCE}`, (event) => {
  /** @type {CustomEvent} */ (event).detail.rove = pageWorldCalls;
});
