// Roles: the first valid role token, else what HTML-AAM, SVG-AAM and MathML give the element.

const ARIA_ROLES = new Set(
  (
    "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox " +
    "comment complementary contentinfo definition deletion dialog directory document emphasis feed figure form generic " +
    "graphics-document graphics-object graphics-symbol grid gridcell group heading image img insertion link list listbox " +
    "listitem log main mark marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note " +
    "option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox " +
    "sectionfooter sectionheader separator slider spinbutton status strong subscript suggestion superscript switch tab table " +
    "tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem " +
    "doc-abstract doc-acknowledgments doc-afterword doc-appendix doc-backlink doc-biblioentry doc-bibliography doc-biblioref " +
    "doc-chapter doc-colophon doc-conclusion doc-cover doc-credit doc-credits doc-dedication doc-endnote doc-endnotes " +
    "doc-epigraph doc-epilogue doc-errata doc-example doc-footnote doc-foreword doc-glossary doc-glossref doc-index " +
    "doc-introduction doc-noteref doc-notice doc-pagebreak doc-pagefooter doc-pageheader doc-pagelist doc-part doc-preface " +
    "doc-prologue doc-pullquote doc-qna doc-subtitle doc-tip doc-toc"
  ).split(" "),
);
const SYNONYMS = { presentation: "none", image: "img", directory: "list" };

const GLOBAL_ARIA = [
  "aria-atomic",
  "aria-busy",
  "aria-controls",
  "aria-current",
  "aria-describedby",
  "aria-description",
  "aria-details",
  "aria-dropeffect",
  "aria-flowto",
  "aria-grabbed",
  "aria-keyshortcuts",
  "aria-label",
  "aria-labelledby",
  "aria-live",
  "aria-owns",
  "aria-relevant",
  "aria-roledescription",
  "aria-braillelabel",
  "aria-brailleroledescription",
];

const TAG_ROLES = {
  __proto__: null,
  address: "group",
  article: "article",
  blockquote: "blockquote",
  button: "button",
  caption: "caption",
  code: "code",
  dd: "definition",
  del: "deletion",
  details: "group",
  dfn: "term",
  dialog: "dialog",
  dt: "term",
  em: "emphasis",
  fieldset: "group",
  figure: "figure",
  form: "form",
  h1: "heading",
  h2: "heading",
  h3: "heading",
  h4: "heading",
  h5: "heading",
  h6: "heading",
  hgroup: "group",
  hr: "separator",
  html: "document",
  ins: "insertion",
  main: "main",
  mark: "mark",
  math: "math",
  menu: "list",
  meter: "meter",
  nav: "navigation",
  ol: "list",
  optgroup: "group",
  option: "option",
  output: "status",
  p: "paragraph",
  progress: "progressbar",
  s: "deletion",
  search: "search",
  strong: "strong",
  sub: "subscript",
  sup: "superscript",
  table: "table",
  tbody: "rowgroup",
  textarea: "textbox",
  tfoot: "rowgroup",
  thead: "rowgroup",
  time: "time",
  tr: "row",
  ul: "list",
  iframe: "iframe",
  frame: "iframe",
  video: "video",
  audio: "audio",
  canvas: "canvas",
  embed: "embed",
  object: "object",
  dir: "list",
};

const INPUT_ROLES = {
  __proto__: null,
  button: "button",
  checkbox: "checkbox",
  color: "button",
  date: "textbox",
  "datetime-local": "textbox",
  email: "textbox",
  file: "button",
  hidden: "none",
  image: "button",
  month: "textbox",
  number: "spinbutton",
  password: "textbox",
  radio: "radio",
  range: "slider",
  reset: "button",
  search: "searchbox",
  submit: "button",
  tel: "textbox",
  text: "textbox",
  time: "textbox",
  url: "textbox",
  week: "textbox",
};
const LISTABLE_INPUTS = new Set(["text", "search", "tel", "url", "email"]);

const inputType = (element) => {
  const type = (attr(element, "type") || "text").toLowerCase();
  return type in INPUT_ROLES ? type : "text";
};

const inputRole = (element) => {
  const type = inputType(element);
  if (LISTABLE_INPUTS.has(type)) {
    const list = attr(element, "list");
    if (list && elementById(element, list)) return "combobox";
  }
  return INPUT_ROLES[type];
};

const SECTIONING = new Set(["article", "aside", "nav", "section"]);
const SECTIONING_ROLES = new Set(["article", "complementary", "navigation", "region"]);

