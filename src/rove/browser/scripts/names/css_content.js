// The CSS property `content`: its strings, quotes, counters and alternative text.

// Strings, quotation marks and functions. The URL of an image and the separator of a counter are quoted too, but are no text.
const CONTENT_PARTS =
  /"((?:[^"\\]|\\.)*)"|(?<!-)(?:open|close)-quote|[\w-]+\((?:[^()"]|"(?:[^"\\]|\\.)*"|\([^()]*\))*\)/g;

/** @param {string} text */
export const unescapeCss = (text) =>
  text.replace(/\\([0-9a-fA-F]{1,6} ?|.)/g, (_, code) =>
    /^[0-9a-fA-F]/.test(code) ? String.fromCodePoint(Math.min(parseInt(code, 16) || 0xfffd, 0x10ffff)) : code,
  );

// Computed `content` is a list of strings and images, optionally followed by "/" and alternative text. Names use the
// alternative text; a person sees the rest. `textOf` returns the text of a counter or a quotation mark.
/** @param {string} content @param {boolean} isSeen @param {(part: string) => string} textOf */
export const parseContent = (content, isSeen, textOf) => {
  const slash = /^((?:[^"/]|"(?:[^"\\]|\\.)*"|url\((?:[^")]|"(?:[^"\\]|\\.)*")*\))*)\/(.*)$/s.exec(content);
  let text = "";
  for (const [whole, words] of (slash ? slash[isSeen ? 1 : 2] : content).matchAll(CONTENT_PARTS))
    text += words === undefined ? textOf(whole) : unescapeCss(words);
  return text;
};

/** @param {string} content */
export const hasAlternative = (content) => /[")] \/ (?:"|counter)/.test(content);

/** @param {string} display */
export const isBlockish = (display) =>
  !/^(?:inline|contents|ruby)/.test(display) ||
  display === "inline-block" ||
  display === "inline-flex" ||
  display === "inline-grid" ||
  display === "inline-table";
