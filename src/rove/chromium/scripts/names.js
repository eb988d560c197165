// Accessible names and descriptions, after accname 1.2 with the host-language rules of HTML-AAM and SVG-AAM.

const NAMED_BY_CONTENT = new Set(
  (
    "button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio " +
    "rowheader switch tab tooltip treeitem doc-backlink doc-biblioref doc-glossref doc-noteref " +
    "doc-subtitle graphics-object"
  ).split(" "),
);
const UNNAMEABLE = new Set(
  "caption code deletion emphasis generic insertion mark none paragraph strong subscript suggestion superscript".split(" "),
);
const NAME_PROHIBITED = new Set(
  "caption code definition deletion emphasis generic insertion mark none paragraph strong subscript suggestion superscript time".split(
    " ",
  ),
);

// Inside a name from content these keep their words to themselves, unless someone points at them by aria-labelledby:
// what they hold is a widget of its own, a value or a picture.
const LEFT_OUT_OF_NAMES = new Set(
  (
    "alertdialog application dialog feed grid img menu menubar meter progressbar radiogroup scrollbar separator slider " +
    "spinbutton tablist tabpanel toolbar tree treegrid"
  ).split(" "),
);

const MAX_NAME_NODES = 4000;
// More words than any reader wants of a name; what is beyond is cut in the line anyway.
const MAX_NAME_LENGTH = 3000;

// `via` says how the walk reached this node: "root", "reference", "label" or "content".
const newTraversal = (via) => ({
  via,
  visited: new Set(),
  revealed: false,
  budget: MAX_NAME_NODES,
  hiddenSource: false,
  titled: false,
});

const isRendered = (element) => checkVisibility(element, { visibilityProperty: true, contentVisibilityAuto: false });

const isHiddenForNames = (element) => token(element, "aria-hidden") === "true" || isHiddenByStyle(element);

const isHiddenByStyle = (element) => {
  if (isTag(element, "option") || isTag(element, "optgroup") || isTag(element, "area")) return false;
  if (getComputedStyle(element).display === "contents") return getComputedStyle(element).visibility !== "visible";
  return !isRendered(element);
};

const isWithinAriaHidden = (element) => {
  for (let node = element; node; node = parentElementOf(node)) {
    if (token(node, "aria-hidden") === "true") return true;
  }
  return false;
};

const contentNodes = (element) => {
  if (isTag(element, "details") && !hasAttr(element, "open"))
    return [firstChildTag(element, "summary")].filter(Boolean);
  return flattenedChildren(element) || childListOf(element);
};

// What opens from an item is not part of what the item is called.
const isSubmenu = (child, parent) => {
  if (!hasAttr(child, "role") && !/^(?:ul|ol|menu)$/.test(localNameOf(child))) return false;
  const role = roleOf(parent);
  if (role === "treeitem") return /^(?:group|tree|list)$/.test(roleOf(child));
  return role.startsWith("menuitem") && /^(?:menu|group)$/.test(roleOf(child));
};

const ownedText = (child, parent, walk) =>
  (owners.get(parent) || []).includes(child) ? spaced(childText(child, walk)) : "";

const skipsContent = (element) =>
  (distinctions.looks & PLACES || hasAttr(element, "style")) &&
  getComputedStyle(element).contentVisibility === "hidden";

const contentText = (element, walk) => {
  if (!walk.revealed && skipsContent(element)) return "";
  let text = pseudoPart(element, "::before", walk);
  for (const child of contentNodes(element)) {
    if (walk.budget-- <= 0 || text.length > MAX_NAME_LENGTH) break;
    if (isText(child)) text += clip(textDataOf(child), MAX_NAME_LENGTH);
    else if (isElement(child) && !isSubmenu(child, element))
      text += owned.size && owned.has(child) ? ownedText(child, element, walk) : childText(child, walk);
  }
  return text + pseudoPart(element, "::after", walk);
};

// What a page holds without ever showing it.
const NEVER_SHOWN = [
  "script", "style", "template", "noscript", "head", "meta", "link", "title", "base", "col", "colgroup", "source",
  "track", "param", "datalist", "rp",
];
const SILENT_TAGS = new Set([...NEVER_SHOWN, "rt"]);

const childText = (child, walk) => {
  const tag = localNameOf(child);
  if (isHtml(child)) {
    if (tag === "br") return "\n";
    if (tag === "wbr" || tag === "hr") return " ";
    if (tag === "object" || tag === "video" || tag === "audio")
      return hasOwnLabel(child) || attr(child, "title") ? spaced(attributeName(child, walk)) : "";
    if (SILENT_TAGS.has(tag) && !walk.revealed) return "";
    if (tag === "script" || tag === "style" || tag === "template") return "";
  }
  if (namespaceOf(child) === SVG && SVG_SKIPPED.has(tag)) return "";
  if (!walk.revealed && isHiddenForNames(child)) return visibleWithin(child, walk);
  const text = alternativeOf(child, walk, "content");
  if (ATOMIC.has(tag)) return " " + text + " ";
  return text && (isFromElsewhere(walk) || isApart(child)) ? " " + text + " " : text;
};

