// Cleaning and quoting of page text: invisible characters are removed and counted, and quotes cannot be escaped from.

export let strippedCharacters = 0;

// Zero-width characters, bidi controls, soft hyphens, tags, variation selectors, fillers and others that show nothing.
const INVISIBLE =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each character counts by itself
  /[\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}]+/gu;

const CONTROL = /[\u0000-\u0008\u000B\u000E-\u001F\u007F-\u009F]+/g;

const PLAIN =
  /^[\n\t\x20-\x7E\u00A1-\u00AC\u00AE-\u024F\u0370-\u05FF\u3040-\u30FF\u4E00-\u9FFF\u2010-\u2015\u2018-\u2026\u20A0-\u20BF]*$/;

// Emoji of several characters: pictures that joiners make one, keycaps, and the three flags made of tags.
const PICTURE = "\\p{Extended_Pictographic}\\p{EMod}?\\uFE0F?";
const EMOJI =
  "\\u{1F3F4}\\u{E0067}\\u{E0062}(?:\\u{E0065}\\u{E006E}\\u{E0067}|\\u{E0073}\\u{E0063}\\u{E0074}|\\u{E0077}\\u{E006C}\\u{E0073})\\u{E007F}" +
  `|${PICTURE}(?:\\u200D${PICTURE})*|[#*0-9]\\uFE0F\\u20E3`;

// Joiners change letters that join: in scripts like Arabic between two letters, in Indic scripts beside a virama.
const CURSIVE = "[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Nko}\\p{Script=Mongolian}]";
const VIRAMA = "[\\u094D\\u09CD\\u0A4D\\u0ACD\\u0B4D\\u0BCD\\u0C4D\\u0CCD\\u0D4D\\u0DCA\\u1039\\u103A\\u17D2]";
const JOINER =
  `(?<=${CURSIVE}\\p{M}*)\\u200C(?=${CURSIVE})|(?<=${CURSIVE}\\p{M}*)\\u200D(?![\\u200B-\\u200F])|` +
  `(?<=${VIRAMA})[\\u200C\\u200D](?![\\u200B-\\u200F])|(?<=\\p{L})\\u200D(?=${VIRAMA})`;

const VISIBLE_OR_NOT = new RegExp(`(${EMOJI}|${JOINER})|(?:${INVISIBLE.source})`, "gu");

export const resetStrippedCharacters = () => {
  strippedCharacters = 0;
};

/** @param {string} match */
const countAndDrop = (match) => {
  strippedCharacters += [...match].length;
  return "";
};

/** @param {string} text */
export const clean = (text) => {
  if (PLAIN.test(text)) return text;
  let result = text.isWellFormed() ? text : text.toWellFormed();
  result = result.replace(CONTROL, countAndDrop);
  if (INVISIBLE.test(result)) {
    INVISIBLE.lastIndex = 0;
    result = result.replace(VISIBLE_OR_NOT, (match, kept) => kept ?? countAndDrop(match));
  }
  return result.replace(/[\u2028\u2029\u0085]/g, "\n").replace(/\u00A0/g, " ");
};

/** @param {string} text */
export const collapse = (text) => text.replace(/[ \t\n\r\f]+/g, " ");
/** @param {string} text */
export const squash = (text) => text.replace(/\s+/g, " ").trim();

export const MAX_NAME = 800;
export const MAX_TEXT = 2000;

// In a document that holds a secret, text is not cut within a word: the beginning of a secret is too short for the driver
// to recognise.
let keepsWords = false;
export const keepWords = () => {
  keepsWords = true;
};

/** @param {string} text @param {number} limit */
export const clip = (text, limit) => {
  if (text.length <= limit) return text;
  let end = limit;
  while (keepsWords && end > 0 && /\S/.test(text[end - 1])) end -= 1;
  const last = text.charCodeAt(end - 1);
  if (last >= 0xd800 && last < 0xdc00) end -= 1;
  return text.slice(0, end);
};

/** @type {Record<string, string>} */
const ESCAPES = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "", "\t": "\\t", "\f": " " };
/** @param {string} text */
export const escapeQuoted = (text) =>
  /["\\\n\r\t\f]/.test(text) ? text.replace(/["\\\n\r\t\f]/g, (c) => ESCAPES[c]) : text;

/** @param {number} count */
export const thousands = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

// The note about cut text stands outside the quotes, where a page cannot write.
/** @param {string} text @param {number} [limit] */
export const quote = (text, limit = MAX_NAME) => {
  const cleaned = clean(text.length > limit * 4 ? clip(text, limit * 4) : text);
  const kept = clip(cleaned, limit);
  const missing = text.length - kept.length;
  return (
    '"' +
    escapeQuoted(kept) +
    '"' +
    (missing > 8 && kept.length < cleaned.length ? `(+${thousands(missing)} chars)` : "")
  );
};

// For places without quotes (URLs): keeps only characters that can neither end a token nor look like a ref.
/** @param {string} text @param {number} [limit] */
export const bareWord = (text, limit = 160) =>
  clip(
    clean(text).replace(
      /[\s"[\]\\<>`{}|^()]/g,
      (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0"),
    ),
    limit,
  );

/** @param {unknown} error */
export const messageOf = (error) => (error instanceof Error ? error.message : String(error));

/** @param {string} text */
export const letterCount = (text) => text.replace(/\s/g, "").length;
