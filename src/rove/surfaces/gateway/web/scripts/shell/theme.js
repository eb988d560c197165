// Preferences of this browser: colours, and whether single keys do things.

const THEME = "rove.theme";
const KEYS = "rove.keys";
const THEMES = /** @type {const} */ (["auto", "light", "dark"]);

/** @typedef {(typeof THEMES)[number]} Theme */

/** @returns {Theme} */
export const theme = () => THEMES.find((name) => name === localStorage.getItem(THEME)) ?? "auto";

export const applyTheme = () => {
  document.documentElement.dataset.theme = theme();
};

/** @param {Theme} name */
export const setTheme = (name) => {
  localStorage.setItem(THEME, name);
  applyTheme();
};

/** Switch to the next of auto, light and dark. */
export const nextTheme = () => setTheme(THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length]);

export const hasSingleKeys = () => localStorage.getItem(KEYS) !== "off";

/** @param {boolean} isOn */
export const setSingleKeys = (isOn) => localStorage.setItem(KEYS, isOn ? "on" : "off");
