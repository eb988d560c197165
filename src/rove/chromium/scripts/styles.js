// Computed style, read once per distinct way of being styled: siblings that no rule can tell apart share one record.

const LOW_CONTRAST = 1.12;

const colours = new Map();
let paint = null;

// Any CSS colour as [red, green, blue, alpha]; modern spaces are asked of a one-pixel canvas.
const parseColour = (value) => {
  let colour = colours.get(value);
  if (colour) return colour;
  const match = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(value);
  if (match)
    colour = [Number(match[1]), Number(match[2]), Number(match[3]), match[4] === undefined ? 1 : Number(match[4])];
  else colour = paintedColour(value);
  if (colours.size > 2000) colours.clear();
  colours.set(value, colour);
  return colour;
};

const paintedColour = (value) => {
  try {
    paint = paint || new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    paint.clearRect(0, 0, 1, 1);
    paint.fillStyle = "#000";
    paint.fillStyle = value;
    paint.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = paint.getImageData(0, 0, 1, 1).data;
    return [red, green, blue, alpha / 255];
  } catch {
    return [0, 0, 0, 1];
  }
};

const luminance = ([red, green, blue]) => {
  const linear = (channel) => (channel <= 10 ? channel / 3294 : ((channel / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
};

const contrast = (a, b) => {
  const first = luminance(a) + 0.05;
  const second = luminance(b) + 0.05;
  return first > second ? first / second : second / first;
};

const over = (top, below) => {
  const alpha = top[3];
  if (alpha >= 1) return top;
  return [0, 1, 2].map((i) => top[i] * alpha + below[i] * (1 - alpha)).concat(1);
};

const hasNegativeMargin = (style) =>
  style.marginTop.charCodeAt(0) === 45 ||
  style.marginLeft.charCodeAt(0) === 45 ||
  style.marginBottom.charCodeAt(0) === 45 ||
  style.marginRight.charCodeAt(0) === 45;

const pseudoOf = (element, which) => {
  const content = getComputedStyle(element, which).content;
  return content !== "none" && content !== "normal" && content !== "";
};

const filterHides = (filter) => {
  if (filter === "none") return false;
  const opacity = /opacity\(([\d.]+)\)/.exec(filter);
  const blur = /blur\(([\d.]+)px\)/.exec(filter);
  return Boolean((opacity && Number(opacity[1]) < 0.08) || (blur && Number(blur[1]) >= 8));
};

const maskHides = (mask) =>
  mask !== "none" && /gradient\(/.test(mask) && !/(?:rgb\(|rgba\([^)]*, (?:1|0\.[1-9]\d*)\))/.test(mask);

const turnedAway = (transform) => {
  const match = /^matrix3d\(([^)]+)\)$/.exec(transform);
  return Boolean(match && Number(match[1].split(", ")[10]) < 0);
};

// What about this style, on its own, keeps text from being seen.
const hidingReason = (style, transform) => {
  if (filterHides(style.filter)) return "filter";
  if (maskHides(style.maskImage)) return "masked";
  if (transform !== "none" && style.backfaceVisibility === "hidden" && turnedAway(transform)) return "turned away";
  return "";
};

const readStyle = (element) => {
  const style = getComputedStyle(element);
  const display = style.display;
  // No display at all: not in the flattened tree, so some shadow root unknown to us leaves it out.
  if (display === "none" || display === "") return { none: true, kids: null, outside: display === "" };
  const transform = style.transform;
  const position = style.position;
  const overflow = style.overflowX + " " + style.overflowY;
  const background = parseColour(style.backgroundColor);
  const inline = display === "inline" || display === "contents" || display.startsWith("ruby");
  return {
    none: false,
    kids: new Map(),
    display,
    inline,
    breaks: !inline && !display.startsWith("inline"),
    visible: style.visibility === "visible",
    opacity: Number(style.opacity),
    pointer: style.cursor === "pointer",
    position,
    placed: position !== "static",
    zIndex: style.zIndex === "auto" ? 0 : Number(style.zIndex),
    background,
    pictured: picturedBy(style.backgroundImage),
    colour: namespaceOf(element) === SVG ? fillColour(style) : textColour(style),
    decorated: isDecorated(style),
    clippedToText: style.webkitBackgroundClip === "text",
    fontSize: parseFloat(style.fontSize) * zoomOf(element),
    // Text may stand far from its box: only its own rectangle tells where.
    strays:
      style.textIndent !== "0px" ||
      parseFloat(style.letterSpacing) < -2 ||
      parseFloat(style.marginLeft) < -100 ||
      parseFloat(style.marginTop) < -100 ||
      namespaceOf(element) === SVG,
    clipPath: style.clipPath,
    hides: overflow.includes("hidden") || overflow.includes("clip"),
    scrolls: overflow.includes("auto") || overflow.includes("scroll"),
    moved:
      transform !== "none" ||
      style.translate !== "none" ||
      style.scale !== "none" ||
      style.rotate !== "none" ||
      style.offsetPath !== "none" ||
      hasNegativeMargin(style) ||
      style.perspective !== "none",
    legacyClip: position === "absolute" || position === "fixed" ? style.clip !== "auto" : false,
    skipsContent: style.contentVisibility === "hidden",
    reason: hidingReason(style, transform),
    keepsLines: /^(?:pre|break-spaces)/.test(style.whiteSpace),
    keepsSpaces: /^(?:pre|break-spaces)(?!-line)/.test(style.whiteSpace),
    overlaps: style.gridRowStart !== "auto" || style.gridArea !== "auto",
    before: mayHavePseudo(element) && pseudoOf(element, "::before"),
    after: mayHavePseudo(element) && pseudoOf(element, "::after"),
    masksText: style.webkitTextSecurity !== "none",
    untouchable: style.pointerEvents === "none",
  };
};

const zoomOf = reader(Element.prototype, "currentCSSZoom");

const coloursIn = (value) =>
  (value.match(/(?:rgba?|hsla?|color|oklch|oklab|lab|lch|hwb)\([^)]*\)/g) || []).map(parseColour);

// A shadow or outline of another colour shows the text though its own colour would not.
const isDecorated = (style) => {
  if (style.webkitTextStrokeWidth !== "0px")
    return contrast(parseColour(style.webkitTextStrokeColor), parseColour(style.color)) > LOW_CONTRAST;
  if (style.textShadow === "none") return false;
  return coloursIn(style.textShadow).some(
    (colour) => colour[3] > 0.2 && contrast(colour, parseColour(style.color)) > LOW_CONTRAST,
  );
};

// null: nothing drawn; a list: the colours of a gradient; an empty list: a picture of unknown colours.
const picturedBy = (image) => {
  if (image === "none") return null;
  return image.includes("url(") ? [] : coloursIn(image);
};

const fillColour = (style) => {
  if (style.fill === "none" || style.fill.startsWith("url("))
    return style.fill === "none" && style.stroke === "none" ? [0, 0, 0, 0] : [128, 128, 128, 1];
  const colour = parseColour(style.fill);
  return [colour[0], colour[1], colour[2], colour[3] * Number(style.fillOpacity)];
};

const textColour = (style) => {
  const fill = style.webkitTextFillColor;
  return parseColour(fill || style.color);
};

const styleKey = (element) => {
  let key = localNameOf(element);
  if (distinctions.tags.size) key += distinctions.tags.get(element) || "";
  if (distinctions.pseudo.size && distinctions.pseudo.has(element)) key += ":p";
  if (!hasAnyAttribute(element)) return key;
  for (const name of attributeNames(element)) {
    // Attributes that no rule mentions cannot change the style, except those that style by themselves.
    if (
      name === "class" ||
      name === "style" ||
      name === "type" ||
      KINDS.get(name) === STYLES ||
      distinctions.attributes.has(name)
    ) {
      key += "\u0000" + name + "=" + attr(element, name);
    } else if (name === "href") key += "\u0000href";
    else if (name === "contenteditable" || name === "inert") key += "\u0000" + name + attr(element, name);
    else if (name === "id" && distinctions.ids.has(attr(element, name))) key += "\u0000#" + attr(element, name);
  }
  return key;
};

// Sheets inside shadow trees are not read, so nothing below a shadow host is shared.
const styleOf = (element, parent) => {
  const alone = !parent || !parent.kids || !distinctions.safe || namespaceOf(element) !== HTML;
  if (alone) {
    const facts = readStyle(element);
    if (!distinctions.safe || (parent && parent.kids === null) || shadowOf(element)) facts.kids = null;
    return facts;
  }
  const key = styleKey(element);
  let facts = parent.kids.get(key);
  if (!facts) parent.kids.set(key, (facts = readStyle(element)));
  return shadowOf(element) ? { ...facts, kids: null } : facts;
};
