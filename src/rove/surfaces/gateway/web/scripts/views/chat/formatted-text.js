// The text of a model: paragraphs, lists, code and emphasis in Markdown. Links stay text: a page may have named them.

import { element } from "../../dom/element.js";

const FENCE = /^```/;
const ITEM = /^\s*(?:[-*]|\d+[.)])\s+/;
const HEADING = /^#{1,6}\s+/;
// `code`, **strong**, or anything else.
const SPANS = /`([^`\n]+)`|\*\*([^*\n]+)\*\*/g;

/** @param {string} text */
export const formattedText = (text) => element("div", { class: "message-text" }, blocks(text.split("\n")));

/**
 * @param {string[]} lines
 * @returns {Node[]}
 */
const blocks = (lines) => {
  const made = [];
  while (lines.length) {
    const block = takeBlock(lines);
    if (block) made.push(block);
  }
  return made;
};

/**
 * Take the lines of the first block from the list.
 * @param {string[]} lines
 */
const takeBlock = (lines) => {
  if (FENCE.test(lines[0])) return takeCode(lines);
  if (ITEM.test(lines[0])) return takeList(lines);
  if (HEADING.test(lines[0])) return element("p", {}, element("strong", {}, takeLine(lines).replace(HEADING, "")));
  const paragraph = takeWhile(lines, (line) => line.trim() !== "" && !FENCE.test(line) && !ITEM.test(line));
  if (!paragraph.length) takeLine(lines);
  return paragraph.length ? element("p", {}, spans(paragraph.join("\n"))) : null;
};

/** @param {string[]} lines */
const takeLine = (lines) => lines.shift() ?? "";

/**
 * @param {string[]} lines
 * @param {(line: string) => boolean} isPart
 */
const takeWhile = (lines, isPart) => {
  const end = lines.findIndex((line) => !isPart(line));
  return lines.splice(0, end < 0 ? lines.length : end);
};

/** @param {string[]} lines */
const takeCode = (lines) => {
  takeLine(lines);
  const code = takeWhile(lines, (line) => !FENCE.test(line));
  takeLine(lines);
  return element("pre", { class: "log", tabindex: "0", "aria-label": "Code" }, code.join("\n"));
};

/** @param {string[]} lines */
const takeList = (lines) => {
  const isNumbered = /^\s*\d/.test(lines[0]);
  const items = takeWhile(lines, (line) => ITEM.test(line));
  return element(
    isNumbered ? "ol" : "ul",
    {},
    items.map((item) => element("li", {}, spans(item.replace(ITEM, "")))),
  );
};

/**
 * @param {string} text
 * @returns {Node[]}
 */
const spans = (text) => {
  const made = [];
  let end = 0;
  for (const found of text.matchAll(SPANS)) {
    made.push(new Text(text.slice(end, found.index)), span(found));
    end = found.index + found[0].length;
  }
  return [...made, new Text(text.slice(end))];
};

/** @param {RegExpMatchArray} found */
const span = ([, code, strong]) => (code ? element("code", {}, code) : element("strong", {}, strong));
