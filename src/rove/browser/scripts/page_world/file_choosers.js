// File choosers: WebDriver cannot answer the one that the browser would open, so that none opens and the driver is told.

import { refNumber } from "../dom/refs.js";
import { reportQueue } from "./report_queue.js";

/** @param {HTMLInputElement} input */
const reportChooser = (input) => reportQueue.add(["chooser", `e${refNumber(input)}`]);

/** @param {any} target @returns {target is HTMLInputElement} */
const isChooserInput = (target) => target instanceof HTMLInputElement && target.type === "file" && !target.disabled;

/** @param {Event} event */
const onPress = (event) => {
  const [target] = event.composedPath();
  if (!isChooserInput(target)) return;
  event.preventDefault();
  reportChooser(target);
};

export const interceptChoosers = () => {
  addEventListener("click", onPress, { capture: true });
  for (const name of /** @type {const} */ (["click", "showPicker"])) {
    const prototype = name === "click" ? HTMLElement.prototype : HTMLInputElement.prototype;
    /** @type {any} */ (prototype)[name] = new Proxy(/** @type {any} */ (prototype)[name], {
      apply(target, self, given) {
        const isLost = isChooserInput(self) && (name === "showPicker" || !self.isConnected);
        if (!isLost) return Reflect.apply(target, self, given);
        reportChooser(self);
      },
    });
  }
};
