// The controls of one session: take over, pause, step, stop; its chat, timeline and export.

import { gateway } from "../../client/gateway.js";
import { attempt, button } from "../../dom/button.js";
import { confirmFirst } from "../../dom/dialog.js";
import { element, fill } from "../../dom/element.js";
import { icon } from "../../dom/icons.js";
import { save } from "../../dom/pictures.js";
import { View } from "../../dom/view.js";
import { linkTo } from "../../shell/router.js";
import { isDrivenByPerson, isDrivenHere, takeOver } from "./driver.js";

/** The keys of the controls, by the id of each. */
const KEYS = /** @type {Record<string, string>} */ ({ t: "drive", p: "pause", s: "step" });

// Whoever acts in a session, or approves there, may hold its agent.
/** @type {import("../../client/wire.js").Scope[]} */
const HOLDING = ["act", "approve"];

export class SessionControls extends View {
  #key;

  /** @param {string} key */
  constructor(key) {
    super();
    this.#key = key;
  }

  start() {
    this.className = "row controls";
    this.listen(gateway, "sessions", () => this.#show());
    this.listen(document, "shortcut", (event) => this.#readKey(event.detail));
    this.#show();
  }

  get #session() {
    return gateway.sessions.get(this.#key);
  }

  #show() {
    const focused = this.contains(document.activeElement) && document.activeElement?.id;
    fill(this, this.#driving(), this.#holding(), element("span", { class: "grow" }), this.#leading());
    const again = focused && this.querySelector(`#${focused}`);
    if (again instanceof HTMLElement) again.focus();
  }

  #driving() {
    const options = /** @type {const} */ ({
      id: "drive",
      icon: "hand",
      kind: "primary",
      key: "t",
      scope: "approve",
      session: this.#key,
    });
    const session = this.#session;
    if (isDrivenHere(session)) return [button("Hand back", () => this.#ask("live.release"), options)];
    const take = button("Take over", () => takeOver(this.#key), options);
    if (!isDrivenByPerson(session) || !gateway.can("own")) return [take];
    const end = button(`End ${session?.driver?.name}’s turn`, () => this.#ask("live.release"), {
      id: "end",
      scope: "own",
    });
    return [take, end];
  }

  #holding() {
    const session = this.#key;
    const pause = this.#session?.driver?.isPaused
      ? button("Resume", () => this.#ask("session.resume"), {
          id: "pause",
          icon: "play",
          key: "p",
          scope: "approve",
          session,
        })
      : button("Pause", () => this.#ask("session.pause"), {
          id: "pause",
          icon: "pause",
          key: "p",
          scope: HOLDING,
          session,
        });
    const step = button("Step", () => this.#ask("session.step"), {
      id: "step",
      icon: "step",
      key: "s",
      scope: "approve",
      session,
    });
    const stop = button("Stop", () => this.#ask("session.stop"), {
      id: "stop",
      icon: "stop",
      kind: "danger",
      scope: HOLDING,
      session,
    });
    return [pause, step, stop];
  }

  #leading() {
    return [
      element("a", { id: "to-chat", class: "button", href: linkTo("chat", this.#key) }, icon("chat"), "Chat"),
      element(
        "a",
        { id: "to-timeline", class: "button", href: linkTo("timeline", this.#key) },
        icon("timeline"),
        "Timeline",
      ),
      button("Export", () => this.#export(), { id: "export", icon: "download" }),
      button("Close", () => this.#close(), { id: "close", icon: "close", scope: "act", session: this.#key }),
    ];
  }

  /** @param {string} method */
  #ask(method) {
    return gateway.request(method, { sessionKey: this.#key });
  }

  async #export() {
    const { html } = await this.#ask("session.export");
    save(`rove-${this.#key}.html`, html, "text/html");
  }

  #close() {
    const question = "Close this session? Its pages, cookies and storage are gone; its record stays.";
    confirmFirst(question, "Close it", () => attempt(() => this.#ask("sessions.close")));
  }

  /** @param {string} key */
  #readKey(key) {
    const control = KEYS[key] && this.querySelector(`#${KEYS[key]}`);
    if (control instanceof HTMLElement) control.click();
  }
}

customElements.define("rove-session-controls", SessionControls);
