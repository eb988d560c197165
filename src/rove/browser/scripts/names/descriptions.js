// Accessible descriptions, after accname 1.2 and HTML-AAM: the first source that has any text.

import { attr } from "../dom/attributes.js";
import { SVG, svgTextOf } from "../dom/elements.js";
import { idrefs } from "../dom/id_references.js";
import { localNameOf, namespaceOf } from "../dom/natives.js";
import { squash } from "../dom/text.js";
import { BUTTON_INPUTS, inputType } from "../roles/controls.js";
import { roleOf } from "../roles/roles.js";
import { isHiddenForNames } from "./exclusion.js";
import { captionOf } from "./labels.js";
import { alternativeOf, contentText, newNameWalk, referencedText } from "./names.js";

/** @param {Element} element @param {Naming} naming */
export const descriptionOf = (element, naming) => {
  const targets = idrefs(element, "aria-describedby");
  if (targets.length) {
    const walk = newNameWalk("root");
    const text = referencedText(targets, walk);
    if (text) return { text, source: walk.hiddenSource ? "aria" : "" };
  }
  const own = attr(element, "aria-description");
  if (own && own.trim()) return { text: squash(own), source: "aria" };
  const native = nativeDescription(element, naming);
  if (native) return { text: native, source: namespaceOf(element) === SVG ? "aria" : "" };
  const title = attr(element, "title");
  if (title && title.trim() && naming.source !== "title" && squash(title) !== naming.name)
    return { text: squash(title), source: "" };
  return null;
};

// A source of the name that was not used for the name.
/** @param {Element} element @param {Naming} naming */
const nativeDescription = (element, naming) => {
  if (namespaceOf(element) === SVG && roleOf(element) === "none") return "";
  if (namespaceOf(element) === SVG)
    return svgTextOf(element, "desc") || (naming.source === "svg-title" ? "" : svgTextOf(element, "title"));
  if (naming.source === "content" || naming.source === "caption") return "";
  switch (localNameOf(element)) {
    case "table": {
      const caption = captionOf(element);
      return caption && !isHiddenForNames(caption) ? squash(alternativeOf(caption, newNameWalk("label"), "label")) : "";
    }
    case "summary":
      return squash(contentText(element, newNameWalk("label")));
    case "input":
      return inputType(element) in BUTTON_INPUTS ? squash(attr(element, "value") || "") : "";
    default:
      return "";
  }
};
