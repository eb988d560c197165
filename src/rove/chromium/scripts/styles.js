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
  // What a picture's filter makes of the text can only be seen.
  if (filter.includes("url(")) return true;
  const opacity = /opacity\(([\d.]+)\)/.exec(filter);
  const blur = /blur\(([\d.]+)px\)/.exec(filter);
  return Boolean((opacity && Number(opacity[1]) < 0.08) || (blur && Number(blur[1]) >= 8));
};

const maskHides = (style) => {
  const mask = style.maskImage;
  if (mask === "none") return false;
  if (!/gradient\(/.test(mask)) return true; // a picture: what it lets through can only be seen
  if (!/(?:rgb\(|rgba\([^)]*, (?:1|0\.[1-9]\d*)\))/.test(mask)) return true;
  if (/(?:^|[ ,])0(?:px|%)(?:$|[ ,])/.test(style.maskSize)) return true;
  return /no-repeat/.test(style.maskRepeat) && /-?\d{4,}px/.test(style.maskPosition);
};

const depthsOf = (transform) => {
  const match = /^matrix3d\(([^)]+)\)$/.exec(transform);
  return match ? match[1].split(", ").map(Number) : null;
};

const turnedAway = (transform) => {
  const depths = depthsOf(transform);
  return Boolean(depths && depths[10] < 0);
};

// Nearer than the eye: by a perspective of its own, or by that of the box around it.
const isBehindTheEye = (transform, parent) => {
  const depths = depthsOf(transform);
  if (!depths) return false;
  return depths[15] <= 0 || Boolean(parent && parent.perspective && depths[14] >= parent.perspective);
};

