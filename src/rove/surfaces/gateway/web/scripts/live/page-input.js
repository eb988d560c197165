// A person's mouse, wheel, keyboard, touch and paste on the live view, sent to the page in its own coordinates.

import { gateway } from "../client/gateway.js";
import { attempt } from "../dom/button.js";

/** @import { Facts } from "../client/wire.js" */
/** @import { LivePicture } from "./live-picture.js" */

// The gateway takes a limited number of requests a second from each client.
const MOVE_INTERVAL = 50;
const BUTTONS = ["left", "middle", "right"];

export class PageInput {
  isOn = false;
  /** @type {string | undefined} */
  tab;
  #key;
  #picture;
  /** Waits to be sent: only the newest move and the sum of the wheel count. @type {Map<string, Facts>} */
  #waiting = new Map();
  #timer = 0;

  /**
   * @param {string} key
   * @param {LivePicture} picture
   */
  constructor(key, picture) {
    this.#key = key;
    this.#picture = picture;
  }

  /** @param {AbortSignal} signal */
  listen(signal) {
    const { canvas } = this.#picture;
    canvas.tabIndex = 0;
    canvas.dataset.driving = "";
    /** @type {[string, (event: any) => void][]} */
    const listeners = [
      ["pointermove", (event) => this.#move(event)],
      ["pointerdown", (event) => this.#press(event)],
      ["pointerup pointercancel", (event) => this.#release(event)],
      ["wheel", (event) => this.#wheel(event)],
      ["keydown", (event) => this.#keyDown(event)],
      ["keyup", (event) => this.#keyUp(event)],
      ["paste", (event) => this.#paste(event)],
      ["contextmenu", (event) => this.isOn && event.preventDefault()],
    ];
    for (const [types, listener] of listeners)
      for (const type of types.split(" ")) canvas.addEventListener(type, listener, { signal, passive: false });
  }

  /** @param {string} text */
  paste(text) {
    if (text) this.#send({ type: "paste", text });
  }

  /** @param {PointerEvent} event */
  #move(event) {
    if (!this.isOn) return;
    const isTouch = event.pointerType === "touch";
    if (isTouch && !event.buttons) return;
    this.#wait("move", { type: isTouch ? "touchMove" : "mouseMove", ...this.#point(event), ...modifiers(event) });
  }

  /** @param {PointerEvent} event */
  #press(event) {
    if (!this.isOn) return;
    event.preventDefault();
    this.#picture.canvas.focus();
    this.#picture.canvas.setPointerCapture(event.pointerId);
    this.#pointer(event, event.pointerType === "touch" ? "touchStart" : "mouseDown");
  }

  /** @param {PointerEvent} event */
  #release(event) {
    if (!this.isOn) return;
    this.#pointer(event, event.pointerType === "touch" ? "touchEnd" : "mouseUp");
  }

  /**
   * @param {PointerEvent} event
   * @param {string} type
   */
  #pointer(event, type) {
    this.#sendWaiting();
    const pressed = type.startsWith("mouse")
      ? { button: BUTTONS[event.button] ?? "left", count: Math.max(1, event.detail) }
      : {};
    this.#send({ type, ...this.#point(event), ...pressed, ...modifiers(event) });
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    if (!this.isOn) return;
    event.preventDefault();
    const before = this.#waiting.get("wheel") ?? { deltaX: 0, deltaY: 0 };
    const sum = { deltaX: before.deltaX + event.deltaX, deltaY: before.deltaY + event.deltaY };
    this.#wait("wheel", { type: "wheel", ...this.#point(event), ...sum });
  }

  /** @param {KeyboardEvent} event */
  #keyDown(event) {
    if (!this.isOn) return;
    if (event.key === "Escape" && event.shiftKey) return this.#picture.canvas.blur();
    if (isPasteKey(event)) return;
    event.preventDefault();
    this.#sendWaiting();
    this.#send({ type: "keyDown", key: event.key, code: event.code, ...modifiers(event) });
  }

  /** @param {KeyboardEvent} event */
  #keyUp(event) {
    if (!this.isOn || isPasteKey(event)) return;
    event.preventDefault();
    this.#send({ type: "keyUp", key: event.key, code: event.code, ...modifiers(event) });
  }

  /** @param {ClipboardEvent} event */
  #paste(event) {
    if (!this.isOn) return;
    event.preventDefault();
    this.paste(event.clipboardData?.getData("text/plain") ?? "");
  }

  /**
   * Where on the page, in its CSS pixels.
   * @param {MouseEvent} event
   */
  #point(event) {
    const { canvas, frame } = this.#picture;
    const box = canvas.getBoundingClientRect();
    const width = frame?.width ?? canvas.width;
    const height = frame?.height ?? canvas.height;
    return {
      x: Math.round(((event.clientX - box.left) / box.width) * width),
      y: Math.round(((event.clientY - box.top) / box.height) * height),
    };
  }

  /**
   * @param {string} kind
   * @param {Facts} input
   */
  #wait(kind, input) {
    this.#waiting.set(kind, input);
    this.#timer ||= setTimeout(() => this.#sendWaiting(), MOVE_INTERVAL);
  }

  #sendWaiting() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    for (const input of this.#waiting.values()) this.#send(input);
    this.#waiting.clear();
  }

  /** @param {Facts} input */
  #send(input) {
    attempt(() => gateway.request("live.input", { sessionKey: this.#key, tab: this.tab, ...input }));
  }
}

/** The browser fires `paste` for this key only if it is left alone. @param {KeyboardEvent} event */
const isPasteKey = (event) => (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v";

/** @param {MouseEvent | KeyboardEvent} event */
const modifiers = (event) => {
  const held = { Alt: event.altKey, Control: event.ctrlKey, Meta: event.metaKey, Shift: event.shiftKey };
  const names = Object.entries(held).flatMap(([name, isHeld]) => (isHeld ? [name] : []));
  return names.length ? { modifiers: names } : {};
};
