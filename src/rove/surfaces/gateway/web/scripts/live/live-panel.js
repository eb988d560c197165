// The live view of one session: a person who has taken over drives the page in it.

import { gateway } from "../client/gateway.js";
import { element, fill } from "../dom/element.js";
import { View } from "../dom/view.js";
import { isDrivenByPerson, isDrivenHere } from "../views/sessions/driver.js";
import { LARGE, LivePicture } from "./live-picture.js";
import { PageInput } from "./page-input.js";

/** @import { PageTab, SessionFacts } from "../client/wire.js" */

export class LivePanel extends View {
  #key;
  #picture;
  #input;
  #tabs = element("select", { "aria-label": "Tab of the session" });
  #hint = element("p", { class: "quiet-text" });
  #text = element("input", {
    placeholder: "Text for the page",
    "aria-label": "Text to type into the page",
    autocomplete: "off",
  });
  #typing = element("form", { class: "row", onsubmit: (/** @type {Event} */ event) => this.#typeText(event) });

  /** @param {string} key */
  constructor(key) {
    super();
    this.#key = key;
    this.#picture = new LivePicture(key, LARGE);
    this.#input = new PageInput(key, this.#picture);
  }

  start() {
    fill(this.#typing, this.#text, element("button", { class: "button" }, "Type"));
    fill(this, element("div", { class: "row live-tools" }, this.#tabs, this.#hint), this.#picture, this.#typing);
    this.#input.listen(this.leaving);
    this.#tabs.onchange = () => this.#watch(this.#tabs.value);
    this.listen(gateway, "sessions", () => this.#show());
    this.#show();
  }

  #show() {
    const session = gateway.sessions.get(this.#key);
    const isDriving = isDrivenHere(session) && gateway.can("approve", this.#key);
    this.#input.isOn = isDriving;
    this.toggleAttribute("data-driving", isDriving);
    this.#typing.hidden = !isDriving;
    this.#hint.textContent = hintFor(isDriving, session);
    this.#showTabs(session?.tabs ?? []);
  }

  /** @param {PageTab[]} tabs */
  #showTabs(tabs) {
    const chosen = this.#tabs.value;
    fill(
      this.#tabs,
      tabs.map((tab) => element("option", { value: tab.id }, `${tab.id} ${tab.title ?? tab.url ?? ""}`)),
    );
    if (tabs.some((tab) => tab.id === chosen)) this.#tabs.value = chosen;
    this.#tabs.hidden = tabs.length < 2;
  }

  /** @param {string} tab */
  #watch(tab) {
    this.#picture.watchTab(tab);
    this.#input.tab = tab;
  }

  /** @param {Event} event */
  #typeText(event) {
    event.preventDefault();
    this.#input.paste(this.#text.value);
    this.#text.value = "";
  }
}

/**
 * @param {boolean} isDriving
 * @param {SessionFacts} [session]
 */
const hintFor = (isDriving, session) => {
  if (isDriving) return "You drive: mouse, keys, touch and paste go to the page. Shift+Esc leaves the view.";
  if (isDrivenByPerson(session)) return `Watching. ${session?.driver?.name ?? "Another person"} drives.`;
  return "Watching. Take over to use the page yourself.";
};

customElements.define("rove-live-panel", LivePanel);