// A page's header is a banner only where no sectioning content or main stands between it and the body.
const isPageLevel = (element, mainCounts) => {
  for (let node = parentElementOf(element); node; node = parentElementOf(node)) {
    const role = hasAttr(node, "role") ? explicitRole(node) : "";
    if (role ? mainCounts && SECTIONING_ROLES.has(role) : SECTIONING.has(localNameOf(node))) return false;
    if (mainCounts && (role || localNameOf(node)) === "main") return false;
  }
  return true;
};

const parentElementOf = (element) => {
  const parent = flattenedParent(element);
  return parent && isElement(parent) ? parent : null;
};

// What holds an element in the tree of roles: the element that owns it, else its parent.
const holderOf = (element) => (owned.size !== 0 && owned.get(element)) || parentElementOf(element);

const LIST_TAGS = new Set(["ul", "ol", "menu", "dir"]);
const listItemRole = (element) => {
  let parent = holderOf(element);
  while (parent && isTag(parent, "slot")) parent = parentElementOf(parent);
  if (!parent) return "generic";
  if (hasAttr(parent, "role")) {
    const role = roleOf(parent);
    return role === "list" ? "listitem" : role === "none" ? "none" : "generic";
  }
  return LIST_TAGS.has(localNameOf(parent)) ? "listitem" : "generic";
};

const isDetailsSummary = (element) => {
  const parent = parentNodeOf(element);
  if (!parent || nodeTypeOf(parent) !== 1 || !isTag(parent, "details")) return false;
  for (let child = firstElementOf(parent); child; child = nextElementOf(child)) {
    if (localNameOf(child) === "summary") return child === element;
  }
  return false;
};

const imageRole = (element) => {
  const alt = attr(element, "alt");
  return alt === "" && !isFocusable(element) && !hasGlobalAria(element) ? "none" : "img";
};

const hasOwnLabel = (element) =>
  Boolean((attr(element, "aria-label") || "").trim()) || idrefs(element, "aria-labelledby").length > 0;

const selectRole = (element) => {
  const size = parseInt(attr(element, "size") || "0", 10);
  return hasAttr(element, "multiple") || size > 1 ? "listbox" : "combobox";
};

const BY_TAG = {
  __proto__: null,
  a: (element) => (hasAttr(element, "href") ? "link" : "generic"),
  area: (element) => (hasAttr(element, "href") ? "link" : "generic"),
  aside: (element) =>
    isPageLevel(element, false) || hasOwnLabel(element) || attr(element, "title") ? "complementary" : "generic",
  header: (element) => (isPageLevel(element, true) ? "banner" : "sectionheader"),
  footer: (element) => (isPageLevel(element, true) ? "contentinfo" : "sectionfooter"),
  img: imageRole,
  input: inputRole,
  li: listItemRole,
  section: (element) => (hasOwnLabel(element) || attr(element, "title") ? "region" : "generic"),
  select: selectRole,
  summary: (element) => (isDetailsSummary(element) ? "button" : "generic"),
  td: cellRole,
  th: headerCellRole,
  tr: inTableRole("row"),
  tbody: inTableRole("rowgroup"),
  thead: inTableRole("rowgroup"),
  tfoot: inTableRole("rowgroup"),
};

const SVG_ROLES = {
  __proto__: null,
  svg: "img",
  a: "link",
  image: "img",
  text: "generic",
  g: "group",
  symbol: "graphics-object",
  foreignObject: "group",
};
const SVG_SHAPES = new Set(["circle", "ellipse", "line", "path", "polygon", "polyline", "rect", "use", "g", "tspan"]);

const svgChildOf = (element, tag) => {
  for (let child = firstElementOf(element); child; child = nextElementOf(child)) {
    if (localNameOf(child) === tag) return child;
  }
  return null;
};

const svgRole = (element) => {
  const tag = localNameOf(element);
  if (tag === "svg" && parentElementOf(element) && namespaceOf(parentElementOf(element)) === SVG) return "group";
  if (tag === "a") return hasAttr(element, "href") || element.hasAttribute("xlink:href") ? "link" : "group";
  if (SVG_SHAPES.has(tag)) {
    const title = svgChildOf(element, "title");
    const named = hasOwnLabel(element) || (title && textContentOf(title).trim());
    if (!named) return "none";
    return tag === "g" ? "group" : tag === "use" ? "graphics-object" : "graphics-symbol";
  }
  return SVG_ROLES[tag] || "none";
};

