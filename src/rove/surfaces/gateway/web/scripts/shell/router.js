// Which view is shown: it is named by the fragment of the address, so each has a link and the back button works.

/**
 * @typedef {object} Place
 * @property {string} name the name of the view
 * @property {string} [key] what it shows: a session or an approval
 * @property {string} [part] a part of it
 */

/** @returns {Place} */
export const currentPlace = () => {
  const [, name = "", key, part] = location.hash.split("?")[0].split("/");
  return { name: name || "inbox", key: key && decoded(key), part };
};

/**
 * What is no encoded text names nothing that there is, and is shown as it is.
 * @param {string} text
 */
const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * @param {string} name
 * @param {string} [key]
 * @param {string} [part]
 */
export const linkTo = (name, key, part) =>
  "#/" + [name, key && encodeURIComponent(key), part].filter(Boolean).join("/");

/** @param {string} link */
export const goTo = (link) => {
  location.hash = link;
};
