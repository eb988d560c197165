// The views in the order of the rail.

import { gateway } from "../client/gateway.js";

/** @import { IconName } from "../dom/icons.js" */
/** @typedef {{ name: string, title: string, icon: IconName, isShown?: () => boolean }} RailView */

/** @type {RailView[]} */
export const VIEWS = [
  { name: "inbox", title: "Inbox", icon: "inbox" },
  { name: "sessions", title: "Sessions", icon: "sessions" },
  { name: "chat", title: "Chat", icon: "chat" },
  { name: "timeline", title: "Timeline", icon: "timeline" },
  { name: "tools", title: "Tools", icon: "tools" },
  { name: "guard", title: "Guard", icon: "guard" },
  { name: "settings", title: "Settings", icon: "settings" },
  { name: "cluster", title: "Cluster", icon: "cluster", isShown: () => gateway.hasCluster },
];

/** The views that this server has. */
export const shownViews = () => VIEWS.filter((view) => view.isShown?.() ?? true);
