// Computed styles, read once per distinct way of being styled: siblings that no rule can tell apart share one record.

import {
  ARIA,
  ATTRIBUTE_KINDS,
  attr,
  CELL_STATE,
  HTML,
  hasAnyAttribute,
  hasAttr,
  hasInternals,
  internalsSemantics,
  isHtml,
  kindsOf,
  PRESENTATIONAL,
  ROLE,
  rememberKinds,
  SVG,
} from "../dom/elements.js";
import { attributeNames, localNameOf, namespaceOf, zoomOf } from "../dom/natives.js";
import {
  ALL_PROPERTY_GROUPS,
  BACKGROUND_IMAGES,
  distinctions,
  EFFECTS,
  LAYOUT,
  mayHavePseudo,
  TEXT_STYLES,
  TRANSFORMS,
} from "../dom/style_sheets.js";
import { HOST_TAGS, shadowOf } from "../dom/tree.js";
import { markerKind } from "../roles/generated_content.js";
import {
  BLENDS,
  backgroundImageColours,
  colourFilterOf,
  coloursIn,
  fillColour,
  parseColour,
  textColour,
} from "./colours.js";

// CSS effects that hide text: filters, masks, 3D transforms, text shadows and strokes.

/** @param {CSSStyleDeclaration} style */
const hasNegativeMargin = (style) =>
  style.marginTop.charCodeAt(0) === 45 ||
  style.marginLeft.charCodeAt(0) === 45 ||
  style.marginBottom.charCodeAt(0) === 45 ||
  style.marginRight.charCodeAt(0) === 45;

/** @param {string} filter */
const filterHides = (filter) => {
  if (filter === "none") return false;
  // What an SVG filter does to the text cannot be computed.
  if (filter.includes("url(")) return true;
  const opacity = /opacity\(([\d.]+)\)/.exec(filter);
  const blur = /blur\(([\d.]+)px\)/.exec(filter);
  return Boolean((opacity && Number(opacity[1]) < 0.08) || (blur && Number(blur[1]) >= 8));
};

/** @param {CSSStyleDeclaration} style */
const maskHides = (style) => {
  const mask = style.maskImage;
  if (mask === "none") return false;
  if (!/gradient\(/.test(mask)) return true; // what an image lets through cannot be computed
  if (!/(?:rgb\(|rgba\([^)]*, (?:1|0\.[1-9]\d*)\))/.test(mask)) return true;
  if (/(?:^|[ ,])0(?:px|%)(?:$|[ ,])/.test(style.maskSize)) return true;
  return /no-repeat/.test(style.maskRepeat) && /-?\d{4,}px/.test(style.maskPosition);
};

/** @param {string} transform */
const matrix3dOf = (transform) => {
  const match = /^matrix3d\(([^)]+)\)$/.exec(transform);
  return match ? match[1].split(", ").map(Number) : null;
};

/** @param {string} transform */
const facesAway = (transform) => {
  const depths = matrix3dOf(transform);
  return Boolean(depths && depths[10] < 0);
};

// Closer than the viewer: by a perspective of its own, or by that of the box around it.
/** @param {string} transform @param {StyleRecord | null} parent */
const isBehindViewer = (transform, parent) => {
  const depths = matrix3dOf(transform);
  if (!depths) return false;
  return depths[15] <= 0 || Boolean(parent && parent.perspective && depths[14] >= parent.perspective);
};

