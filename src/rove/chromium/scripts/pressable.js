// What a person can press, whether or not the markup says so.

const PRESS_ROLES = new Set(
  (
    "button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar searchbox " +
    "slider spinbutton switch tab textbox treeitem doc-backlink doc-biblioref doc-glossref doc-noteref"
  ).split(" "),
);
// These roles are pressed only where something in the markup says so; a table of a thousand gridcells has no thousand buttons.
const PRESS_IF_FOCUSABLE = new Set(["gridcell", "scrollbar", "listbox"]);

const hinted = new WeakSet();
let anyHinted = false;
const hintClickable = (elements) => {
  for (const element of elements) for (const each of partsOf(element)) hinted.add(each);
  anyHinted = true;
};

// A board that listens for its cells is as many things to press as it has cells.
const partsOf = (element) => {
  const parts = Array.from(Element.prototype.querySelectorAll.call(element, ":scope > *"));
  const look = (part) => localNameOf(part) + "." + (attr(part, "class") || "").split(/\s+/)[0];
  return parts.length > 1 && parts.every((part) => look(part) === look(parts[0]) && !INLINE.has(localNameOf(part)))
    ? parts
    : [element];
};
const INLINE = new Set(["b", "i", "em", "strong", "small", "br", "code", "sub", "sup", "path", "g"]);

const STRONG = 2;
const WEAK = 1;

// STRONG: the markup or the driver says so. WEAK: only the cursor does.
const pressStrength = (element, role, facts, context) => {
  if (PRESS_ROLES.has(role) && (!PRESS_IF_FOCUSABLE.has(role) || isFocusable(element))) return STRONG;
  if (anyHinted && hinted.has(element)) return STRONG;
  const kinds = kindsOf(element);
  if (kinds & CLICKS) return STRONG;
  if (kinds & FOCUS && parseInt(attr(element, "tabindex"), 10) >= 0) return STRONG;
  if (kinds & EDITS && (isEditingHost(element) || attr(element, "draggable") === "true")) return STRONG;
  const tag = facts.tag;
  if (PLAYERS.has(tag) && hasAttr(element, "controls")) return STRONG;
  if (tag === "a" && !hasAttr(element, "href") && isHtml(element) && firstChildOf(element) !== null) return STRONG;
  if (context.shapes && SHAPES.has(tag)) return STRONG;
  return facts.pointer && !context.pointer && !facts.untouchable ? WEAK : 0;
};

const SHAPES = new Set(["circle", "rect", "ellipse", "polygon"]);
const MAX_SHAPES = 40;

// A drawing of a few shapes may be there to be pressed, shape by shape; an icon or a chart of hundreds is not.
const holdsShapes = (svg) => {
  const rect = rectOf(svg);
  if (rect.width < 60 || rect.height < 60 || hasOwnLabel(svg) || hasAttr(svg, "role")) return false;
  const count = queryAll(svg, "circle,rect,ellipse,polygon").length;
  return count > 0 && count <= MAX_SHAPES;
};

const PLAYERS = new Set(["video", "audio"]);

// A row of look-alikes inside one pointer area (ul { cursor: pointer }) is many things to press, not one.
const holdsLookalikes = (element) => {
  if (childCountOf(element) < 2) return false;
  for (let child = firstChildOf(element); child; child = nextSiblingOf(child)) {
    if (isText(child) && textDataOf(child).trim()) return false;
  }
  const first = firstElementOf(element);
  const tag = localNameOf(first);
  const looks = (attr(first, "class") || "").split(/\s+/)[0];
  for (let child = nextElementOf(first); child; child = nextElementOf(child)) {
    if (localNameOf(child) !== tag || (attr(child, "class") || "").split(/\s+/)[0] !== looks) return false;
  }
  return Boolean(textContentOf(first).trim()) || tag === "img" || tag === "svg";
};

const STAND_IN_TYPES = new Set(["checkbox", "radio", "file"]);

// A control that a person cannot see though its label or a drawn replacement can be pressed for it.
const isUnseenControl = (control) => {
  if (!checkVisibility(control, { opacityProperty: true, visibilityProperty: true })) return true;
  const rect = rectOf(control);
  if (rect.width <= 2 || rect.height <= 2) return true;
  if (rect.right + scrollX <= 0 || rect.bottom + scrollY <= 0) return true;
  const style = getComputedStyle(control);
  if (style.clip !== "auto" && style.position === "absolute") return true;
  const shape = style.clipPath === "none" ? null : clipPathRect(style.clipPath, rect);
  return shape !== null && hiddenBy(shape, rect);
};

const standsInFor = (label) => {
  const control = label.control;
  if (!control || !isTag(control, "input") || !STAND_IN_TYPES.has(inputType(control))) return null;
  return isUnseenControl(control) ? control : null;
};

const visibleLabelOf = (control) => {
  if (!isTag(control, "input") || !STAND_IN_TYPES.has(inputType(control))) return null;
  for (const label of labelsOf(control)) {
    if (isRendered(label)) {
      const rect = rectOf(label);
      if (rect.width > 2 && rect.height > 2) return label;
    }
  }
  return null;
};
