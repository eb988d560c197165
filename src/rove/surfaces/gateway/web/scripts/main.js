// Starts the page.

import { gateway } from "./client/gateway.js";
import { takeToken } from "./client/token.js";
import { mountNotices } from "./dom/notices.js";
import { App } from "./shell/app.js";
import { listenForKeys } from "./shell/keys.js";
import { applyTheme } from "./shell/theme.js";
import "./views/chat/chat.js";
import "./views/cluster/cluster.js";
import "./views/guard/guard.js";
import "./views/inbox/inbox.js";
import "./views/sessions/sessions.js";
import "./views/settings/settings.js";
import "./views/timeline/timeline.js";
import "./views/tools/tools.js";

applyTheme();
const token = takeToken();
document.body.replaceChildren(new App());
mountNotices();
listenForKeys();
if (token) gateway.open(token);
// A link with another token, opened in this tab.
addEventListener("hashchange", () => {
  if (!/[#?&]token=/.test(location.hash)) return;
  gateway.open(takeToken() ?? "");
});
