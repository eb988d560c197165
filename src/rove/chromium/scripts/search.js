// Looking things up: one element described, targets by CSS or by role and name, and find over the whole document.

const allRoots = () => {
  const roots = [document];
  for (let i = 0; i < roots.length && i < 2000; i++) {
    for (const element of queryAll(roots[i], "*")) {
      const shadow = shadowOf(element);
      if (shadow) roots.push(shadow);
    }
  }
  return roots;
};

const everyElement = function* () {
  for (const root of allRoots()) yield* queryAll(root, "*");
};

const describeElement = (element) => {
  beginPass({});
  const row = ownRow(element);
  return {
    role: row.role,
    name: clip(clean(row.naming.name), MAX_NAME),
    line: spokenLine(element, row),
    ref: "e" + refNumber(element),
    visible: !(row.flags & UNSEEN),
  };
};

// What has no role that says anything is told of by what it says, as it would be in a list of what can be pressed.
const spokenLine = (element, row) => {
  if (row.role !== "generic" && row.role !== "none") return finishLine({ ...row, ref: 0 });
  const { name, source, hiddenSource, titled } = clickableName(element, row.role);
  const naming = { name: clip(name, MAX_SPOKEN), source, hiddenSource, titled };
  const word = isClickable(element, row.role) ? clickableWord(element, row.role) : row.role;
  return finishLine({ ...row, line: compose(element, word, row.role, naming, STRONG), ref: 0 });
};
const MAX_SPOKEN = 60;

const lineOf = (element) => {
  const row = ownRow(element);
  return finishLine({ ...row, ref: 0 });
};

const MATCH_CAP = 20;

const queryCss = (selector) => {
  const found = [];
  for (const root of allRoots()) {
    for (const element of queryAll(root, selector)) found.push(element);
  }
  return found;
};

const isExposed = (element) =>
  isTag(element, "area") ? pictureOf(element) !== null : isRendered(element) && !SKIPPED.has(localNameOf(element));

const queryRole = (role, name) => {
  const wanted = role ? SYNONYMS[role.toLowerCase()] || role.toLowerCase() : "";
  const target = name === null || name === undefined ? null : squash(name).toLowerCase();
  const exact = [];
  const partial = [];
  for (const element of everyElement()) {
    const own = roleOf(element);
    if (!playsRole(element, own, wanted) || !isExposed(element)) continue;
    if (target === null) {
      exact.push(element);
      continue;
    }
    const called = (
      own === "generic" || own === "none" ? clickableName(element, own) : nameOf(element, own)
    ).name.toLowerCase();
    if (called === target || clean(called) === target) exact.push(element);
    else if (target && called.includes(target)) partial.push(element);
  }
  return exact.length ? exact : partial;
};

const playsRole = (element, own, wanted) => {
  if (!wanted) return PRESS_ROLES.has(own);
  if (own === wanted) return true;
  return wanted === "clickable" && (own === "generic" || own === "none") && isClickable(element, own);
};

const isClickable = (element, own) => {
  const facts = readStyle(element);
  const parent = parentElementOf(element);
  return (
    !facts.none &&
    pressStrength(element, own, facts, { pointer: parent ? getComputedStyle(parent).cursor === "pointer" : false }) > 0
  );
};

const standInOrSelf = (element) => {
  const label = isToggleShownElsewhere(element) ? visibleLabelOf(element) : null;
  return label || element;
};

const queryTargets = (spec) => {
  beginPass({});
  let found;
  try {
    found =
      spec.css !== undefined && spec.css !== null
        ? queryCss(spec.css)
        : queryRole(spec.role, spec.name).map(standInOrSelf);
  } catch (error) {
    return { error: "bad selector: " + clip(String(error.message), 200), total: 0, matches: [] };
  }
  const matches = found.slice(0, spec.limit || MATCH_CAP).map((element) => ({
    ref: "e" + refNumber(element),
    line: lineOf(element),
    visible: isRendered(element),
  }));
  return { total: found.length, matches };
};

const rectanglesOf = (refs) =>
  refs.map((ref) => {
    const element = elementOfRef(ref);
    if (!element) return null;
    const rect = rectOf(element);
    return { ref, x: rect.left, y: rect.top, width: rect.width, height: rect.height };
  });

const matcherFor = (spec) => {
  if (spec.regex) {
    const pattern = new RegExp(spec.regex, "iu");
    return (row) => pattern.test(row.plain);
  }
  if (spec.text) {
    const text = squash(spec.text).toLowerCase();
    return (row) => row.plain.toLowerCase().includes(text);
  }
  const role = spec.role.toLowerCase();
  return (row) => row.role === (SYNONYMS[role] || role) || row.line.startsWith(role + " ") || row.line === role;
};

const FIND_CAPS = { maxNodes: 80000, maxChildren: 100000 };

// A walk with no caps on lists, so that what a snapshot folded is found too.
const findRows = (spec) => {
  let matches;
  try {
    matches = matcherFor(spec);
  } catch (error) {
    return { error: "bad regular expression: " + clip(String(error.message), 200), total: 0, matches: [] };
  }
  beginPass(FIND_CAPS);
  if (document.getElementsByTagName("*").length > FIND_CAPS.maxNodes) return findInText(spec, limitOf(spec));
  wholePage();
  markCovered();
  const found = [];
  let total = 0;
  const limit = limitOf(spec);
  rows.forEach((row, index) => {
    row.plain = row.flags & TEXT ? row.text : wordsOf(row);
    if (!matches(row)) return;
    total += 1;
    if (found.length < limit) found.push(index);
  });
  const says = spec.text || spec.regex ? textMatcher(spec) : null;
  const framed = rows.filter((row) => row.flags & FRAME);
  return {
    total,
    origin: self.origin,
    matches: found.map((index) => matchAt(index, says)),
    frames: Object.fromEntries(framed.map((row) => ["e" + row.ref, !(row.flags & UNSEEN)])),
  };
};

