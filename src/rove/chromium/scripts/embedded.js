// Controls inside a name speak with their value.

const selectedOptionText = (element, walk) => {
  if (isTag(element, "select")) return Array.from(element.selectedOptions, (option) => optionText(option)).join(" ");
  const chosen = [];
  for (const option of queryAll(element, '[role="option"][aria-selected="true" i]')) {
    if (!walk.revealed && isHiddenForNames(option)) continue;
    chosen.push(squash(alternativeOf(option, { ...walk, via: "content" }, "content")));
  }
  return chosen.join(" ");
};

const optionText = (option) => attr(option, "label") || squash(textContentOf(option));

const valueOfControl = (element) =>
  isTag(element, "input") || isTag(element, "textarea") || isTag(element, "select") ? element.value : null;

// One that is not typed into shows what was chosen as its own words.
const showsItsChoice = (element, role) => role === "combobox" && isFocusable(element);

// A control inside a label speaks with its value: "Flash the screen [3] times".
const embeddedValue = (element, role, walk) => {
  if (isTag(element, "progress") && !hasAttr(element, "value") && !hasAttr(element, "aria-valuetext")) return null;
  if (wasPassword(element)) return "•".repeat(element.value.length);
  if (role === "textbox" || role === "searchbox")
    return valueOfControl(element) ?? (hasAttr(element, "aria-label") ? null : contentText(element, walk));
  if (role === "combobox" || role === "listbox") {
    if (isTag(element, "input")) return element.value;
    const chosen = selectedOptionText(element, walk);
    if (chosen || isTag(element, "select")) return chosen;
    return walk.via === "reference" || showsItsChoice(element, role) ? null : "";
  }
  if (
    role === "slider" ||
    role === "spinbutton" ||
    role === "scrollbar" ||
    role === "meter" ||
    role === "progressbar"
  ) {
    return (
      attr(element, "aria-valuetext") ??
      attr(element, "aria-valuenow") ??
      valueOfControl(element) ??
      (/^(?:meter|progress)$/.test(localNameOf(element)) ? String(element.value) : "")
    );
  }
  return null;
};
