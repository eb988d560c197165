// Accessible descriptions, after accname 1.2 and HTML-AAM: the first source that there is.

const descriptionOf = (element, naming) => {
  const targets = idrefs(element, "aria-describedby");
  if (targets.length) {
    const walk = newTraversal("root");
    const text = referencedText(targets, element, walk);
    if (text) return { text, aria: walk.hiddenSource };
  }
  const own = attr(element, "aria-description");
  if (own && own.trim()) return { text: squash(own), aria: true };
  const native = nativeDescription(element, naming);
  if (native) return { text: native, aria: namespaceOf(element) === SVG };
  const title = attr(element, "title");
  if (title && title.trim() && naming.source !== "title" && squash(title) !== naming.name)
    return { text: squash(title), aria: false };
  return null;
};

// What would have named the element, had nothing else done so.
const nativeDescription = (element, naming) => {
  if (namespaceOf(element) === SVG && roleOf(element) === "none") return "";
  if (namespaceOf(element) === SVG)
    return svgTextOf(element, "desc") || (naming.source === "svg-title" ? "" : svgTextOf(element, "title"));
  if (naming.source === "content" || naming.source === "caption") return "";
  switch (localNameOf(element)) {
    case "table": {
      const caption = captionOf(element);
      return caption && !isHiddenForNames(caption) ? squash(alternativeOf(caption, newTraversal("label"), "label")) : "";
    }
    case "summary":
      return squash(contentText(element, newTraversal("label")));
    case "input":
      return inputType(element) in BUTTON_INPUTS ? squash(attr(element, "value") || "") : "";
    default:
      return "";
  }
};
