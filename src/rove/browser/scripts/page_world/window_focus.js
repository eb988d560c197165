// Every page is treated as focused, whichever window is: none of them is in front of a person.

/** @param {Window} view @returns {boolean} */
const leadsToFocus = (view) => {
  if (view === view.parent) return true;
  try {
    const holder = view.frameElement;
    return holder !== null && holder.ownerDocument.activeElement === holder && leadsToFocus(view.parent);
  } catch {
    return view.document.activeElement !== view.document.body; // the page around it is of another origin
  }
};

export const treatAsFocused = () => {
  Document.prototype.hasFocus = new Proxy(Document.prototype.hasFocus, {
    apply: (target, self, given) =>
      Reflect.apply(target, self, given) || (self.defaultView !== null && leadsToFocus(self.defaultView)),
  });
};
