// Types that several modules share, and what the driver adds to the global scope.

/** Red, green and blue from 0 to 255, and alpha from 0 to 1. */
type Colour = number[];

interface Edges {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

interface Box extends Edges {
  width: number;
  height: number;
}

/**
 * The part of the page in which something can be seen; `small` where a box of a pixel or two clips, `scrolls` where it
 * is in a scroller, which brings it into view.
 */
interface Clip extends Edges {
  small?: boolean;
  scrolls?: boolean;
}

/** A point in the viewport. */
type Point = [x: number, y: number];

/** The walk that computes one accessible name. */
interface NameWalk {
  via: string;
  visited: Set<Element>;
  revealed: boolean;
  budget: number;
  hiddenSource: boolean;
  titled: boolean;
  source: string;
  lastSource: string;
  pieces: NamePiece[];
}

/** A part of a name that is not the text of a node: an attribute, an SVG title, content that is not drawn. */
interface NamePiece {
  element: Element;
  source: string;
  text: string;
  /** How the row marks it. */
  mark?: string;
}

/** A name and where it comes from. */
interface Naming {
  name: string;
  source: string;
  hiddenSource: boolean;
  titled: boolean;
  pieces?: NamePiece[];
}

/** Text shadows and strokes. */
interface Decoration {
  shows: Colour[];
  covers: Colour | null;
}

/** One step of the way to a box in painting order; `end` tells an element from its ::before and ::after. */
interface PaintEntry {
  level: number;
  node: Node;
  end: number;
  isContext: boolean;
  isLayered: boolean;
}

/** A box that paints something: an element's own, or its ::before or ::after. */
interface Surface {
  element: Element;
  pseudo: string;
  facts: StyleRecord;
  opacity: number;
  filtered: ColourFilter | null;
  blend: string;
  isFixed: boolean;
  style: CSSStyleDeclaration;
  rect: DOMRect;
  visible: Map<Scroller | null, Edges>;
  /** What it paints, where that is the same everywhere. */
  parts: (Colour[] | null)[] | null;
  order: PaintEntry[] | null;
}

/** What scrolls: how far its content can still be moved back and on, across and down. */
interface Scroller {
  box: Edges;
  back: number[];
  on: number[];
}

interface PlacedSurface {
  surface: Surface;
  part: Edges;
  shift: { x: number; y: number; isOut: boolean };
}

/** A point of a text: 1 where it is covered, a half where that cannot be told; the colours that may be below it. */
interface PaintedPoint {
  cover: number;
  colours: Colour[] | null;
  /** The colours below the lowest part whose colours are unknown. */
  known: Colour[];
  /** Whether anything but the canvas itself is below. */
  isPainted: boolean;
  /** Whether the colours below change from point to point, as those of a picture do. */
  isPattern: boolean;
}

/** The colours of background images, whether nothing else is painted, and whether text of a colour is seen on them. */
interface Palette {
  colours: Colour[];
  isPlain: boolean;
  seen: Map<string, boolean>;
}

interface GradientStop {
  colour: Colour;
  at: number;
}

/** A picture's size, and its colours on a small square; null where they cannot be read. */
interface PictureColours {
  width: number;
  height: number;
  pixels: Uint8ClampedArray | null;
}

type ColourFilter = (colour: Colour) => Colour;

/** What is needed of an element's computed style; siblings that look alike share one. */
interface StyleRecord {
  none: boolean;
  outside?: boolean;
  sharedStyles: Map<string, StyleRecord> | null;
  tag: string;
  html: boolean;
  custom: boolean;
  mayHostShadow: boolean;
  display: string;
  inline: boolean;
  breaks: boolean;
  visible: boolean;
  opacity: number;
  pointer: boolean;
  position: string;
  placed: boolean;
  zIndex: number;
  background: Colour;
  backgroundImage: Colour[] | null;
  colour: Colour;
  hasTextStyles: boolean;
  zoom: number;
  decoration: Decoration | null;
  clippedToText: boolean;
  fontSize: number;
  textMayStray: boolean;
  clipPath: string;
  hidesAcross: boolean;
  hidesDown: boolean;
  hides: boolean;
  holdsFixed: boolean;
  mayOverflowStart: boolean;
  scrolls: boolean;
  moved: boolean;
  displaced: boolean;
  blursBackdrop: boolean;
  legacyClip: boolean;
  skipsContent: boolean;
  reason: string;
  facesAway: boolean;
  perspective: number;
  filtered: ColourFilter | null;
  blend: string;
  mayHavePseudo: boolean;
  firstLine: Colour | null;
  keepsLines: boolean;
  keepsSpaces: boolean;
  overlaps: boolean;
  before: boolean;
  after: boolean;
  paintsBefore: boolean;
  paintsAfter: boolean;
  marker: string;
  struck: boolean;
  masksText: boolean;
  untouchable: boolean;
  contrastWith: Colour | null;
  lowContrast: boolean;
}

/** What decides about the visibility of text, of the context around it. */
interface TextContext {
  opacity: number;
  background: Colour;
  backgroundImage: Colour[] | null;
  textBackground: Colour[] | null;
  filtered: ColourFilter | null;
  blendBackdrop: Colour | null;
  blend: string;
  /** The nearest element around that has a background image. */
  pictured: Element | null;
  /** Whether text may lie outside the boxes around it. */
  displaced: boolean;
  /** Whether a negative z-index may put text behind the boxes around it. */
  sunken: boolean;
}

/** What decides about the colours of letters. */
interface TextStyle {
  colour: Colour;
  decoration: Decoration | null;
  firstLine: Colour | null;
}

/** What the children of an element inherit while they are walked. */
interface VisibilityContext extends TextContext {
  /** Of the element itself; a walk always sets it before it looks at children. */
  facts: StyleRecord;
  seen: boolean;
  reason: string;
  inert: string;
  /** Whether the element itself may lie over or under others. */
  overlaps: boolean;
  /** The nearest element around that has a background. */
  painter: Element | null;
  clip: Clip | null;
  /** The clips of absolutely positioned and of fixed descendants. */
  placedClip: Clip | null;
  fixedClip: Clip | null;
  needsMeasuring: boolean;
  fixed: boolean;
  pointer: boolean;
  isInName: boolean;
  owner: NameOwner | null;
  /** The nearest row around whose name is its content. */
  namer: NameOwner | null;
  isBehindModal: boolean;
  isRendered: boolean;
  depth: number;
  inView: number;
  grouped: boolean;
  shapes: boolean;
  role: string;
  table: string | null;
  /** Whether a line is drawn through the text. */
  struck: boolean;
}

/** Text of a name that is not visible, and whether a row inside tells it. */
type UnseenPart = [reason: string, text: string, isInside?: boolean];

/** The row, or the label, whose name has the text that is being walked. */
interface NameOwner {
  inert: string;
  flags?: number;
  marks?: string;
  inertText?: string;
  unseen?: UnseenPart[];
  hasSeenText?: boolean;
  displaced?: boolean;
  struckText?: string[];
  hasUnstruckText?: boolean;
  colours?: string[];
  role?: string;
  naming?: Partial<Naming>;
  control?: Element;
  /** The row around whose name has this name in it. */
  outer?: NameOwner | null;
}

/** One line of a snapshot, or a piece of text that becomes one. */
interface Row extends Partial<NameOwner> {
  depth: number;
  flags: number;
  ref: number;
  line: string;
  naming?: Naming;
  marks?: string;
  element?: Element;
  reason?: string;
  href?: string;
  from?: number;
  to?: number;
  place?: number;
  inlineText?: string;
  /** Whether its text may lie outside the boxes around it. */
  displaced?: boolean;
  /** The row of text that `inlineText` was. */
  inlined?: Row;
  cellDepth?: number;
  headers?: boolean;
  /** The colour behind the content of an element. */
  background?: Colour;
  /** Of a row of text: it stands for blank cells only. */
  isBlank?: boolean;
  plain?: string;
  /** Other rows tell the same. */
  isLeftOut?: boolean;
  /** Of a row of text. */
  text?: string;
  missing?: number;
  mark?: string;
  struck?: boolean;
  cut?: string[];
  whole?: string;
  node?: Node;
  nodes?: Node[] | null;
}

/** A row of an element, as opposed to text. */
interface ElementRow extends Row {
  inert: string;
  marks: string;
  naming: Naming;
  role: string;
  reason: string;
  element: Element;
  /** The name without the parts that are told elsewhere. */
  shortName?: string;
}

/** Text without interruption, which becomes one row. */
interface TextRun {
  text: string;
  mark: string;
  depth: number;
  inView: boolean;
  glue: string;
  node?: Node;
  nodes: (Node | undefined)[] | null;
  dropped?: number;
  displaced?: boolean;
  preformatted?: boolean;
  struck: boolean;
  /** What the box around cuts off, the length of the text at the last such place, and the text with all of it. */
  cut?: string[];
  cutAt?: number;
  whole?: string;
}

/** A part of a text that is shown, or cut off by the box around it. */
interface TextPart {
  text: string;
  isSeen: boolean;
}

/** A list, with the first row of each child. */
/** The index of the row that contains each row, and how many rows each contains directly. */
interface RowTree {
  parents: Int32Array;
  counts: Int32Array;
}

interface Group {
  element: Element;
  items: Row[];
  children: number[];
  last: Row | null;
}

/** What the rules of one style sheet can tell apart. */
interface SheetFacts {
  selectors: string[];
  hover: string[];
  pseudo: string[];
  attributes: Set<string>;
  ids: Set<string>;
  safe: boolean;
  lines: boolean;
  markers: boolean;
  propertyGroups: number;
  count: number;
  length: number;
}

interface SnapshotOptions {
  root?: string;
  mode?: string;
  depth?: number | null;
  from?: number | null;
  limit?: number;
  links?: boolean;
  text?: boolean;
  structure?: boolean;
  boxes?: boolean;
  maxNodes?: number;
  maxChildren?: number;
}

/** What is looked for: by CSS, by role and name, or by text. */
interface Query {
  css?: string | null;
  role?: string;
  name?: string | null;
  isGuess?: boolean;
  text?: string;
  regex?: string;
  limit?: number;
}

// What Python puts before the linked modules: a random number of this process.
declare const NONCE: string;
declare const ENGINE_TRAITS: { hitsAreas: boolean; movesPlaceholders: boolean };

// The driver's bindings, and what it calls.
declare var roveTell: ((message: string) => void) | undefined;
declare var roveCopied: ((text: string) => void) | undefined;
declare var rove: unknown;
// What runs axe-core in a frame, and the axe-core that Python puts before that.
declare var roveAudit: unknown;
declare const axe: Axe;

/** A selector of axe-core's: an array goes from frame to frame, an array in it from shadow root to shadow root. */
type AxeSelector = string | AxeSelector[];

/** An element that axe-core has found. */
interface AxeElement {
  element: Element;
  selector: AxeSelector[];
  source: string;
  ancestry: AxeSelector[];
  nodeIndexes: number[];
  fromFrame: boolean;
}

interface AxeRule {
  id: string;
  impact: string | null;
  tags: string[];
  help: string;
  nodes: { xpath: string[]; target: AxeSelector[]; html: string; failureSummary?: string }[];
}

interface AxeReport {
  testEngine: { version: string };
  violations: AxeRule[];
  incomplete: AxeRule[];
  passes: AxeRule[];
  inapplicable: AxeRule[];
}

/** What is used of axe-core. */
interface Axe {
  _running: boolean;
  teardown(): void;
  getRules(): { ruleId: string; tags: string[] }[];
  runPartial(context: object, options: object): Promise<object>;
  finishRun(partials: (object | null)[], options: object): Promise<AxeReport>;
  utils: {
    getFrameContexts(context: object, options: object): { frameSelector: AxeSelector; frameContext: object }[];
    shadowSelect(selector: AxeSelector): Element | null;
    nodeSerializer: { update(serializer: { toSpec?: (found: AxeElement) => object }): void };
  };
}

// Properties that TypeScript does not know yet.
interface CSSStyleDeclaration {
  webkitTextSecurity: string;
}
interface Element {
  readonly currentCSSZoom: number;
}
interface FontFace {
  sizeAdjust: string;
}
interface AnimationEffect {
  readonly target?: Element | null;
}
interface HTMLInputElement {
  readonly commandForElement?: Element | null;
}

/** An operation on what the page's origin stores. `database` is also the name of a cache, `key` a URL in it. */
interface StorageRequest {
  area: "local" | "session" | "indexeddb" | "cache";
  operation: "list" | "get" | "set" | "delete" | "clear";
  key: string;
  value: string;
  database: string;
  store: string;
  limit: number;
}

/** What was found, and how much there is in all. */
interface StorageAnswer {
  entries: { key: string; value: unknown }[];
  total: number;
}

/** Whether an element has a box, whether that is a part of a line of text, and whether the mouse pointer is a hand. */
interface AriaBox {
  visible: boolean;
  inline: boolean;
  pointer: boolean;
}

/** An element of an aria snapshot; `number` is 0 where it cannot be pressed, `mark` tells of unseen words in its name. */
interface AriaNode {
  element: Element;
  role: string;
  name: string;
  number: number;
  isActive: boolean;
  isPointer: boolean;
  states: string;
  mark: string;
  properties: [name: string, value: string][];
  /** The elements inside whose texts make the name. */
  sources: Element[];
  children: AriaChild[];
}

type AriaChild = AriaNode | string;

/** `root`: the ref of an element; `prefix`: what the refs begin with; `isOutline`: not YAML, and without refs. */
interface AriaOptions {
  root?: string;
  prefix?: string;
  depth?: number;
  boxes?: boolean;
  isOutline?: boolean;
}

interface AriaPage {
  options: AriaOptions;
  lines: string[];
  frames: [line: number, depth: number, owner: string][];
  origin: string;
}

/** `awaited`: the numbers of elements whose text is in a name and has not been told yet. */
interface DistillingState {
  depth: number;
  maxDepth: number;
  around: AriaNode[];
  awaited: Set<number>;
  numbers: Map<Element, number>;
}

/** A step of a Playwright locator: a kind of match, the text to match, and whether that is all of it or a pattern. */
interface LocatorStep {
  kind: string;
  role?: string;
  text?: string;
  exact?: boolean;
  isRegex?: boolean;
  flags?: string;
  index?: number;
}

interface ScoredStep extends LocatorStep {
  score: number;
}
