// The picture of a page as it changes. Each frame is acknowledged when it is drawn, so a slow client gets fewer frames.

import { RequestFailed } from "../client/connection.js";
import { gateway } from "../client/gateway.js";
import { element, fill } from "../dom/element.js";
import { bytesOf } from "../dom/pictures.js";
import { duration, secondsSince } from "../dom/time.js";
import { View } from "../dom/view.js";

/** @import { Frame } from "../client/wire.js" */
/** @typedef {{ maxWidth: number, quality: number, pause: number }} LiveOptions */

/** For a small picture on the wall: at most two frames a second. */
const SMALL = { maxWidth: 480, quality: 50, pause: 500 };
/** For one session: as many frames as come. */
export const LARGE = { maxWidth: 1280, quality: 70, pause: 0 };

export class LivePicture extends View {
  canvas = element("canvas", { role: "img", "aria-label": "Live view of the page", width: 16, height: 9 });
  /** The last frame that was drawn. @type {Frame | undefined} */
  frame;
  #age = element("span", { class: "age" });
  #message = element("p", { class: "live-message" });
  #isOn = false;
  #sessionKey;
  #options;
  /** @type {string | undefined} */
  #tab;

  /**
   * @param {string} sessionKey
   * @param {LiveOptions} options
   */
  constructor(sessionKey, options = SMALL) {
    super();
    this.#sessionKey = sessionKey;
    this.#options = options;
  }

  start() {
    fill(this, this.canvas, this.#message, this.#age);
    this.listen(gateway, `frame:${this.#sessionKey}`, (event) => this.#draw(event.detail));
    this.listen(gateway, `stopped:${this.#sessionKey}`, (event) => this.#stopped(event.detail.reason));
    this.listen(gateway, "connection", () => this.#followConnection());
    this.listen(gateway, "sessions", () => this.#followPage());
    this.every(1000, () => this.#showAge());
    this.#begin();
  }

  end() {
    if (this.#isOn) gateway.request("live.stop", { sessionKey: this.#sessionKey }).catch(ignoreRefusal);
    this.#isOn = false;
  }

  /** @param {string | undefined} tab */
  watchTab(tab) {
    if (tab === this.#tab) return;
    this.#tab = tab;
    this.#begin();
  }

  async #begin() {
    if (!this.#hasPage()) return this.#say("No page is open yet.");
    const { maxWidth, quality } = this.#options;
    this.#isOn = true;
    try {
      await gateway.request("live.start", { sessionKey: this.#sessionKey, tab: this.#tab, maxWidth, quality });
    } catch (error) {
      this.#isOn = false;
      if (!(error instanceof RequestFailed)) throw error;
      this.#say(error.message);
    }
  }

  #hasPage() {
    return Boolean(gateway.sessions.get(this.#sessionKey)?.tabs?.length);
  }

  #followConnection() {
    if (gateway.connection.state === "open") this.#begin();
    else this.#isOn = false;
  }

  #followPage() {
    if (!this.#isOn && gateway.connection.state === "open" && this.#hasPage()) this.#begin();
  }

  /** @param {string} reason */
  #stopped(reason) {
    this.#isOn = false;
    this.#say(reason || "The live view has ended.");
  }

  /** @param {Frame} frame */
  async #draw(frame) {
    const bitmap = await createImageBitmap(new Blob([bytesOf(frame.data)], { type: frame.mimeType }));
    Object.assign(this.canvas, { width: bitmap.width, height: bitmap.height });
    this.canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
    bitmap.close();
    this.frame = frame;
    this.#say("");
    this.#showAge();
    this.dispatchEvent(new CustomEvent("frame", { detail: frame }));
    setTimeout(() => this.#acknowledge(frame), this.#options.pause);
  }

  /** @param {Frame} frame */
  #acknowledge(frame) {
    if (!this.#isOn) return;
    gateway.request("live.ack", { sessionKey: this.#sessionKey, frameId: frame.frameId }).catch(ignoreRefusal);
  }

  /** @param {string} text */
  #say(text) {
    this.#message.textContent = text;
    this.toggleAttribute("data-blank", text !== "");
  }

  #showAge() {
    if (this.frame) this.#age.textContent = `${duration(secondsSince(this.frame.at))} ago`;
  }
}

/**
 * The view may have ended meanwhile, by itself or with the connection.
 * @param {unknown} error
 */
const ignoreRefusal = (error) => {
  if (!(error instanceof RequestFailed)) throw error;
};

customElements.define("rove-live-picture", LivePicture);