const nativeRole = (element) => {
  const namespace = namespaceOf(element);
  const tag = localNameOf(element);
  if (namespace === HTML) {
    const contextual = BY_TAG[tag];
    const role = contextual ? contextual(element) : TAG_ROLES[tag] || "generic";
    return role === "generic" && hasAttr(element, "popover") ? "group" : role;
  }
  if (namespace === SVG) return svgRole(element);
  if (namespace === MATHML) return tag === "math" ? "math" : "generic";
  return "generic";
};

const FOCUSABLE_TAGS = new Set(["button", "select", "textarea", "iframe", "summary"]);
const isDisabledControl = (element) =>
  isHtml(element) &&
  /^(?:button|input|select|textarea|fieldset|option|optgroup)$/.test(localNameOf(element)) &&
  matchesSelector(element, ":disabled");

const isFocusable = (element) => {
  if (hasAttr(element, "tabindex") && !Number.isNaN(parseInt(attr(element, "tabindex"), 10))) return true;
  const tag = localNameOf(element);
  if ((tag === "a" || tag === "area") && hasAttr(element, "href")) return true;
  if (!isHtml(element)) return false;
  if (FOCUSABLE_TAGS.has(tag)) return (tag !== "summary" || isDetailsSummary(element)) && !isDisabledControl(element);
  if (tag === "input") return inputType(element) !== "hidden" && !isDisabledControl(element);
  if ((tag === "audio" || tag === "video") && hasAttr(element, "controls")) return true;
  const editable = attr(element, "contenteditable");
  return editable !== null && editable.toLowerCase() !== "false";
};

const hasGlobalAria = (element) => {
  if (!(kindsOf(element) & ARIA)) return false;
  for (const name of GLOBAL_ARIA) {
    if (hasAttr(element, name) && attr(element, name) !== "") return true;
  }
  return false;
};

const NEEDS_NAME = new Set(["region", "form"]);

const explicitRole = (element) => {
  const value = attr(element, "role");
  if (!value) return "";
  for (const token of value.toLowerCase().split(/\s+/)) {
    if (!ARIA_ROLES.has(token)) continue;
    const role = SYNONYMS[token] || token;
    if (NEEDS_NAME.has(role) && !hasOwnLabel(element) && !attr(element, "title")) continue;
    return role;
  }
  return "";
};

// Parts of a composite widget mean nothing outside it.
const CONTEXTS = {
  listitem: new Set(["list", "directory", "group"]),
  option: new Set(["listbox", "combobox", "menu"]),
  treeitem: new Set(["tree", "treegrid"]),
};
const TRANSPARENT = new Set(["generic", "none", "group", "paragraph"]);

const isInContext = (element, role) => {
  const wanted = CONTEXTS[role];
  for (let node = holderOf(element); node; node = holderOf(node)) {
    const above = roleOf(node);
    if (wanted.has(above) || above === role) return true;
    if (!TRANSPARENT.has(above)) return false;
  }
  return false;
};

const SELF_CONTAINED = new Set(
  "button checkbox img menuitemcheckbox menuitemradio meter option progressbar radio scrollbar separator slider switch tab".split(
    " ",
  ),
);

// What these roles hold is no more than how they look, unless it can be pressed for itself. A summary is a button to us
// alone, and a drawing is a picture only where it says so.
const isPresentationalChild = (element) => {
  if (isFocusable(element)) return false;
  for (let node = parentElementOf(element); node; node = parentElementOf(node)) {
    if (SELF_CONTAINED.has(roleOf(node)) && (hasAttr(node, "role") || (isHtml(node) && !isTag(node, "summary")))) return true;
    if (isFocusable(node)) return false;
  }
  return false;
};

const computeRole = (element) => {
  const explicit = hasAttr(element, "role") ? explicitRole(element) : "";
  if (!explicit) return nativeRole(element);
  if (explicit === "none" && (isFocusable(element) || hasGlobalAria(element))) return nativeRole(element);
  if (explicit === "listitem" && isTag(element, "li")) return explicit;
  if (explicit in CONTEXTS && !isInContext(element, explicit)) return nativeRole(element);
  return explicit;
};

// Within one pass the page cannot change, so each element's role is worked out once.
let roleMemo = new WeakMap();
const roleOf = (element) => {
  let role = roleMemo.get(element);
  if (role === undefined) roleMemo.set(element, (role = computeRole(element)));
  return role;
};