// What about this style, on its own, keeps text from being seen.
const hidingReason = (style, transform, parent) => {
  if (filterHides(style.filter)) return style.filter.includes("url(") ? "perhaps filter" : "filter";
  if (maskHides(style)) return /gradient\(/.test(style.maskImage) ? "masked" : "perhaps masked";
  const turned = transform !== "none" && turnedAway(transform);
  const around = Boolean(parent && parent.turned);
  if (style.backfaceVisibility === "hidden" && turned !== around) return "turned away";
  return isBehindTheEye(transform, parent) ? "behind the eye" : "";
};

// How a filter changes a colour; null where it changes none.
const CHANNELS = {
  brightness: (channel, by) => channel * by,
  contrast: (channel, by) => (channel - 127.5) * by + 127.5,
  invert: (channel, by) => channel * (1 - by) + (255 - channel) * by,
};
const filteredBy = (filter) => {
  const steps = [...filter.matchAll(/(brightness|contrast|invert)\(([\d.]+)\)/g)];
  if (!steps.length) return null;
  return (colour) => {
    const change = (channel) =>
      steps.reduce((now, [, name, by]) => Math.min(255, Math.max(0, CHANNELS[name](now, Number(by)))), channel);
    return [change(colour[0]), change(colour[1]), change(colour[2]), colour[3]];
  };
};

// What lies under it as a colour is blended with it, channel by channel from 0 to 1.
const BLENDS = {
  multiply: (below, top) => below * top,
  darken: Math.min,
  screen: (below, top) => below + top - below * top,
  lighten: Math.max,
  "color-dodge": (below, top) => (top >= 1 ? 1 : Math.min(1, below / (1 - top))),
  "color-burn": (below, top) => (below >= 1 ? 1 : top <= 0 ? 0 : 1 - Math.min(1, (1 - below) / top)),
  "hard-light": (below, top) => (top <= 0.5 ? 2 * below * top : 1 - 2 * (1 - below) * (1 - top)),
  overlay: (below, top) => (below <= 0.5 ? 2 * below * top : 1 - 2 * (1 - below) * (1 - top)),
  "soft-light": (below, top) => (1 - 2 * top) * below * below + 2 * top * below,
  difference: (below, top) => Math.abs(below - top),
  exclusion: (below, top) => below + top - 2 * below * top,
  "plus-lighter": (below, top) => Math.min(1, below + top),
};
const blended = (mode, below, top) =>
  [0, 1, 2].map((i) => 255 * BLENDS[mode](below[i] / 255, top[i] / 255)).concat(top[3]);

// An opaque box that a style sheet lays over what is in the element.
const veilOf = (element, which) => {
  const style = getComputedStyle(element, which);
  if (style.position !== "absolute" || style.visibility !== "visible" || style.display === "none") return null;
  if (Number(style.opacity) < 0.9 || style.transform !== "none" || parseColour(style.backgroundColor)[3] < 0.95)
    return null;
  const layer = style.zIndex === "auto" ? 0 : Number(style.zIndex);
  return layer < 0 ? null : { style, layer, isLater: which === "::after" };
};

const HIDES = /hidden|clip/;
const SCROLLS = /auto|scroll/;
const NO_COLOUR = [0, 0, 0, 0];

// Which families of looks could differ from their defaults here.
const looksOf = (element, parent) => {
  if (!parent || parent.none || !parent.kids || !isHtml(element) || hasAttr(element, "style")) return ALL_LOOKS;
  let looks = distinctions.looks;
  if (parent.lettered) looks |= LETTERS;
  if (kindsOf(element) & STYLES) looks |= PICTURES | PLACES;
  return looks;
};

const readStyle = (element, parent = null) => {
  const style = getComputedStyle(element);
  const display = style.display;
  const tag = localNameOf(element);
  // No display at all: not in the flattened tree, so some shadow root unknown to us leaves it out.
  if (display === "none" || display === "") return { none: true, kids: null, tag, outside: display === "" };
  const looks = looksOf(element, parent);
  const html = namespaceOf(element) === HTML;
  const position = style.position;
  const overflow = style.overflowX + " " + style.overflowY;
  const inline = display === "inline" || display === "contents" || display.startsWith("ruby");
  const moves = looks & MOVES;
  const paints = looks & PAINTS;
  const letters = looks & LETTERS;
  const places = looks & PLACES;
  const transform = moves ? style.transform : "none";
  const collapses = style.whiteSpaceCollapse;
  const pseudo = mayHavePseudo(element);
  const odd = letters !== 0 && hasOddLetters(style);
  const zoom = letters || !parent ? zoomOf(element) : parent.zoom;
  return {
    none: false,
    kids: new Map(),
    tag,
    html,
    custom: html && tag.includes("-"),
    hosting: html && (HOST_TAGS.has(tag) || tag === "body" || tag.includes("-")),
    display,
    inline,
    breaks: !inline && !display.startsWith("inline"),
    visible: style.visibility === "visible",
    opacity: paints ? Number(style.opacity) : 1,
    pointer: style.cursor === "pointer",
    position,
    placed: position !== "static",
    zIndex: position !== "static" ? Number(style.zIndex) || 0 : 0,
    background: parseColour(style.backgroundColor),
    pictured: looks & PICTURES ? picturedBy(style.backgroundImage) : null,
    colour: namespaceOf(element) === SVG ? fillColour(style) : letters ? textColour(style) : parseColour(style.color),
    lettered: odd || zoom !== 1,
    zoom,
    decoration: odd ? decorationOf(style) : null,
    clippedToText: looks & PICTURES ? style.webkitBackgroundClip === "text" : false,
    fontSize: parseFloat(style.fontSize) * zoom,
    // Text may stand far from its box: only its own rectangle tells where.
    strays:
      (odd && (style.textIndent !== "0px" || parseFloat(style.letterSpacing) < -2)) ||
      (moves !== 0 && (parseFloat(style.marginLeft) < -100 || parseFloat(style.marginTop) < -100)) ||
      (letters !== 0 && hasShrunkLetters(style)) ||
      // Its fallback is not laid out where the object itself is shown.
      tag === "object" ||
      namespaceOf(element) === SVG,
    clipPath: paints ? style.clipPath : "none",
    hides: HIDES.test(overflow) || (places !== 0 && clipsItsPaint(style)),
    scrolls: SCROLLS.test(overflow),
    moved: moves !== 0 && isMoved(style, transform),
    legacyClip: paints && (position === "absolute" || position === "fixed") ? style.clip !== "auto" : false,
    skipsContent: places ? style.contentVisibility === "hidden" : false,
    reason: paints || moves ? hidingReason(style, transform, parent) : "",
    turned: moves !== 0 && style.transformStyle === "preserve-3d" && turnedAway(transform),
    perspective: moves !== 0 ? parseFloat(style.perspective) || 0 : 0,
    filtered: paints ? filteredBy(style.filter) : null,
    blend: paints && style.mixBlendMode in BLENDS ? style.mixBlendMode : "",
    veiled: pseudo,
    firstLine: !distinctions.lines ? null : inline ? parent && parent.firstLine : firstLineOf(element),
    keepsLines: collapses !== "collapse",
    keepsSpaces: collapses !== "collapse" && collapses !== "preserve-breaks",
    overlaps: places ? style.gridRowStart !== "auto" || style.gridArea !== "auto" : false,
    before: pseudo && pseudoOf(element, "::before"),
    after: pseudo && pseudoOf(element, "::after"),
    masksText: odd && style.webkitTextSecurity !== "none",
    untouchable: places ? style.pointerEvents === "none" : false,
    contrastWith: null,
    lowContrast: false,
  };
};

const clipsItsPaint = (style) =>
  style.contentVisibility === "auto" || /paint|strict|content/.test(style.contain);

const hasShrunkLetters = (style) =>
  style.fontSizeAdjust !== "none" || (shrunkFonts.length !== 0 && shrunkFonts.some((name) => style.fontFamily.includes(name)));

// Families whose letters a sheet has made too small to be read.
let shrunkFonts = [];
const findShrunkFonts = () => {
  shrunkFonts = [];
  for (const font of document.fonts)
    if (parseFloat(font.sizeAdjust) < 20) shrunkFonts.push(font.family.replace(/^["']|["']$/g, ""));
};

const firstLineOf = (element) => textColour(getComputedStyle(element, "::first-line"));

const isMoved = (style, transform) =>
  transform !== "none" ||
  style.translate !== "none" ||
  style.scale !== "none" ||
  style.rotate !== "none" ||
  style.offsetPath !== "none" ||
  hasNegativeMargin(style) ||
  style.perspective !== "none";

// Inherited, so what is below an odd one must be asked too.
const hasOddLetters = (style) =>
  style.textIndent !== "0px" ||
  style.letterSpacing !== "normal" ||
  style.textShadow !== "none" ||
  style.webkitTextStrokeWidth !== "0px" ||
  style.webkitTextSecurity !== "none" ||
  style.webkitTextFillColor !== style.color;

const zoomOf = reader(Element.prototype, "currentCSSZoom");

const coloursIn = (value) =>
  (value.match(/(?:rgba?|hsla?|color|oklch|oklab|lab|lch|hwb)\([^)]*\)/g) || []).map(parseColour);

// Shadows and outlines: those that show text though its own colour would not, and an outline that smothers it.
const decorationOf = (style) => {
  const width = parseFloat(style.webkitTextStrokeWidth);
  const stroke = width > 0 ? parseColour(style.webkitTextStrokeColor) : null;
  const shows = stroke && width >= 0.3 ? [stroke] : [];
  for (const shadow of style.textShadow.split(/,(?![^(]*\))/)) {
    const [colour] = coloursIn(shadow);
    const [across = 0, down = 0, blur = 0] = (shadow.match(/-?[\d.]+px/g) || []).map(parseFloat);
    if (colour && colour[3] > 0.2 && Math.abs(across) < 60 && Math.abs(down) < 60 && blur < 40) shows.push(colour);
  }
  const smothers = stroke && width > parseFloat(style.fontSize) / 4 && !/^stroke/.test(style.paintOrder) ? stroke : null;
  return { shows, smothers };
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

// One look at the attributes gives both the key and the kinds.
const styleKey = (element, tag) => {
  let key = tag;
  if (distinctions.tags.size !== 0) key += distinctions.tags.get(element) || "";
  if (distinctions.pseudo.size !== 0 && distinctions.pseudo.has(element)) key += ":p";
  let kinds = 0;
  if (hasAnyAttribute(element)) {
    const names = attributeNames(element);
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      const kind = KINDS.get(name) || (name.startsWith("aria-") ? ARIA : 0);
      kinds |= kind;
      // Attributes that no rule mentions cannot change the style, except those that style by themselves.
      if (name === "href" && !distinctions.attributes.has(name)) key += "\u0000href";
      else if (
        name === "href" ||
        name === "class" ||
        name === "style" ||
        name === "type" ||
        kind & STYLES ||
        name === "contenteditable" ||
        name === "inert" ||
        distinctions.attributes.has(name)
      )
        key += "\u0000" + name + "=" + attr(element, name);
      else if (name === "id" && distinctions.ids.size !== 0 && distinctions.ids.has(attr(element, name)))
        key += "\u0000#" + attr(element, name);
    }
    if (anySemantics && semantics.has(element)) kinds |= ARIA | ROLE | TELLS;
  }
  kindsFor = element;
  kindsFound = kinds;
  return key;
};

// Sheets inside shadow trees are not read, so nothing below a shadow host is shared.
const styleOf = (element, parent, tag = localNameOf(element), html = isHtml(element)) => {
  if (!parent || !parent.kids || !distinctions.safe || !html) {
    const facts = readStyle(element, parent);
    if (!distinctions.safe || (parent && parent.kids === null) || shadowOf(element)) facts.kids = null;
    return facts;
  }
  const key = styleKey(element, tag);
  let facts = parent.kids.get(key);
  if (facts === undefined) parent.kids.set(key, (facts = readStyle(element, parent)));
  return facts.hosting && shadowOf(element) ? { ...facts, kids: null } : facts;
};
