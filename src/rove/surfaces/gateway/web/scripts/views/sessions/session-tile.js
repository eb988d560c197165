// One session on the wall: its page live, who drives it, and where it is.

import { element, fill } from "../../dom/element.js";
import { View } from "../../dom/view.js";
import { LivePicture } from "../../live/live-picture.js";
import { linkTo } from "../../shell/router.js";
import { driverChip, handoffOf } from "./driver.js";
import { opener, sessionTitle } from "./session-title.js";

/** @import { SessionFacts } from "../../client/wire.js" */

export class SessionTile extends View {
  #caption = element("div", { class: "tile-caption" });
  #picture = element("div", { class: "tile-picture" });
  #sessionKey;

  /** @param {string} sessionKey */
  constructor(sessionKey) {
    super();
    this.#sessionKey = sessionKey;
  }

  start() {
    const link = element(
      "a",
      { class: "tile", href: linkTo("sessions", this.#sessionKey) },
      this.#picture,
      this.#caption,
    );
    fill(this, link);
    this.#watchWhileVisible();
  }

  /** @param {SessionFacts} session */
  show(session) {
    fill(
      this.#caption,
      element(
        "div",
        { class: "row" },
        element("strong", { class: "grow" }, sessionTitle(session.sessionKey)),
        opener(session),
        driverChip(session),
      ),
      element("span", { class: "page-text" }, session.title || (session.url ? "" : "No page yet")),
      element("span", { class: "address" }, session.url ?? ""),
    );
    this.toggleAttribute("data-waiting", Boolean(handoffOf(session.sessionKey)));
  }

  /** Only tiles that are on the screen cost frames. */
  #watchWhileVisible() {
    const observer = new IntersectionObserver(([{ isIntersecting }]) => this.#watch(isIntersecting));
    observer.observe(this.#picture);
    this.leaving.addEventListener("abort", () => observer.disconnect());
  }

  /** @param {boolean} isVisible */
  #watch(isVisible) {
    if (!isVisible) fill(this.#picture);
    else if (!this.#picture.firstChild) fill(this.#picture, new LivePicture(this.#sessionKey));
  }
}

customElements.define("rove-session-tile", SessionTile);
