// States and properties that matter to someone who acts: only those that are set are said.

const CHECKABLE = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio", "option", "treeitem"]);
const SELECTABLE = new Set(["option", "tab", "treeitem", "gridcell", "row", "columnheader", "rowheader", "cell"]);
// A mixed one of these is not checked.
const TWO_STATES = new Set(["radio", "switch", "menuitemradio"]);
const RANGES = new Set(["slider", "spinbutton", "progressbar", "meter", "scrollbar", "separator"]);
const REQUIRABLE = new Set([
  "checkbox",
  "combobox",
  "gridcell",
  "listbox",
  "radiogroup",
  "searchbox",
  "spinbutton",
  "switch",
  "textbox",
  "tree",
]);
const TEXT_ENTRY = new Set(["textbox", "searchbox", "combobox", "spinbutton"]);

const checkedState = (element, role) => {
  if (isTag(element, "input")) {
    const type = inputType(element);
    if (type === "checkbox" || type === "radio") {
      if (element.indeterminate && type === "checkbox") return "mixed";
      return element.checked ? "true" : "";
    }
  }
  if (!CHECKABLE.has(role)) return "";
  const value = token(element, "aria-checked");
  return value === "true" || (value === "mixed" && !TWO_STATES.has(role)) ? value : "";
};

const LEVELLED = new Set(["comment", "heading", "listitem", "row", "treeitem"]);

const headingLevel = (element, role) => {
  const level = parseInt(attr(element, "aria-level") || "", 10);
  if (level > 0) return level;
  if (role !== "heading") return 0;
  const tag = /^h([1-6])$/.exec(localNameOf(element));
  return tag ? Number(tag[1]) : 2;
};

// A disabled group disables what is in it; most pages have none.
let groupsAreDisabled = false;

const isUnavailable = (element) => {
  if (isDisabledControl(element)) return true;
  if (!groupsAreDisabled) return false;
  const nearest = closestOf(element, '[aria-disabled="true" i],[aria-disabled="false" i]');
  return nearest !== null && token(nearest, "aria-disabled") === "true";
};

// The generic is here for what is pressed without a role to say so.
const EXPANDABLE = new Set(
  (
    "application button checkbox columnheader combobox generic gridcell link listbox menuitem menuitemcheckbox " +
    "menuitemradio row rowheader switch tab treeitem"
  ).split(" "),
);

const expandedState = (element, role) => {
  if (isTag(element, "summary") && isDetailsSummary(element))
    return hasAttr(parentNodeOf(element), "open") ? "true" : "false";
  const shown = popoverState(element);
  if (shown) return shown;
  const value = EXPANDABLE.has(role) ? token(element, "aria-expanded") : "";
  return value === "true" || value === "false" ? value : "";
};

const OPENERS = new Set(["button", "submit", "reset", "image"]);

// Whether the popover that a button opens is open: this the browser knows, whatever the page says.
const popoverState = (element) => {
  if (!isTag(element, "button") && !(isTag(element, "input") && OPENERS.has(inputType(element)))) return "";
  const command = attr(element, "command");
  const commanded = command && command.toLowerCase().endsWith("-popover") ? element.commandForElement : null;
  const target = commanded || element.popoverTargetElement;
  return target ? String(matchesSelector(target, ":popover-open")) : "";
};

const isSelected = (element, role) => {
  if (isTag(element, "option")) return element.selected;
  return SELECTABLE.has(role) && token(element, "aria-selected") === "true";
};

const VALIDATED = /^(?:input|select|textarea)$/;

const invalidState = (element) => {
  const value = token(element, "aria-invalid");
  if (value !== null) {
    if (value === "" || value === "false") return "";
    return value === "grammar" || value === "spelling" ? " invalid=" + value : " invalid";
  }
  if (!isHtml(element) || !VALIDATED.test(localNameOf(element))) return "";
  // An empty field that must be filled is not wrong yet.
  const wrong =
    matchesSelector(element, ":user-invalid") || (matchesSelector(element, ":invalid") && Boolean(element.value));
  return wrong ? " invalid" : "";
};

const CURRENT_KINDS = new Set(["page", "step", "location", "date", "time"]);

const currentState = (element) => {
  const value = token(element, "aria-current");
  if (!value || value === "false") return "";
  return CURRENT_KINDS.has(value) ? " current=" + value : " current";
};

const activeElementOf = reader(Document.prototype, "activeElement");
const deepActiveElement = () => {
  let active = activeElementOf(document);
  while (active) {
    const shadow = shadowOf(active);
    const inner = shadow && shadow.activeElement;
    if (!inner) return active;
    active = inner;
  }
  return null;
};
let activeElement = null;

const rangeValue = (element, role) => {
  const text = attr(element, "aria-valuetext");
  if (text) return "(aria)" + quote(text, 80);
  const native =
    isHtml(element) && /^(?:input|progress|meter)$/.test(localNameOf(element))
      ? nativeRange(element)
      : attr(element, "aria-valuenow");
  return native === null || native === "" ? "" : bareNumber(native);
};

const bareNumber = (value) => (/^[-+.\deE]+$/.test(value) ? value : quote(value, 80));

const nativeRange = (element) => {
  if (isTag(element, "progress")) return hasAttr(element, "value") ? String(element.value) : null;
  return String(element.value);
};

