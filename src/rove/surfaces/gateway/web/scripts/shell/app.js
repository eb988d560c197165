// The page: the rail, the view that the address names, and what is said about the connection.

import { gateway } from "../client/gateway.js";
import { button } from "../dom/button.js";
import { element, fill } from "../dom/element.js";
import { icon } from "../dom/icons.js";
import { announce } from "../dom/notices.js";
import { View } from "../dom/view.js";
import { ConnectionBanner } from "./connection-banner.js";
import { showKeys } from "./keys.js";
import { currentPlace, linkTo } from "./router.js";
import { SignIn } from "./sign-in.js";
import { nextTheme, theme } from "./theme.js";
import { shownViews, VIEWS } from "./views.js";

/** @import { IconName } from "../dom/icons.js" */
/** @import { Place } from "./router.js" */
/** @import { RailView } from "./views.js" */

/** Views by the name in the address; several names may lead to one item of the rail. */
const TAGS = /** @type {Record<string, { tag: string, rail: string, title: string }>} */ ({
  approvals: { tag: "rove-inbox", rail: "inbox", title: "Inbox" },
  ...Object.fromEntries(VIEWS.map(({ name, title }) => [name, { tag: `rove-${name}`, rail: name, title }])),
});

/** @type {Record<string, IconName>} */
const THEME_ICONS = { auto: "auto", light: "sun", dark: "moon" };

export class App extends View {
  #main = element("main", { id: "main", tabindex: "-1" });
  #rail = element("nav", { class: "rail", "aria-label": "Views" });
  #known = new Set(gateway.approvals.keys());
  #shown = "";

  start() {
    const skip = element("a", { class: "skip-link", href: "#main", onclick: this.#skip }, "Skip to the content");
    fill(this, skip, this.#rail, new ConnectionBanner(), this.#main);
    this.#showRail();
    this.listen(window, "hashchange", () => this.#showPlace());
    this.listen(gateway, "approvals handoffs", () => this.#countApprovals());
    this.listen(gateway, "connection", () => this.#showConnected());
    this.#showPlace();
    this.#countApprovals();
  }

  /** Which views there are is known once the gateway has answered. */
  #showConnected() {
    if (this.#rail.querySelectorAll("li").length !== shownViews().length) {
      this.#showRail();
      this.#countApprovals();
    }
    this.#showPlace();
  }

  /** @param {Event} event */
  #skip = (event) => {
    event.preventDefault();
    this.#main.focus();
  };

  #showPlace() {
    const place = currentPlace();
    const { tag, rail, title } = TAGS[place.name] ?? TAGS.inbox;
    const isIn = gateway.isReady && !["refused", "failed"].includes(gateway.connection.state);
    this.#markRail(rail);
    this.#showTitle(title);
    const shown = isIn ? `${location.hash} ${gateway.scopes.join()}` : gateway.connection.state;
    if (shown === this.#shown) return;
    this.#shown = shown;
    fill(this.#main, isIn ? makeView(tag, place) : new SignIn());
    this.#main.scrollTop = 0;
  }

  #showRail() {
    fill(
      this.#rail,
      element(
        "a",
        { class: "brand", href: linkTo("inbox"), "aria-label": "rove" },
        icon("compass"),
        element("span", {}, "rove"),
      ),
      element(
        "ul",
        {},
        shownViews().map((view) => element("li", {}, railLink(view))),
      ),
      element(
        "div",
        { class: "rail-foot" },
        this.#themeButton(),
        button("", showKeys, { icon: "keyboard", kind: "quiet", label: "Keys" }),
      ),
    );
  }

  #themeButton() {
    const change = () => {
      nextTheme();
      made.replaceWith(this.#themeButton());
      this.#rail.querySelector("button")?.focus();
    };
    const made = button("", change, { icon: THEME_ICONS[theme()], kind: "quiet", label: `Colours: ${theme()}` });
    return made;
  }

  /** @param {string} name */
  #markRail(name) {
    for (const link of this.#rail.querySelectorAll("li a"))
      if (link.getAttribute("data-view") === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
  }

  /** @param {string} title */
  #showTitle(title) {
    const waiting = gateway.approvals.size + gateway.handoffs.size;
    document.title = `${waiting ? `(${waiting}) ` : ""}${title} · rove`;
  }

  #countApprovals() {
    const waiting = gateway.approvals.size + gateway.handoffs.size;
    const badge = this.#rail.querySelector("[data-view=inbox] .badge");
    if (badge)
      fill(
        badge,
        waiting ? element("span", {}, waiting) : null,
        waiting ? element("span", { class: "visually-hidden" }, " waiting") : null,
      );
    this.#showTitle((TAGS[currentPlace().name] ?? TAGS.inbox).title);
    for (const [id, { summary }] of gateway.approvals)
      if (!this.#known.has(id)) announce(`Approval needed: ${summary}`);
    this.#known = new Set(gateway.approvals.keys());
  }
}

/** @param {RailView} view */
const railLink = (view) =>
  element(
    "a",
    { href: linkTo(view.name), "data-view": view.name },
    icon(view.icon),
    element("span", { class: "rail-title" }, view.title),
    element("span", { class: "badge" }),
  );

/**
 * @param {string} tag
 * @param {Place} place
 */
const makeView = (tag, place) => {
  const view = /** @type {HTMLElement & { place?: Place }} */ (document.createElement(tag));
  view.place = place;
  return view;
};

customElements.define("rove-app", App);
