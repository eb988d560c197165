// The entry of the script that runs in the page's main world, ahead of the page's own scripts.

import { takeClipboardWrites } from "./main_world/clipboard_writes.js";
import { refusePasskeys } from "./main_world/credentials.js";
import { reportElementInternals } from "./main_world/element_internals.js";
import { recordScheduledWork } from "./main_world/scheduled_work.js";

refusePasskeys();
takeClipboardWrites();
reportElementInternals();
recordScheduledWork();
