// Words that a style sheet puts before and after an element.

// Strings, quotes, and functions: an image's address and the joint of a counter are quoted too, but are not words.
const CONTENT_PARTS = /"((?:[^"\\]|\\.)*)"|open-quote|close-quote|[\w-]+\((?:[^()"]|"(?:[^"\\]|\\.)*"|\([^()]*\))*\)/g;
// Quotes differ by language; the curly ones are what most pages show.
const QUOTES = { "open-quote": "\u201C", "close-quote": "\u201D" };

const unescaped = (text) =>
  text.replace(/\\([0-9a-fA-F]{1,6} ?|.)/g, (whole, code) =>
    /^[0-9a-fA-F]/.test(code) ? String.fromCodePoint(Math.min(parseInt(code, 16) || 0xfffd, 0x10ffff)) : code,
  );

// Computed `content` is a list of strings and images, then optionally "/" and the text that stands for them.
// Names are made of what stands for them; a person sees the others. `counts` says what a counter says.
const parseContent = (content, isSeen = false, counts = () => "") => {
  const slash = /^((?:[^"\/]|"(?:[^"\\]|\\.)*"|url\((?:[^")]|"(?:[^"\\]|\\.)*")*\))*)\/(.*)$/s.exec(content);
  let text = "";
  for (const [whole, words] of (slash ? slash[isSeen ? 1 : 2] : content).matchAll(CONTENT_PARTS))
    text += words === undefined ? QUOTES[whole] || counts(whole) : unescaped(words);
  return text;
};

const hasAlternative = (content) => /["\)] \/ "/.test(content);

const isBlockish = (display) =>
  !/^(?:inline|contents|ruby)/.test(display) ||
  display === "inline-block" ||
  display === "inline-flex" ||
  display === "inline-grid" ||
  display === "inline-table";

const spaced = (text) => (text ? " " + text + " " : "");

const pseudoPart = (element, which, walk) => {
  if (!mayHavePseudo(element)) return "";
  const style = getComputedStyle(element, which);
  const content = style.content;
  if (!content || content === "none" || content === "normal" || style.display === "none") return "";
  if (style.visibility !== "visible" && !walk.revealed) return "";
  const text = parseContent(content, false, (call) => counterText(call, element, which));
  return isBlockish(style.display) || hasAlternative(content) ? spaced(text) : text;
};
