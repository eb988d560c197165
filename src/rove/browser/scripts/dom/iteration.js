// Lists of the DOM are iterated with the iterators of this world. Firefox gives a sandbox those of the page, which it
// refuses to use there.

const LISTS = [
  "CSSRuleList",
  "DOMRectList",
  "DOMStringList",
  "DOMTokenList",
  "DataTransferItemList",
  "FileList",
  "HTMLCollection",
  "HTMLFormElement",
  "HTMLOptionsCollection",
  "HTMLSelectElement",
  "MediaList",
  "NamedNodeMap",
  "NodeList",
  "RadioNodeList",
  "StyleSheetList",
];

const SETS = ["CustomStateSet", "FontFaceSet", "Highlight"];
const MAPS = ["HighlightRegistry"];

/** @param {string[]} names @param {() => Iterator<any>} iterate */
const iterateWith = (names, iterate) => {
  for (const name of names) {
    const kind = /** @type {any} */ (globalThis)[name];
    const iterator = { value: iterate, configurable: true, writable: true };
    if (kind) Object.defineProperty(kind.prototype, Symbol.iterator, iterator);
  }
};

export const useOwnIterators = () => {
  iterateWith(LISTS, Array.prototype[Symbol.iterator]);
  iterateWith(
    SETS,
    /** @this {any} */ function () {
      /** @type {any[]} */
      const values = [];
      this.forEach((/** @type {any} */ value) => {
        values.push(value);
      });
      return values[Symbol.iterator]();
    },
  );
  iterateWith(
    MAPS,
    /** @this {any} */ function () {
      /** @type {any[]} */
      const entries = [];
      this.forEach((/** @type {any} */ value, /** @type {any} */ key) => {
        entries.push([key, value]);
      });
      return entries[Symbol.iterator]();
    },
  );
};
