// Native labelling: which element or attribute of the host language names this one.

const LABELABLE = /^(?:button|input|meter|output|progress|select|textarea)$/;

const labelsOf = (element) => {
  if (!isHtml(element)) return [];
  if (LABELABLE.test(localNameOf(element))) return Array.from(element.labels || []);
  // Form-associated custom elements can be labelled too, but only their internals know; ask the document.
  if (localNameOf(element).includes("-") && customElements.get && hasAttr(element, "id")) {
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

// The element whose text names a container in HTML: legend, caption, figcaption.
const captionOf = (element) => {
  switch (localNameOf(element)) {
    case "fieldset": return firstChildTag(element, "legend");
    case "table": return firstChildTag(element, "caption");
    case "figure": return firstChildTag(element, "figcaption");
    default: return null;
  }
};
