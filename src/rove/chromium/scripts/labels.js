// Native labelling: which element or attribute of the host language names this one.

const LABELABLE = /^(?:button|input|meter|output|progress|select|textarea)$/;

// element.labels walks the whole document for every control, so the labels of a tree are gathered once per pass.
let labelIndexes = new Map();

const labelIndex = (root) => {
  let index = labelIndexes.get(root);
  if (index) return index;
  index = new Map();
  for (const label of queryAll(root, "label")) {
    const control = label.control || customControlOf(label, root);
    if (!control) continue;
    if (index.has(control)) index.get(control).push(label);
    else index.set(control, [label]);
  }
  labelIndexes.set(root, index);
  return index;
};

// Only a custom element's internals know whether it can be labelled; naming it by id says that its author thinks so.
const customControlOf = (label, root) => {
  const id = attr(label, "for");
  const target = id ? elementById(label, id) : null;
  return target && localNameOf(target).includes("-") ? target : null;
};

const labelsOf = (element) => {
  if (!isHtml(element) || !(LABELABLE.test(localNameOf(element)) || localNameOf(element).includes("-"))) return [];
  const root = rootNodeOf(element);
  if (nodeTypeOf(root) === 1) return [];
  return labelIndex(root).get(element) || [];
};

const firstChildTag = (element, tag) => {
  for (let child = firstElementOf(element); child; child = nextElementOf(child)) {
    if (isTag(child, tag)) return child;
  }
  return null;
};

const TEXT_INPUTS = new Set([
  "text",
  "search",
  "tel",
  "url",
  "email",
  "password",
  "number",
  "date",
  "datetime-local",
  "month",
  "time",
  "week",
]);
const BUTTON_INPUTS = { submit: "Submit", reset: "Reset", button: "" };

// The element whose text names a container in HTML: legend, caption.
const captionOf = (element) => {
  switch (localNameOf(element)) {
    case "fieldset":
      return firstChildTag(element, "legend");
    case "table":
      return firstChildTag(element, "caption");
    default:
      return null;
  }
};

// A figure that holds nothing but one picture lends it the caption as a name.
const figureCaptionOf = (image) => {
  const figure = parentNodeOf(image);
  if (!figure || nodeTypeOf(figure) !== 1 || !isTag(figure, "figure") || childCountOf(figure) !== 2) return null;
  for (let child = firstChildOf(figure); child; child = nextSiblingOf(child)) {
    if (isText(child) && textDataOf(child).trim()) return null;
  }
  return firstChildTag(figure, "figcaption");
};
