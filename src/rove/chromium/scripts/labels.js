// Native labelling: which element or attribute of the host language names this one.

const LABELABLE = /^(?:button|input|meter|output|progress|select|textarea)$/;

const labelsOf = (element) => {
  if (!isHtml(element)) return [];
  if (LABELABLE.test(localNameOf(element))) return Array.from(element.labels || []);
  // Form-associated custom elements can be labelled too, but only their internals know; ask the document.
  if (localNameOf(element).includes("-") && hasAttr(element, "id")) {
    return Array.from(queryAll(rootNodeOf(element), "label[for]")).filter((label) => attr(label, "for") === attr(element, "id"));
  }
  return [];
};

const firstChildTag = (element, tag) => {
  for (let child = firstElementOf(element); child; child = nextElementOf(child)) {
    if (isTag(child, tag)) return child;
  }
  return null;
};

const TEXT_INPUTS = new Set([
  "text", "search", "tel", "url", "email", "password", "number", "date", "datetime-local", "month", "time", "week",
]);
const BUTTON_INPUTS = { submit: "Submit", reset: "Reset", button: "" };

// The element whose text names a container in HTML: legend, caption.
const captionOf = (element) => {
  switch (localNameOf(element)) {
    case "fieldset": return firstChildTag(element, "legend");
    case "table": return firstChildTag(element, "caption");
    default: return null;
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