// The reason why this style by itself hides text.
/** @param {CSSStyleDeclaration} style @param {string} transform @param {StyleRecord | null} parent */
export const hidingReason = (style, transform, parent) => {
  if (filterHides(style.filter)) return style.filter.includes("url(") ? "perhaps filter" : "filter";
  if (maskHides(style)) return /gradient\(/.test(style.maskImage) ? "masked" : "perhaps masked";
  const turned = transform !== "none" && facesAway(transform);
  const around = Boolean(parent && parent.facesAway);
  if (style.backfaceVisibility === "hidden" && turned !== around) return "turned away";
  return isBehindViewer(transform, parent) ? "behind the eye" : "";
};

/** @param {CSSStyleDeclaration} style */
const hasPaintContainment = (style) => style.contentVisibility === "auto" || /paint|strict|content/.test(style.contain);

/** @param {CSSStyleDeclaration} style */
const hasShrunkFont = (style) =>
  style.fontSizeAdjust !== "none" ||
  (shrunkFonts.length !== 0 && shrunkFonts.some((name) => style.fontFamily.includes(name)));

// Font families that a style sheet makes too small to be read.
/** @type {string[]} */
let shrunkFonts = [];

export const findShrunkFonts = () => {
  shrunkFonts = [];
  for (const font of document.fonts)
    if (parseFloat(font.sizeAdjust) < 20) shrunkFonts.push(font.family.replace(/^["']|["']$/g, ""));
};

/** @param {CSSStyleDeclaration} style @param {string} transform */
const isMoved = (style, transform) =>
  transform !== "none" ||
  style.translate !== "none" ||
  style.scale !== "none" ||
  style.rotate !== "none" ||
  style.offsetPath !== "none" ||
  hasNegativeMargin(style) ||
  style.perspective !== "none";

// These are inherited, so descendants of such an element must be read in full too.
/** @param {CSSStyleDeclaration} style */
const hasTextStyles = (style) =>
  style.textIndent !== "0px" ||
  style.letterSpacing !== "normal" ||
  style.textShadow !== "none" ||
  style.webkitTextStrokeWidth !== "0px" ||
  style.webkitTextSecurity !== "none" ||
  style.webkitTextFillColor !== style.color;

// Text shadows and strokes that make text visible though its colour would not, and a stroke that covers the letters.
/** @param {CSSStyleDeclaration} style @returns {Decoration} */
export const decorationOf = (style) => {
  const width = parseFloat(style.webkitTextStrokeWidth);
  const stroke = width > 0 ? parseColour(style.webkitTextStrokeColor) : null;
  const shows = stroke && width >= 0.3 ? [stroke] : [];
  for (const shadow of style.textShadow.split(/,(?![^(]*\))/)) {
    const [colour] = coloursIn(shadow);
    const [across = 0, down = 0, blur = 0] = (shadow.match(/-?[\d.]+px/g) || []).map(parseFloat);
    if (colour && colour[3] > 0.2 && Math.abs(across) < 60 && Math.abs(down) < 60 && blur < 40) shows.push(colour);
  }
  const covers = stroke && width > parseFloat(style.fontSize) / 4 && !/^stroke/.test(style.paintOrder) ? stroke : null;
  return { shows, covers };
};

const NO_GENERATED = 0;
const GENERATED = 1;
const PAINTED_BOX = 2;

// Whether there is a ::before or ::after, and whether it is a positioned box that paints something.
/** @param {Element} element @param {string} which */
const generatedContent = (element, which) => {
  const style = getComputedStyle(element, which);
  if (style.content === "none" || style.content === "normal" || style.content === "") return NO_GENERATED;
  if (style.position !== "absolute" && style.position !== "fixed") return GENERATED;
  if (style.visibility !== "visible" || Number(style.opacity) < 0.05) return GENERATED;
  return parseColour(style.backgroundColor)[3] > 0 || style.backgroundImage !== "none" ? PAINTED_BOX : GENERATED;
};

// Whether text inside may lie somewhere else than in the boxes around it.
/** @param {CSSStyleDeclaration} style */
const isDisplaced = (style) => {
  if (style.position === "static") return false;
  if (style.position !== "relative") return true;
  return [style.top, style.left, style.bottom, style.right].some(
    (offset) => offset !== "auto" && parseFloat(offset) !== 0,
  );
};

// Struck through without any style sheet.
const STRUCK_TAGS = new Set(["del", "s", "strike"]);

const HIDES = /hidden|clip/;
const SCROLLS = /auto|scroll/;

// The groups of CSS properties that may differ from their defaults here.
/** @param {Element} element @param {StyleRecord | null} parent */
const propertyGroupsOf = (element, parent) => {
  if (!parent || parent.none || !parent.sharedStyles || !isHtml(element) || hasAttr(element, "style"))
    return ALL_PROPERTY_GROUPS;
  let looks = distinctions.propertyGroups;
  if (parent.hasTextStyles) looks |= TEXT_STYLES;
  if (kindsOf(element) & PRESENTATIONAL) looks |= BACKGROUND_IMAGES | LAYOUT;
  return looks;
};

/** @param {Element} element @param {StyleRecord | null} [parent] @returns {StyleRecord} */
export const readStyle = (element, parent = null) => {
  const style = getComputedStyle(element);
  const display = style.display;
  const tag = localNameOf(element);
  // An empty display: the element is not in the flattened tree, as a shadow root that is not known to us leaves it out.
  if (display === "none" || display === "")
    return /** @type {any} */ ({ none: true, sharedStyles: null, tag, outside: display === "" });
  const looks = propertyGroupsOf(element, parent);
  const html = namespaceOf(element) === HTML;
  const position = style.position;
  const overflow = style.overflowX + " " + style.overflowY;
  const inline = display === "inline" || display === "contents" || display.startsWith("ruby");
  const moves = looks & TRANSFORMS;
  const paints = looks & EFFECTS;
  const letters = looks & TEXT_STYLES;
  const places = looks & LAYOUT;
  const transform = moves ? style.transform : "none";
  const collapses = style.whiteSpaceCollapse;
  const pseudo = mayHavePseudo(element);
  const odd = letters !== 0 && hasTextStyles(style);
  const zoom = letters || !parent ? zoomOf(element) : parent.zoom;
  const before = pseudo ? generatedContent(element, "::before") : NO_GENERATED;
  const after = pseudo ? generatedContent(element, "::after") : NO_GENERATED;
  const moved = moves !== 0 && isMoved(style, transform);
  const overlaps = places ? style.gridRowStart !== "auto" || style.gridArea !== "auto" : false;
  return {
    none: false,
    sharedStyles: new Map(),
    tag,
    html,
    custom: html && tag.includes("-"),
    mayHostShadow: html && (HOST_TAGS.has(tag) || tag === "body" || tag.includes("-")),
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
    backgroundImage: looks & BACKGROUND_IMAGES ? backgroundImageColours(style) : null,
    colour: namespaceOf(element) === SVG ? fillColour(style) : letters ? textColour(style) : parseColour(style.color),
    hasTextStyles: odd || zoom !== 1,
    zoom,
    decoration: odd ? decorationOf(style) : null,
    clippedToText: looks & BACKGROUND_IMAGES ? style.webkitBackgroundClip === "text" : false,
    fontSize: parseFloat(style.fontSize) * zoom,
    // Text may be far away from its box, so that its own rectangle must be measured.
    textMayStray:
      (odd && (style.textIndent !== "0px" || parseFloat(style.letterSpacing) < -2)) ||
      (moves !== 0 && (parseFloat(style.marginLeft) < -100 || parseFloat(style.marginTop) < -100)) ||
      (letters !== 0 && hasShrunkFont(style)) ||
      // The fallback content is not laid out where the object itself is shown.
      tag === "object" ||
      namespaceOf(element) === SVG,
    clipPath: paints ? style.clipPath : "none",
    hidesAcross: HIDES.test(style.overflowX),
    hidesDown: HIDES.test(style.overflowY),
    hides: HIDES.test(overflow) || (places !== 0 && hasPaintContainment(style)),
    scrolls: SCROLLS.test(overflow),
    moved,
    displaced: moved || overlaps || isDisplaced(style),
    blursBackdrop: paints !== 0 && /blur\((?:[89]|\d\d)/.test(style.backdropFilter),
    legacyClip: paints && (position === "absolute" || position === "fixed") ? style.clip !== "auto" : false,
    skipsContent: places ? style.contentVisibility === "hidden" : false,
    reason: paints || moves ? hidingReason(style, transform, parent) : "",
    facesAway: moves !== 0 && style.transformStyle === "preserve-3d" && facesAway(transform),
    holdsFixed:
      (moves !== 0 && (transform !== "none" || style.perspective !== "none" || /transform/.test(style.willChange))) ||
      (paints !== 0 && style.filter !== "none") ||
      (places !== 0 && hasPaintContainment(style)),
    mayOverflowStart: /flex|grid/.test(display) || (places !== 0 && style.cssFloat === "right"),
    perspective: moves !== 0 ? parseFloat(style.perspective) || 0 : 0,
    filtered: paints ? colourFilterOf(style.filter) : null,
    blend: paints && style.mixBlendMode in BLENDS ? style.mixBlendMode : "",
    mayHavePseudo: pseudo,
    firstLine: !distinctions.lines ? null : inline ? parent && parent.firstLine : firstLineOf(element),
    keepsLines: collapses !== "collapse",
    keepsSpaces: collapses !== "collapse" && collapses !== "preserve-breaks",
    overlaps,
    before: before !== NO_GENERATED,
    after: after !== NO_GENERATED,
    paintsBefore: before === PAINTED_BOX,
    paintsAfter: after === PAINTED_BOX,
    marker: display.includes("list-item") ? markerKind(element, style) : "",
    struck: (letters !== 0 || STRUCK_TAGS.has(tag)) && style.textDecorationLine.includes("line-through"),
    masksText: odd && style.webkitTextSecurity !== "none",
    untouchable: places ? style.pointerEvents === "none" : false,
    contrastWith: null,
    lowContrast: false,
  };
};

/** @param {Element} element */
const firstLineOf = (element) => {
  const style = getComputedStyle(element, "::first-line");
  return parseFloat(style.fontSize) < 2.5 ? [0, 0, 0, 0] : textColour(style);
};

// Reads the attributes once for both the key and the kinds.
/** @param {Element} element @param {string} tag */
const styleKey = (element, tag) => {
  let key = tag;
  if (distinctions.tags.size !== 0) key += distinctions.tags.get(element) || "";
  if (distinctions.pseudo.size !== 0 && distinctions.pseudo.has(element)) key += ":p";
  let kinds = 0;
  if (hasAnyAttribute(element)) {
    const names = attributeNames(element);
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      const kind = ATTRIBUTE_KINDS.get(name) || (name.startsWith("aria-") ? ARIA : 0);
      kinds |= kind;
      // Attributes that no rule mentions cannot change the style, except presentational ones.
      if (name === "href" && !distinctions.attributes.has(name)) key += "\u0000href";
      else if (
        name === "href" ||
        name === "class" ||
        name === "style" ||
        name === "type" ||
        kind & PRESENTATIONAL ||
        name === "contenteditable" ||
        name === "inert" ||
        distinctions.attributes.has(name)
      )
        key += "\u0000" + name + "=" + attr(element, name);
      else if (name === "id" && distinctions.ids.size !== 0 && distinctions.ids.has(attr(element, name)))
        key += "\u0000#" + attr(element, name);
    }
    if (hasInternals && internalsSemantics.has(element)) kinds |= ARIA | ROLE | CELL_STATE;
  }
  rememberKinds(element, kinds);
  return key;
};

// Style sheets inside shadow trees are not read, so no style below a shadow host is shared.
/** @param {Element} element @param {StyleRecord | null} parent @param {string} [tag] @param {boolean} [html] @returns {StyleRecord} */
export const styleOf = (element, parent, tag = localNameOf(element), html = isHtml(element)) => {
  if (!parent || !parent.sharedStyles || !distinctions.safe || !html) {
    const facts = readStyle(element, parent);
    if (!distinctions.safe || (parent && parent.sharedStyles === null) || shadowOf(element)) facts.sharedStyles = null;
    return facts;
  }
  const key = styleKey(element, tag);
  let facts = parent.sharedStyles.get(key);
  if (facts === undefined) {
    facts = readStyle(element, parent);
    parent.sharedStyles.set(key, facts);
  }
  return facts.mayHostShadow && shadowOf(element) ? { ...facts, sharedStyles: null } : facts;
};
