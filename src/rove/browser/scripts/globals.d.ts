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

/** The part of the page in which something can be seen; `small` where a box of a pixel or two clips. */
interface Clip extends Edges {
  small?: boolean;
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
}

/** A name and where it comes from. */
interface Naming {
  name: string;
  source: string;
  hiddenSource: boolean;
  titled: boolean;
}

/** Text shadows and strokes. */
interface Decoration {
  shows: Colour[];
  covers: Colour | null;
}

/** An opaque box that CSS generates over the content of an element. */
interface PseudoCover {
  style: CSSStyleDeclaration;
  layer: number;
  isLater: boolean;
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
  hides: boolean;
  scrolls: boolean;
  moved: boolean;
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
  blendBackdrop?: Colour | null;
  blend: string;
}

/** What the children of an element inherit while they are walked. */
interface VisibilityContext extends TextContext {
  /** Of the element itself; a walk always sets it before it looks at children. */
  facts: StyleRecord;
  seen: boolean;
  reason: string;
  inert: string;
  blendBackdrop: Colour | null;
  pseudoCover: PseudoCover | null;
  clip: Clip | null;
  needsMeasuring: boolean;
  fixed: boolean;
  pointer: boolean;
  isInName: boolean;
  owner: NameOwner | null;
  isBehindModal: boolean;
  hasBackground: boolean;
  depth: number;
  inView: number;
  grouped: boolean;
  shapes: boolean;
  role: string;
  table: string | null;
}

/** The row, or the label, whose name has the text that is being walked. */
interface NameOwner {
  inert: string;
  flags?: number;
  marks?: string;
  inertText?: string;
  unseen?: [reason: string, text: string][];
  hasSeenText?: boolean;
  role?: string;
  naming?: Partial<Naming>;
  control?: Element;
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
  cellDepth?: number;
  headers?: boolean;
  plain?: string;
  /** Other rows tell the same. */
  isLeftOut?: boolean;
  /** Of a row of text. */
  text?: string;
  missing?: number;
  mark?: string;
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
  preformatted?: boolean;
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

interface Overlay {
  element: Element;
  rect: Box;
  facts: StyleRecord;
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
  boxes?: boolean;
  maxNodes?: number;
  maxChildren?: number;
}

/** What is looked for: by CSS, by role and name, or by text. */
interface Query {
  css?: string | null;
  role?: string;
  name?: string | null;
  text?: string;
  regex?: string;
  limit?: number;
}

// What Python puts before the linked modules: a random number of this process.
declare const NONCE: string;

// The driver's bindings, and what it calls.
declare var roveTell: ((message: string) => void) | undefined;
declare var roveCopied: ((text: string) => void) | undefined;
declare var rove: unknown;

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