// What is visible inside the invisible: visibility, unlike display, can be taken back further down.
const visibleWithin = (element, walk) => {
  if (!checkVisibility(element) || token(element, "aria-hidden") === "true") return "";
  let text = "";
  for (const child of contentNodes(element)) {
    if (walk.budget-- <= 0) break;
    if (isElement(child)) text += childText(child, walk);
  }
  return text;
};

const attributeName = (element, walk) => {
  const text = referencedText(idrefs(element, "aria-labelledby"), element, walk);
  return text || attr(element, "aria-label") || attr(element, "title") || "";
};

const ATOMIC = new Set([
  "img",
  "svg",
  "canvas",
  "video",
  "audio",
  "iframe",
  "object",
  "embed",
  "input",
  "select",
  "textarea",
  "button",
  "meter",
  "progress",
]);

// Boxes of their own stand apart from the words around them; so does all that has no box.
const isApart = (element) => {
  const display = getComputedStyle(element).display;
  return isBlockish(display) || display === "none" || display === "contents" || !checkVisibility(element);
};

const isFromElsewhere = (walk) => walk.lastSource !== "content" && walk.lastSource !== "";

const referencedText = (targets, from, walk) => {
  const parts = [];
  for (const target of targets) {
    const inner = { ...walk, via: "reference", revealed: false, visited: new Set() };
    const hidden = isHiddenForNames(target) || isWithinAriaHidden(target);
    inner.revealed = hidden;
    if (hidden) walk.hiddenSource = true;
    const text = squash(alternativeOf(target, inner, "reference"));
    walk.budget = inner.budget;
    walk.titled = inner.titled;
    if (text) parts.push(text);
  }
  return parts.join(" ");
};

const labelText = (element, walk) => {
  const parts = [];
  for (const label of labelsOf(element)) {
    const hidden = isHiddenForNames(label) || isWithinAriaHidden(label);
    const inner = { ...walk, via: "label", visited: new Set([...walk.visited, element]) };
    inner.revealed = walk.revealed || hidden;
    const text = squash(alternativeOf(label, inner, "label"));
    if (text && hidden) walk.hiddenSource = true;
    walk.titled = inner.titled;
    if (text) parts.push(text);
  }
  return parts.join(" ");
};

const svgTextOf = (element, tag) => {
  const found = svgChildOf(element, tag);
  return found ? squash(textContentOf(found)) : "";
};

const inputNativeName = (element, role, walk) => {
  const type = inputType(element);
  if (type === "image")
    return [attr(element, "alt") || attr(element, "value") || attr(element, "title") || "Submit", "alt"];
  if (type in BUTTON_INPUTS) {
    const value = attr(element, "value");
    return [value === null ? BUTTON_INPUTS[type] : value, "content"];
  }
  return ["", ""];
};

const figureName = (image, walk) => {
  const caption = figureCaptionOf(image);
  return caption ? [squash(alternativeOf(caption, { ...walk, via: "label" }, "label")), "caption"] : ["", ""];
};

// [text, source] from the host language, or an empty text.
const nativeName = (element, role, walk) => {
  const namespace = namespaceOf(element);
  if (namespace === SVG) {
    const title = svgTextOf(element, "title");
    if (title) return [title, "svg-title"];
    const link = localNameOf(element) === "a" ? attr(element, "xlink:title") : "";
    return [link || "", "title"];
  }
  if (namespace !== HTML) return ["", ""];
  const tag = localNameOf(element);
  if (LABELABLE.test(tag) || tag.includes("-")) {
    const label = labelText(element, walk);
    if (label) return [label, "label"];
  }
  if (tag === "input") return inputNativeName(element, role, walk);
  if (tag === "img" && !hasAttr(element, "alt") && !attr(element, "title")) return figureName(element, walk);
  if (tag === "img") return [attr(element, "alt") || "", "alt"];
  if (tag === "area") return [(hasAttr(element, "href") && attr(element, "alt")) || "", "alt"];
  if (tag === "optgroup" || tag === "option" || tag === "track") return [attr(element, "label") || "", "label"];
  const caption = captionOf(element);
  if (caption) {
    const inner = { ...walk, via: "label", visited: new Set([...walk.visited, element]) };
    inner.revealed = isHiddenForNames(caption);
    if (inner.revealed) walk.hiddenSource = true;
    const text = squash(alternativeOf(caption, inner, "label"));
    if (text) return [text, "caption"];
  }
  if (tag === "table") return [attr(element, "summary") || "", "title"];
  return ["", ""];
};

const DRAWN_WORDS = "text,title,foreignObject,[aria-label],[aria-labelledby]";

