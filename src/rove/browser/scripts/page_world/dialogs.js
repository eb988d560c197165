// The kind of a dialog and the default of a prompt, which WebDriver does not tell. They are written ahead of the message
// in characters that are not drawn.

const FIRST_MARK = 0xfe00; // the variation selectors, of which there are sixteen
const DIALOG_KINDS = ["alert", "confirm", "prompt"];
const MAX_DEFAULT = 500;

/** @param {string} text */
const hiddenText = (text) => {
  let marks = "";
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    for (const shift of [12, 8, 4, 0]) marks += String.fromCharCode(FIRST_MARK + ((unit >> shift) & 15));
  }
  return marks;
};

/** @param {string} kind @param {string} text */
const markOf = (kind, text) => hiddenText(`${NONCE}${DIALOG_KINDS.indexOf(kind)}${text.slice(0, MAX_DEFAULT)}`);

export const announceDialogs = () => {
  for (const kind of DIALOG_KINDS) {
    /** @type {any} */ (globalThis)[kind] = new Proxy(/** @type {any} */ (globalThis)[kind], {
      apply(target, self, given) {
        const message = given.length ? `${given[0]}` : "";
        const preset = kind === "prompt" && given[1] !== undefined ? `${given[1]}` : "";
        return Reflect.apply(target, self, [`${markOf(kind, preset)}\u2060${message}`, ...given.slice(1)]);
      },
    });
  }
};
