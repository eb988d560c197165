// Icons, drawn with lines in the colour of the text beside them.

import { svgElement } from "./element.js";

const PATHS = {
  inbox: "M3 13h5l1.5 3h5L16 13h5M5 5h14l2 8v6H3v-6z",
  sessions: "M3 5h8v6H3zM13 5h8v6h-8zM3 13h8v6H3zM13 13h8v6h-8z",
  chat: "M4 5h16v11H10l-5 4v-4H4z",
  timeline: "M4 6h16M4 12h10M4 18h13M18 10v4M20 16v4",
  tools: "M14 7a4 4 0 0 1 5-4l-2.5 3 1.5 1.5L21 5a4 4 0 0 1-5 5l-8.5 9a2 2 0 0 1-3-3L14 8z",
  guard: "M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6z",
  settings: "M4 7h9M17 7h3M4 12h3M11 12h9M4 17h9M17 17h3M15 5v4M9 10v4M15 15v4",
  cluster: "M9 3h6v5H9zM3 16h6v5H3zM15 16h6v5h-6zM12 8v4M6 16v-4h12v4",
  pause: "M8 5v14M16 5v14",
  play: "M7 5l12 7-12 7z",
  step: "M5 5l9 7-9 7zM18 5v14",
  stop: "M6 6h12v12H6z",
  hand: "M5 3l6 16 2.5-6.5L20 10z",
  check: "M4 12l5 5L20 6",
  cross: "M6 6l12 12M18 6L6 18",
  close: "M6 6l12 12M18 6L6 18",
  clock: "M12 3a9 9 0 1 0 .01 0M12 7v5l3 2",
  plus: "M12 5v14M5 12h14",
  send: "M4 12l16-8-6 16-3-7z",
  sun: "M12 8a4 4 0 1 0 .01 0M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  moon: "M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10z",
  auto: "M12 3a9 9 0 1 0 .01 0zM12 3v18",
  keyboard: "M3 7h18v10H3zM7 10.5h.01M11 10.5h.01M15 10.5h.01M8 14h8",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  link: "M10 14l4-4M8 11l-2 2a3.5 3.5 0 0 0 5 5l2-2M16 13l2-2a3.5 3.5 0 0 0-5-5l-2 2",
  refresh: "M20 11a8 8 0 1 0-1 5M20 5v6h-6",
  eye: "M2 12c4-7 16-7 20 0-4 7-16 7-20 0M12 9.5a2.5 2.5 0 1 0 .01 0",
  alert: "M12 4l9 16H3zM12 10v4M12 17h.01",
  back: "M15 5l-7 7 7 7",
  person: "M12 4a4 4 0 1 0 .01 0M4 20c1-7 15-7 16 0",
  compass: "M12 3a9 9 0 1 0 .01 0M16 8l-2.5 5.5L8 16l2.5-5.5z",
};

/** @typedef {keyof typeof PATHS} IconName */

/**
 * Make an icon, which screen readers pass over: the text or name of its control says what it means.
 * @param {IconName} name
 */
export const icon = (name) =>
  svgElement(
    "svg",
    { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
    svgElement("path", { d: PATHS[name] }),
  );
