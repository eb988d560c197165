// What the views share: a custom element that listens only while it is in the page.

/** A part of the page. `start` runs when it enters the page; what it listens to ends when it leaves. */
export class View extends HTMLElement {
  #leaving = new AbortController();

  connectedCallback() {
    this.#leaving = new AbortController();
    this.start();
  }

  disconnectedCallback() {
    this.#leaving.abort();
    this.end();
  }

  start() {}

  end() {}

  /** Fires when this element leaves the page. */
  get leaving() {
    return this.#leaving.signal;
  }

  /**
   * @param {EventTarget} source
   * @param {string} types separated by spaces
   * @param {(event: any) => void} listener
   */
  listen(source, types, listener) {
    for (const type of types.split(" ")) source.addEventListener(type, listener, { signal: this.leaving });
  }

  /**
   * Repeat while this element is in the page.
   * @param {number} milliseconds
   * @param {() => void} act
   */
  every(milliseconds, act) {
    const timer = setInterval(act, milliseconds);
    this.leaving.addEventListener("abort", () => clearInterval(timer));
  }
}
