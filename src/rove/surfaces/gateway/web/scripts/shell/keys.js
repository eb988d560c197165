// Keys that work everywhere in the page, and the dialog that lists them.

import { openDialog } from "../dom/dialog.js";
import { element } from "../dom/element.js";
import { goTo, linkTo } from "./router.js";
import { hasSingleKeys } from "./theme.js";
import { shownViews } from "./views.js";

/** @typedef {{ keys: string[], does: string }} KeyHelp */

/** @type {{ title: string, keys: KeyHelp[] }[]} */
const HELP = [
  {
    title: "Anywhere",
    keys: [
      { keys: ["?"], does: "List the keys" },
      { keys: ["1", "…", "7"], does: "Go to a view" },
      { keys: ["/"], does: "Search, or write a message" },
      { keys: ["Esc"], does: "Close a dialog" },
    ],
  },
  {
    title: "Approvals",
    keys: [
      { keys: ["j", "k"], does: "Next, previous request" },
      { keys: ["y"], does: "Approve once" },
      { keys: ["n"], does: "Deny" },
    ],
  },
  {
    title: "One session",
    keys: [
      { keys: ["t"], does: "Take over, or hand back" },
      { keys: ["p"], does: "Pause or resume the agent" },
      { keys: ["s"], does: "Let the paused agent do one step" },
      { keys: ["Shift", "Esc"], does: "While you drive: leave the live view" },
    ],
  },
  {
    title: "Timeline",
    keys: [
      { keys: ["j", "k"], does: "Next, previous step" },
      { keys: ["f"], does: "Next failure or denial" },
    ],
  },
  {
    title: "Chat",
    keys: [
      { keys: ["Enter"], does: "Send the message; Shift+Enter begins a new line" },
      { keys: ["Esc"], does: "Leave the message, so that y and n decide" },
    ],
  },
];

/** Listen for keys. A view gets those that are not for the whole page as an event `shortcut`. */
export const listenForKeys = () => document.addEventListener("keydown", readKey);

/** @param {KeyboardEvent} event */
const readKey = (event) => {
  if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!hasSingleKeys() || isTyping(event.target) || document.querySelector("dialog[open]")) return;
  const view = shownViews()[Number(event.key) - 1];
  if (event.key === "?") showKeys();
  else if (view) goTo(linkTo(view.name));
  else if (event.key === "/") focusSearch();
  else return passOn(event.key);
  event.preventDefault();
};

/** @param {EventTarget | null} target */
const isTyping = (target) =>
  target instanceof HTMLElement &&
  target.matches("input:not([type=checkbox], [type=radio]), textarea, select, [data-driving]");

const focusSearch = () => {
  const field = document.querySelector("main [data-search]");
  if (field instanceof HTMLElement) field.focus();
};

/** @param {string} key */
const passOn = (key) => document.dispatchEvent(new CustomEvent("shortcut", { detail: key }));

export const showKeys = () => openDialog("Keys", HELP.map(section));

/** @param {{ title: string, keys: KeyHelp[] }} part */
const section = ({ title, keys }) =>
  element(
    "section",
    { class: "key-help" },
    element("h3", {}, title),
    element(
      "dl",
      {},
      keys.flatMap(({ keys: names, does }) => [
        element(
          "dt",
          {},
          names.map((name) => element("kbd", {}, name)),
        ),
        element("dd", {}, does),
      ]),
    ),
  );
