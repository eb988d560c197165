// Texts as YAML: in quotes where they would mean something else without.

const YAML_WORDS = new Set(["y", "n", "yes", "no", "true", "false", "on", "off", "null"]);
const YAML_SYNTAX = [
  /^\s|\s$/,
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/,
  /^-/,
  /[\n:](?:\s|$)/,
  /\s#/,
  /[\n\r]/,
  /^[&*\],?!>|@"'#%[]/,
  /[{}`]/,
];

/** @param {string} text */
const needsQuotes = (text) =>
  text === "" ||
  YAML_SYNTAX.some((syntax) => syntax.test(text)) ||
  !Number.isNaN(Number(text)) ||
  YAML_WORDS.has(text.toLowerCase());

/** @param {string} text */
export const yamlKey = (text) => (needsQuotes(text) ? `'${text.replaceAll("'", "''")}'` : text);

/** @type {Record<string, string>} */
const YAML_ESCAPES = { "\\": "\\\\", '"': '\\"', "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** @param {string} character */
const escaped = (character) => YAML_ESCAPES[character] || `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;

/** @param {string} text */
export const yamlValue = (text) =>
  needsQuotes(text) ? `"${text.replace(/[\\"\u0000-\u001f\u007f-\u009f]/g, escaped)}"` : text;
