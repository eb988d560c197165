// One element as one line: role, name, marks, states. The place of the ref is kept by a character that no page text can hold.

const REF = "\u0001";

const MARK_TEXT = {
  "aria-hidden": "aria-hidden",
  inert: "inert",
  "screen-reader text": "screen-reader only",
  "perhaps masked": "perhaps invisible: masked",
  "perhaps filter": "perhaps invisible: filter",
  "partly covered": "partly invisible: covered",
};
const markFor = (reason) => (reason ? ` (${MARK_TEXT[reason] || "invisible: " + reason})` : "");

// Where a name comes from that a person does not see: an aria attribute, a tooltip, words that are hidden.
const nameMark = (element, naming) => {
  if (!naming.name) return "";
  if (naming.titled) return " (title)";
  switch (naming.source) {
    case "aria-label":
      return " (aria)";
    case "title":
    case "svg-title":
      return " (title)";
    case "labelledby":
      return naming.hiddenSource ? " (aria)" : markFor(firstUnseen(idrefs(element, "aria-labelledby")));
    case "placeholder":
      return element.value ? " (placeholder)" : markFor(unseenPlaceholder(element));
    case "label":
      return markFor(firstUnseen(labelsOf(element)));
    case "caption":
      return markFor(firstUnseen([captionOf(element) || figureCaptionOf(element)].filter(Boolean)));
    default:
      return "";
  }
};

const firstUnseen = (elements) => {
  for (const element of elements) {
    const reason = unseenWords(element);
    if (reason) return reason;
  }
  return "";
};

const unseenPlaceholder = (element) => unseenPseudo(getComputedStyle(element, "::placeholder"), contextInside(element));

const descriptionState = (element, naming) => {
  if (!(kindsOf(element) & (ARIA | TITLE)) && namespaceOf(element) !== SVG) return "";
  const description = descriptionOf(element, naming);
  if (!description) return "";
  return ` desc${description.aria ? "(aria)" : ""}=${quote(description.text, 200)}`;
};

const placeholderState = (element, naming) => {
  const placeholder = attr(element, "placeholder") || attr(element, "aria-placeholder");
  if (!placeholder || naming.source === "placeholder" || squash(placeholder) === naming.name) return "";
  return " placeholder=" + quote(placeholder, 120);
};

const roleDescription = (element) => {
  const text = attr(element, "aria-roledescription");
  return text && text.trim() ? " roledescription(aria)=" + quote(text, 60) : "";
};

// Everything after the name except marks.
const detailsOf = (element, role, naming, full) => {
  let details = statesOf(element, role);
  if (full && inheritsReadOnly(element, role)) details += " readonly";
  if (kindsOf(element)) {
    if (TEXT_ENTRY.has(role) || (isHtml(element) && localNameOf(element) === "textarea"))
      details += placeholderState(element, naming);
    details += valueState(element, role, full ? MAX_TEXT : 300);
    if (!hasAttr(element, "aria-hidden")) details += descriptionState(element, naming);
    details += roleDescription(element);
  } else details += valueState(element, role, full ? MAX_TEXT : 300);
  if (role === "combobox") details += optionsState(element);
  return details;
};

// The kind of field decides what can be typed into it.
const typeState = (element, role) => {
  if (!isTag(element, "input")) return "";
  const type = inputType(element);
  if (role === "textbox" && type !== "text") return " type=" + type;
  return role === "button" && (type === "file" || type === "color") ? " type=" + type : "";
};

const head = (role, name, limit) => (name ? `${role} ${quote(name, limit)}` : role);

// What an author calls an element that has no name by the standards is told, but not as a name.
const headInFull = (element, shown, naming, limit) => {
  const unnameable = UNNAMEABLE.has(shown) && naming.name && naming.source !== "title";
  const words = unnameable ? `${shown} label=${quote(naming.name, limit)}` : head(shown, naming.name, limit);
  return words + nameMark(element, naming);
};

const guessIfNameless = (element, naming, strength) => {
  if (naming.name || !strength) return "";
  const guess = guessFor(element);
  return guess ? " ~" + quote(guess, 60) : "";
};

// The whole line but for marks and ref: role, name and where it comes from or a guess, type, states.
const compose = (element, shown, role, naming, strength, full = false) =>
  isBare(element)
    ? head(shown, naming.name, full ? MAX_TEXT : MAX_NAME) +
      (naming.titled ? " (title)" : "") +
      guessIfNameless(element, naming, strength) +
      bareStates(element, role)
    : composeInFull(element, shown, role, naming, strength, full);

const BARE_TAGS = new Set(
  "a article aside button dd div dl dt footer h1 h2 h3 h4 h5 h6 header li main nav ol p section span tr ul".split(" "),
);

// No attribute that says anything about name or state, on an element that has no state of its own.
const isBare = (element) =>
  !groupsAreDisabled && kindsOf(element) === 0 && BARE_TAGS.has(localNameOf(element)) && isHtml(element);

const bareStates = (element, role) => {
  if (role === "heading") return " level=" + localNameOf(element).slice(1);
  return role === "button" && matchesSelector(element, ":disabled") ? " disabled" : "";
};

const composeInFull = (element, shown, role, naming, strength, full) =>
  headInFull(element, shown, naming, full ? MAX_TEXT : MAX_NAME) +
  guessIfNameless(element, naming, strength) +
  typeState(element, role) +
  detailsOf(element, role, naming, full);

const SAFE_ADDRESS = /^[\w\-./?=&#:%~+,;@!$*']{1,200}$/;

let pageOrigin = "";

const hrefOf = (element) => {
  const href = attr(element, "href") ?? attr(element, "xlink:href");
  if (!href || href === "#") return "";
  const first = href.charCodeAt(0);
  // A slash or "h" begins nearly every address, and no script.
  if (first !== 47 && first !== 104 && /^\s*javascript:/i.test(href)) return "";
  const short = href.startsWith(pageOrigin) ? href.slice(pageOrigin.length - 1) : href.trim();
  return SAFE_ADDRESS.test(short) ? short : bareWord(short, 200);
};

// Where links lead is told to whoever asks for it: on a page of links it would be most of what travels.
let hrefsAreWanted = false;
const noteHref = (row, element) => {
  const href = hrefsAreWanted && hrefOf(element);
  if (href) row.href = href;
};
