// The views in the order of the rail.

/** @import { IconName } from "../dom/icons.js" */

/** @type {{ name: string, title: string, icon: IconName }[]} */
export const VIEWS = [
  { name: "inbox", title: "Inbox", icon: "inbox" },
  { name: "sessions", title: "Sessions", icon: "sessions" },
  { name: "chat", title: "Chat", icon: "chat" },
  { name: "timeline", title: "Timeline", icon: "timeline" },
  { name: "tools", title: "Tools", icon: "tools" },
  { name: "guard", title: "Guard", icon: "guard" },
  { name: "settings", title: "Settings", icon: "settings" },
];
