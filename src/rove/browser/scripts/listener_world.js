// The entry of the script that remembers listeners in the page's main world, for browsers that do not tell of them.

import { recordListeners } from "./main_world/recorded_listeners.js";

recordListeners();