// A word within a text may do something of its own when pressed, so the ref is that of the smallest part that says it.
const innermost = (element, says) => {
  for (let inner = element; inner; ) {
    element = inner;
    const saying = Array.from(element.children).filter((child) => says(squash(textContentOf(child))));
    inner = saying.length === 1 && isRendered(saying[0]) ? saying[0] : null;
  }
  return element;
};

const MOST_UNSEEN = 50;

// The words in an element that a person does not see, each with the reason.
const unseenIn = (element) => {
  beginPass(FIND_CAPS);
  if (element.getElementsByTagName("*").length > FIND_CAPS.maxNodes) return null;
  scoped(element, {});
  markCovered();
  const told = rows.map((row) => finishLine({ ...row, ref: 0 })).filter((line) => MARKED.test(line));
  for (const part of queryAll(element, NOT_DRAWN)) {
    const text = squash(clip(textContentOf(part), 300));
    const isShown = isTag(part, "option") && !isLeftOut(part) && (!hasAttr(part, "label") || optionText(part) === text);
    if (text && !isShown) told.push(quote(text, 300) + markFor("not rendered"));
  }
  return told.slice(0, MOST_UNSEEN);
};

const MARKED = / \((?:(?:perhaps |partly )?invisible(?: part)?: |screen-reader only\)|inert\)|aria-hidden\))/;
// What counts as text to the browser though it draws none of it.
const NOT_DRAWN = "option, svg defs, svg symbol, svg clipPath, svg mask, svg pattern, svg marker, svg metadata";

const SAID = /"((?:[^"\\]|\\.)*)"| value=([^\s"(]\S*)/g;

// Name, text and values, which are the quoted parts of a line: not the words for its role and states.
const wordsOf = (row) => {
  let said = (row.naming && row.naming.name) || "";
  for (const [, quoted, value] of (row.line + (row.inlineText || "")).matchAll(SAID))
    said += "\n" + (quoted === undefined ? value : quoted.replace(/\\(.)/g, (whole, c) => (c === "n" ? "\n" : c)));
  return said;
};

const limitOf = (spec) => spec.limit || 10;

const PRESSED = "a[href],button,input,select,textarea,summary,label,[role],[onclick],[tabindex]";

const textMatcher = (spec) => {
  if (spec.regex) {
    const pattern = new RegExp(spec.regex, "iu");
    return (text) => pattern.test(text);
  }
  const wanted = squash(spec.text).toLowerCase();
  return (text) => text.toLowerCase().includes(wanted);
};

// A document too large to walk is searched text node by text node, and by native selectors for a role.
const findInText = (spec, limit) => {
  const found = [];
  let total = 0;
  const note = (element) => {
    if (!isRendered(element)) return;
    total += 1;
    if (found.length < limit) found.push(closestOf(element, PRESSED) || element);
  };
  if (!spec.text && !spec.regex) {
    for (const element of queryAll(document, "*")) if (roleOf(element) === spec.role.toLowerCase()) note(element);
  } else {
    const matches = textMatcher(spec);
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (matches(textDataOf(node)) && parentElementOf(node)) note(parentElementOf(node));
    }
  }
  return { total, origin: self.origin, matches: [...new Set(found)].map(foundElement) };
};

const foundElement = (element) => {
  const around = parentElementOf(element);
  const container = around && closestOf(around, "tr,li,[role=row],[role=listitem],p,section");
  const context = container
    ? [{ line: quote(squash(clip(textContentOf(container), 400)), 200), ref: null, before: true }]
    : [];
  return { line: lineOf(element), ref: "e" + refNumber(element), context, inView: viewOf(rectOf(element)) !== 2 };
};

const ancestorRows = (index) => {
  const above = [];
  let depth = rows[index].depth;
  for (let i = index - 1; i >= 0 && depth > 0 && above.length < 3; i--) {
    if (rows[i].depth < depth) {
      depth = rows[i].depth;
      above.unshift(i);
    }
  }
  return above;
};

// What stands beside a match in the same item: its own children, else the rows before and after it.
const neighbours = (index) => {
  const { depth, flags } = rows[index];
  const inside = [];
  for (let i = index + 1; i < rows.length && rows[i].depth > depth && inside.length < 3; i++) inside.push(i);
  if (inside.length || flags & ITEM) return inside;
  return [index - 1, index + 1].filter((i) => rows[i] && rows[i].depth === depth && !(rows[i].flags & ITEM));
};

const elementAt = (row, says) => {
  const element = row.element || (row.node && (isElement(row.node) ? row.node : parentElementOf(row.node)));
  return element && says && row.flags & TEXT ? innermost(element, says) : element;
};

const matchAt = (index, says) => {
  const row = rows[index];
  const element = elementAt(row, says);
  const unique = [...new Set([...ancestorRows(index), ...neighbours(index)])].sort((a, b) => a - b);
  return {
    line: finishLine({ ...row, ref: 0 }),
    ref: element ? "e" + refNumber(element) : null,
    context: unique.map((i) => ({
      line: finishLine({ ...rows[i], ref: 0 }),
      ref: rows[i].ref ? "e" + rows[i].ref : null,
      before: i < index,
    })),
    inView: Boolean(row.flags & IN_VIEW),
  };
};
