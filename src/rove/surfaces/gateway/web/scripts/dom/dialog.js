// Modal dialogs: the browser keeps the focus inside and gives it back when they close.

import { element } from "./element.js";
import { icon } from "./icons.js";

let count = 0;

/**
 * @param {string} title
 * @param {Node[]} content
 * @param {string} [kind]
 */
export const openDialog = (title, content, kind = "") => {
  const id = `dialog-${++count}`;
  const dialog = element("dialog", { class: `dialog ${kind}`, "aria-labelledby": id });
  dialog.append(header(dialog, id, title), element("div", { class: "dialog-content", tabindex: "0" }, content));
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
};

/**
 * @param {HTMLDialogElement} dialog
 * @param {string} id
 * @param {string} title
 */
const header = (dialog, id, title) =>
  element(
    "header",
    {},
    element("h2", { id }, title),
    element(
      "button",
      { type: "button", class: "button quiet", "aria-label": "Close", onclick: () => dialog.close() },
      icon("close"),
    ),
  );

/**
 * Ask before something that cannot be undone.
 * @param {string} question
 * @param {string} yes
 * @param {() => void} act
 */
export const confirmFirst = (question, yes, act) => {
  const dialog = openDialog(question, []);
  const answer = () => {
    dialog.close();
    act();
  };
  dialog
    .querySelector(".dialog-content")
    ?.append(
      element(
        "div",
        { class: "row" },
        element("button", { type: "button", class: "button danger", onclick: answer }, yes),
        element("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Cancel"),
      ),
    );
};