// Words drawn in a picture are seen, unless it is said to be a picture and no more.
const isDrawing = (element) =>
  namespaceOf(element) === SVG && !hasAttr(element, "role") && queryOne(element, DRAWN_WORDS) !== null;

const allowsContent = (element, role, walk, via) => {
  if (via === "content" && walk.via !== "reference" && LEFT_OUT_OF_NAMES.has(role))
    return isDrawing(element);
  if (via === "reference" || via === "label" || via === "content") return true;
  if (role === "row") return isGrid(tableRoleOf(element));
  return NAMED_BY_CONTENT.has(role);
};

// The core of accname: text that stands for this element, by the first source that has any. Whoever comes here by way
// of content has seen to it that the element is not hidden.
const alternativeOf = (element, walk, via) => {
  if (walk.visited.has(element) || walk.budget-- <= 0) return "";
  walk.visited.add(element);
  const [text, source] = chooseAlternative(element, walk, via);
  walk.lastSource = source;
  if (via === "root") walk.source = source;
  else if (source === "title" && text) walk.titled = true;
  return text;
};

const chooseAlternative = (element, walk, via) => {
  const role = roleOf(element);
  if (via !== "content" && walk.via !== "reference") {
    const targets = idrefs(element, "aria-labelledby");
    if (targets.length) {
      const text = referencedText(targets, element, walk);
      if (text) return [text, "labelledby"];
    }
  } else if (via === "content" && walk.via !== "reference" && hasAttr(element, "aria-labelledby")) {
    const text = referencedText(idrefs(element, "aria-labelledby"), element, walk);
    if (text) return [text, "labelledby"];
  }
  if (via !== "root") {
    const value = embeddedValue(element, role, walk);
    if (value !== null && (value !== "" || via === "content")) return [value, "value"];
  }
  const label = attr(element, "aria-label");
  if (label && label.trim()) return [label, "aria-label"];
  if (role !== "none") {
    const [text, source] = nativeName(element, role, walk);
    if (squash(text)) return [text, source];
  }
  if (allowsContent(element, role, walk, via)) {
    const text = contentText(element, walk);
    if (squash(text)) return [text, "content"];
  }
  return tooltipText(element, role, via);
};

const WITHOUT_ROLE = new Set(["abbr", "cite", "kbd", "rt", "ruby", "var"]);

// A title describes what may not be named, unless the element has no role at all or speaks for another one; an image
// with an empty alternative is not to be spoken of.
const mayBeTitled = (element, role, via) => {
  if (isTag(element, "img") && hasAttr(element, "alt")) return false;
  if (!NAME_PROHIBITED.has(role) || via !== "root") return true;
  return isHtml(element) && WITHOUT_ROLE.has(localNameOf(element));
};

const tooltipText = (element, role, via) => {
  const title = attr(element, "title");
  if (title && title.trim() && mayBeTitled(element, role, via)) return [title, "title"];
  if (via === "root" && isHtml(element)) {
    const tag = localNameOf(element);
    const takes = tag === "textarea" || (tag === "input" && TEXT_INPUTS.has(inputType(element)));
    const placeholder = takes ? attr(element, "placeholder") : null;
    if (placeholder && placeholder.trim()) return [placeholder, "placeholder"];
    const ariaPlaceholder = attr(element, "aria-placeholder");
    if (ariaPlaceholder) return [ariaPlaceholder, "aria-label"];
  }
  return ["", ""];
};

// `titled`: some of it is a tooltip's text, which nobody sees.
const NO_NAME = { name: "", source: "", hiddenSource: false, titled: false };

const SIMPLY_NAMED = new Set(["a", "button", "h1", "h2", "h3", "h4", "h5", "h6"]);

// A link, button or heading that holds only text and no attribute that names it: most of a page, and no need for the
// whole algorithm.
const plainName = (element) => {
  const tag = localNameOf(element);
  if (!SIMPLY_NAMED.has(tag) || kindsOf(element) & (ARIA | TITLE | ROLE) || childCountOf(element) !== 0) return "";
  if (!isHtml(element) || shadowOf(element) || mayHavePseudo(element)) return "";
  if (tag === "button" && labelsOf(element).length !== 0) return "";
  return squash(clip(textContentOf(element), MAX_NAME_LENGTH));
};

const nameOf = (element, role = roleOf(element)) => {
  if (NAME_PROHIBITED.has(role) && !hasAnyAttribute(element)) return NO_NAME;
  const plain = owners.size === 0 && NAMED_BY_CONTENT.has(role) ? plainName(element) : "";
  if (plain) return { name: plain, source: "content", hiddenSource: false, titled: false };
  const walk = newTraversal("root");
  const name = squash(alternativeOf(element, walk, "root"));
  return { name, source: name ? walk.source : "", hiddenSource: walk.hiddenSource, titled: walk.titled };
};
