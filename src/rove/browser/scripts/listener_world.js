// The entry of what a page's main world needs besides in browsers that tell of no listeners and refuse no permission.

import { refuseClipboardReads } from "./main_world/clipboard_reads.js";
import { recordListeners } from "./main_world/recorded_listeners.js";

recordListeners();
refuseClipboardReads();