const valueState = (element, role, limit) => {
  if (RANGES.has(role)) {
    const value = rangeValue(element, role);
    return value ? " value=" + value : "";
  }
  if (!isHtml(element)) return "";
  const tag = localNameOf(element);
  if (tag === "select")
    return role === "listbox" ? "" : " value=" + quote(Array.from(element.selectedOptions, optionText).join(", "));
  if (tag === "textarea") return element.value ? " value=" + quote(element.value, limit) : "";
  if (tag === "input") return inputValueState(element, limit);
  if (TEXT_ENTRY.has(role) || isEditingHost(element)) return editableValue(element, role, limit);
  return "";
};

const inputValueState = (element, limit) => {
  const type = inputType(element);
  if (type === "file")
    return element.files && element.files.length
      ? " value=" + quote(Array.from(element.files, (f) => f.name).join(", "))
      : "";
  if (wasPassword(element)) return element.value ? ` value=(${element.value.length} hidden characters)` : "";
  if (type === "color") return " value=" + bareWord(element.value, 20);
  if (!TEXT_INPUTS.has(type)) return "";
  return element.value ? " value=" + quote(element.value, limit) : "";
};

const isEditingHost = (element) => {
  const value = attr(element, "contenteditable");
  return value !== null && value.toLowerCase() !== "false" && isHtml(element);
};

const editableValue = (element, role, limit) => {
  if (!isHtml(element)) return "";
  const text = innerTextOf(element).replace(/\n$/, "");
  return text.trim() ? " value=" + quote(text, limit) : "";
};

const OPTION_LIMIT = 24;
const optionsOf = (element) => {
  if (isTag(element, "select")) return Array.from(element.options);
  const list = isTag(element, "input") ? element.list : null;
  return list ? Array.from(list.options) : [];
};

// An option that the list does not show when it is opened, nor its group.
const isLeftOut = (option) => {
  for (let step = option; step && !isTag(step, "select"); step = parentElementOf(step))
    if (hasAttr(step, "hidden") || (isHtml(step) && getComputedStyle(step).display === "none")) return true;
  return false;
};

const optionsState = (element) => {
  const all = optionsOf(element).filter((option) => !isLeftOut(option));
  if (!all.length || (all.length === 1 && all[0].selected && isTag(element, "select"))) return "";
  const shown = all
    .slice(0, OPTION_LIMIT)
    .map((option) => quote(optionText(option) || option.value, 60) + (option.disabled ? " disabled" : ""));
  const more = all.length - shown.length;
  return ` options=${shown.join("|")}${more > 0 ? ` (+${thousands(more)} more)` : ""}`;
};

const POPUPS = new Set(["menu", "listbox", "tree", "grid", "dialog"]);

const statesOf = (element, role) => {
  let states = "";
  const checked = checkedState(element, role);
  if (checked) states += checked === "mixed" ? " checked=mixed" : " checked";
  if (kindsOf(element) & (ARIA | FIELD)) states += attributeStates(element, role);
  else states += nativeStates(element, role);
  if (isUnavailable(element)) states += " disabled";
  return states;
};

const nativeStates = (element, role) => {
  if (role === "heading") return " level=" + headingLevel(element, role);
  if (isTag(element, "summary") && isDetailsSummary(element))
    return expandedState(element, role) === "true" ? " expanded" : " expanded=false";
  if (role === "option" && isSelected(element, role)) return " selected";
  return invalidState(element);
};

const attributeStates = (element, role) => {
  let states = "";
  const pressed = role === "button" ? token(element, "aria-pressed") : null;
  if (pressed === "true" || pressed === "mixed" || pressed === "false")
    states += pressed === "true" ? " pressed" : " pressed=" + pressed;
  const expanded = expandedState(element, role);
  if (expanded) states += expanded === "true" ? " expanded" : " expanded=false";
  if (isSelected(element, role)) states += " selected";
  const level = LEVELLED.has(role) ? headingLevel(element, role) : 0;
  if (level) states += " level=" + level;
  states += currentState(element);
  const popup = token(element, "aria-haspopup");
  if (popup && (POPUPS.has(popup) || popup === "true"))
    states += popup === "true" || popup === "menu" ? " haspopup" : " haspopup=" + popup;
  if (hasAttr(element, "required") && mayBeRequired(element)) states += " required";
  else if (REQUIRABLE.has(role) && token(element, "aria-required") === "true") states += " required";
  states += invalidState(element);
  if (isReadOnly(element, role)) states += " readonly";
  if (token(element, "aria-busy") === "true") states += " busy";
  if (token(element, "aria-sort") && token(element, "aria-sort") !== "none")
    states += " sort=" + bareWord(token(element, "aria-sort"), 12);
  return states;
};

// A grid that cannot be written hands that down to its cells.
const inheritsReadOnly = (element, role) => {
  if (role !== "gridcell" || hasAttr(element, "aria-readonly")) return false;
  for (let node = holderOf(element); node; node = holderOf(node))
    if (isGrid(roleOf(node))) return token(node, "aria-readonly") === "true";
  return false;
};

const NEVER_REQUIRED = new Set(["button", "color", "hidden", "image", "range", "reset", "submit"]);

const mayBeRequired = (element) =>
  isTag(element, "select") ||
  isTag(element, "textarea") ||
  (isTag(element, "input") && !NEVER_REQUIRED.has(inputType(element)));

const LOCKABLE = new Set(
  (
    "checkbox columnheader combobox grid gridcell listbox menuitemcheckbox menuitemradio radiogroup rowheader searchbox " +
    "slider spinbutton switch textbox treegrid"
  ).split(" "),
);

const isReadOnly = (element, role) => {
  if (LOCKABLE.has(role) && token(element, "aria-readonly") === "true") return true;
  if (!hasAttr(element, "readonly")) return false;
  return isTag(element, "textarea") || (isTag(element, "input") && TEXT_INPUTS.has(inputType(element)));
};
