// What hands do that is not a press of a button: fill in, choose, scroll, read.

const TYPED_AS_TEXT = new Set(["", "text", "search", "url", "tel", "email", "password", "number"]);

const SELECTABLE = new Set(["", "text", "search", "url", "tel", "password"]);

const setValue = (element, value) => {
  const prototype = element instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  // The prototype's setter, as frameworks replace the element's own to learn who writes to it.
  Object.getOwnPropertyDescriptor(prototype, "value").set.call(element, value);
};

const announce = (element, ...names) => {
  for (const name of names) element.dispatchEvent(new Event(name, { bubbles: true, composed: true }));
};

const selectContents = (element) => {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
};

// Typing a text of many lines goes line by line in a browser; one of thousands would take longer than anyone waits.
const MOST_TYPED_LINES = 200;

const isTextField = (element) =>
  element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && TYPED_AS_TEXT.has(element.type));

// A read-only field is one for good more often than not; one that is disabled tends to be so for a while.
const READ_ONLY_PATIENCE = 5000;

// What keeps a field from being written in now, and for how many milliseconds that may be worth waiting out.
const writingObstacle = (element) => {
  if (isDisabled(element)) return { reason: "is disabled", worth: Infinity };
  if (element.readOnly) return { reason: "is read-only", worth: READ_ONLY_PATIENCE };
  // The input behind a picker is often hidden, with something drawn in its place.
  const isPicked = element instanceof HTMLInputElement && !isTextField(element);
  if (isPicked || checkVisibility(element, { visibilityProperty: true })) return null;
  return { reason: "is not visible", worth: Infinity };
};

// Asks again until there is an answer without an obstacle, or one that is not worth waiting for any longer.
const patiently = (work) => async (ref, patience, ...rest) => {
  const began = performance.now();
  for (;;) {
    const element = elementOfRef(ref);
    if (!element) return { gone: true };
    const line = lineOf(element);
    const { worth = 0, ...answer } = await work(element, ...rest);
    if (performance.now() - began >= Math.min(worth, patience)) return { line, whose: self.origin, ...answer };
    await soon();
  }
};

// What is typed goes to whatever has the focus, so a field that did not get it is not typed into.
const focusObstacle = (element) => {
  const active = deepActiveElement();
  if (active && (isWithin(active, element) || (element.isContentEditable && isWithin(element, active)))) return null;
  if (!active || active === bodyOf(document)) return { reason: "does not take the focus" };
  const reason = `passes the focus on to ${lineOf(active)}`;
  return isPassword(active) ? { reason, kept: told(active) } : { reason };
};

// In one call where that can be, since then nothing of the page but its handlers runs in between; else the field is left
// focused with its old text selected and "type" is answered, for the driver to type over it.
const fillIn = patiently(async (target, value, guarded) => {
  const element = fieldOf(target);
  if (guarded && value && isPassword(element)) return { password: true, origin: self.origin };
  const barrier = writingObstacle(element);
  if (barrier) return barrier;
  const done = fillNow(element, value, guarded);
  await null; // what the page puts off until its handlers are through may change the value
  return { ...done, value: isPassword(element) ? null : element.value };
});

const fillNow = (element, value, guarded) => {
  element.focus();
  if (element instanceof HTMLInputElement && !isTextField(element)) return setPicked(element, value);
  if (isTextField(element)) {
    element.select();
    return focusObstacle(element) || typeOver(element, value, guarded);
  }
  if (!element.isContentEditable) {
    const hint = "Use browser_click, browser_check or browser_select.";
    return { reason: "is not something that can be filled in", hint };
  }
  selectContents(element); // an editor hears of that only when this call is over
  return focusObstacle(element) || { type: true };
};

const isLong = (text) => text.split("\n", MOST_TYPED_LINES + 1).length > MOST_TYPED_LINES;

const typeOver = (element, value, guarded) => {
  const kind = !value ? "deleteContentBackward" : isLong(value) ? "insertFromPaste" : "insertText";
  const facts = { bubbles: true, composed: true, inputType: kind, data: value || null };
  // A command tells nobody of what it is about to do, as a key would.
  if (!element.dispatchEvent(new InputEvent("beforeinput", { ...facts, cancelable: true }))) return { type: false };
  const lost = focusObstacle(element);
  if (lost) return lost;
  if (guarded && value && isPassword(element)) return { password: true, origin: self.origin };
  if (!isLong(value)) return { type: !command(value ? "insertText" : "delete", value) && element.value !== value };
  if (isTag(element, "textarea") && insertLines(value)) return { type: false };
  setValue(element, element.maxLength >= 0 ? value.slice(0, element.maxLength) : value);
  element.dispatchEvent(new InputEvent("input", facts));
  return { type: false };
};

const command = (name, value) => Document.prototype.execCommand.call(document, name, false, value);

// As markup, many lines go into a textarea at once, as the browser's own editing, which a page hears of and can undo.
const insertLines = (text) => {
  const [last] = text.match(/\n*$/); // which the browser leaves out of markup
  const markup = text.slice(0, text.length - last.length).replace(/&/g, "&amp;").replace(/</g, "&lt;");
  try {
    return command("insertHTML", `<pre>\n${markup}</pre>`) && (!last || command("insertText", last));
  } catch (error) {
    if (error instanceof TypeError) return false; // the page takes no markup but its own: Trusted Types
    throw error;
  }
};

const insertText = (element, text) =>
  (element && isTag(element, "textarea") && isLong(text) && insertLines(text)) || command("insertText", text);

// A secret, in one go: no script of the page can run in between and have it go elsewhere.
const enterSecret = about((target, value, { origin, anywhere, after }) => {
  const element = fieldOf(target);
  if (self.origin !== origin) return { gone: true };
  if (!isTag(element, "textarea") && !(isTag(element, "input") && TYPED_AS_TEXT.has(element.type))) {
    return { reason: "is not a field that a secret is typed into" };
  }
  if (isDisabled(element)) return { reason: "is disabled" };
  if (element.readOnly) return { reason: "is read-only" };
  if (!anywhere && !isPassword(element)) return { exposed: true };
  element.focus();
  if (rootNodeOf(element).activeElement !== element) return { reason: "does not keep the focus" };
  if (after) caretToEnd(element);
  else element.select();
  if (!command("insertText", value)) {
    setValue(element, after ? element.value + value : value);
    announce(element, "input");
  }
  return {};
});

const fieldOf = (element) => {
  if (element instanceof HTMLLabelElement && element.control) return element.control;
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element;
  if (element.isContentEditable) return element;
  const inside = queryAll(shadowOf(element) || element, "input, textarea, [contenteditable]");
  return inside.length === 1 ? inside[0] : element;
};

const setPicked = (element, value) => {
  if (["checkbox", "radio", "file", "button", "submit", "image", "reset"].includes(element.type)) {
    const hint = "Use browser_check for boxes, browser_upload for files, browser_click for buttons.";
    return { reason: `is an input of type ${element.type}, which cannot be filled in`, hint };
  }
  setValue(element, element.type === "color" ? value.toLowerCase() : value);
  if (value && element.value !== (element.type === "color" ? value.toLowerCase() : value)) {
    return { reason: `does not take "${value}" as a value of type ${element.type}` };
  }
  announce(element, "input", "change");
  return { type: false };
};

const valueOf = about((target) => {
  const element = fieldOf(target);
  if (isPassword(element)) return { value: null };
  return { value: "value" in element ? element.value : element.innerText };
});

// One select often has its options fetched when another has changed.
const OPTIONS_PATIENCE = 2000;

const selectOptions = patiently((element, wanted) => {
  const select = element instanceof HTMLSelectElement ? element : element.querySelector("select");
  if (!select) return { reason: "is not a select", hint: "Press it with browser_click, then press the option." };
  if (isDisabled(select)) return { reason: "is disabled", worth: Infinity };
  if (wanted.length > 1 && !select.multiple) return { reason: "takes one option only" };
  const options = Array.from(select.options);
  const tidy = (text) => text.replace(/\s+/g, " ").trim();
  const chosen = wanted.map(
    (want) =>
      options.find((option) => option.value === want) ||
      options.find((option) => tidy(option.label) === tidy(want)) ||
      options.find((option) => tidy(option.label).toLowerCase() === tidy(want).toLowerCase())
  );
  const missing = wanted.filter((_, index) => !chosen[index]);
  if (missing.length) return { worth: OPTIONS_PATIENCE, missing, options: options.slice(0, 50).map((option) => tidy(option.label)) };
  const barred = chosen.find((option) => option.disabled);
  if (barred) return { reason: `has the option "${tidy(barred.label)}" disabled` };
  select.focus();
  for (const option of options) option.selected = chosen.includes(option);
  announce(select, "input", "change");
  return { chosen: chosen.map((option) => tidy(option.label)) };
});

const checkedState = about((element) => {
  const control = element instanceof HTMLLabelElement && element.control ? element.control : element;
  const inner = control.matches("input[type=checkbox], input[type=radio]")
    ? control
    : queryOne(control, "input[type=checkbox], input[type=radio]") || control;
  if (inner instanceof HTMLInputElement) return { checked: inner.checked, radio: inner.type === "radio" };
  const said = attr(control, "aria-checked") ?? attr(control, "aria-pressed") ?? attr(control, "aria-selected");
  return said === null ? { reason: "is not a checkbox, a radio button or a switch", hint: "Use browser_click." } : { checked: said === "true" };
});

// The caret goes after what is there, where a person who goes on writing would put it.
const caretToEnd = (element) => {
  if (element instanceof HTMLTextAreaElement || (element instanceof HTMLInputElement && SELECTABLE.has(element.type))) {
    element.setSelectionRange(element.value.length, element.value.length);
  } else if (element.isContentEditable) {
    selectContents(element);
    getSelection().collapseToEnd();
  }
};

const focusOn = patiently((target) => {
  const element = fieldOf(target);
  const barrier = takesText(element) && !element.readOnly ? writingObstacle(element) : null;
  if (barrier) return barrier;
  element.focus();
  // A page that hands the focus on into a frame would have the keys go where nobody meant them to go.
  const active = activeElementOf(document);
  if (active && active !== element && matchesSelector(active, FRAMES)) return { reason: "does not keep the focus" };
  caretToEnd(element);
  // Keys on what is no field may be for the page as a whole; what was meant for a field goes into no other.
  return (takesText(element) && focusObstacle(element)) || {};
});

const isScroller = (element, down) => {
  const style = getComputedStyle(element);
  const overflow = down ? style.overflowY : style.overflowX;
  const room = down ? scrollHeightOf(element) > clientHeightOf(element) : scrollWidthOf(element) > clientWidthOf(element);
  return room && /auto|scroll|overlay/.test(overflow);
};

const thePage = () => document.scrollingElement || rootElementOf(document);

const scrollerFor = (element, down) => {
  const page = thePage();
  for (let current = element; current; current = flattenedParent(current)) {
    if (current !== page && isScroller(current, down)) return current;
  }
  if (element || page.scrollHeight > innerHeight) return page;
  // Many applications scroll an inner pane and never the page.
  const middle = deepestAt(innerWidth / 2, innerHeight / 2);
  for (let current = middle; current; current = flattenedParent(current)) if (isScroller(current, down)) return current;
  return page;
};

const hasRoom = (scroller, down) =>
  down ? scroller.scrollHeight > scroller.clientHeight : scroller.scrollWidth > scroller.clientWidth;

// Where to turn the wheel: over an element that does not scroll by itself, as a map or a canvas does something of its
// own then and the page scrolls if not; and over a page that cannot scroll. Null where a script scrolls just as well.
const wheelPoint = (element, scroller, down) => {
  if (scroller !== thePage()) return null;
  if (!element) return hasRoom(scroller, down) ? null : [innerWidth / 2, innerHeight / 2];
  return pointsOf(element).find(([x, y]) => isWithin(deepestAt(x, y), element)) ?? null;
};

const scrollPage = (direction, amount) => scrollFrom(null, direction, amount);

const scrollFrom = (element, direction, amount) => {
  const down = direction === "down" || direction === "up";
  const scroller = scrollerFor(element, down);
  const page = down ? scroller.clientHeight : scroller.clientWidth;
  const distance = (amount ?? Math.round(page * 0.8)) * (direction === "up" || direction === "left" ? -1 : 1);
  const point = wheelPoint(element, scroller, down);
  if (point) return { wheel: { x: point[0], y: point[1], dx: down ? 0 : distance, dy: down ? distance : 0 } };
  scroller.scrollBy({ [down ? "top" : "left"]: distance, behavior: "instant" });
  return whereScrolled(scroller);
};

// The wheel scrolls a frame or more after it was turned.
const afterWheel = async () => {
  let before = null;
  for (const giveUp = performance.now() + 1000; performance.now() < giveUp; ) {
    await soon();
    await soon();
    const now = whereScrolled(thePage());
    if (before && before.x === now.x && before.y === now.y) break;
    before = now;
  }
  return whereScrolled(thePage());
};

const whereScrolled = (scroller) => ({
  x: Math.round(scroller.scrollLeft),
  y: Math.round(scroller.scrollTop),
  below: Math.max(0, Math.round(scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop)),
});

const scrollTo = about((element) => {
  Element.prototype.scrollIntoView.call(element, { block: "center", inline: "center", behavior: "instant" });
  return whereScrolled(scrollerFor(element, true));
});

const read = about((element, mode, attribute) => {
  if (mode === "html") return { value: element.outerHTML };
  if (wasPassword(element) && (attribute ?? "value").toLowerCase() === "value") {
    return { value: `(${element.value.length} hidden characters)` };
  }
  if (mode === "attribute") return { value: attr(element, attribute) };
  if (matchesSelector(element, "input, textarea, select")) return { value: String(element.value) };
  return { value: element.innerText ?? textContentOf(element), unseen: unseenIn(element) };
});

const describeFor = about((element) => ({
  tag: localNameOf(element), isFrame: matchesSelector(element, FRAMES), type: element.type ?? null, password: isPassword(fieldOf(element)), origin: self.origin,
}));

const storedItems = (most) => {
  if (!/^https?:$/.test(location.protocol)) return null;
  const items = Object.keys(localStorage).map((name) => ({ name, value: localStorage.getItem(name) }));
  const size = items.reduce((total, { name, value }) => total + name.length + value.length, 0);
  return items.length && size <= most ? { origin: location.origin, items } : null;
};

const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

const takeFilesBack = about((element) => {
  if (!isTag(element, "input") || inputType(element) !== "file") {
    return { reason: "is no file input", hint: "Name the file input itself to take its files back." };
  }
  if (!element.files.length) return {};
  setValue(element, "");
  announce(element, "input", "change");
  return {};
});

// Files dropped from outside, as a page's drop zone sees them.
const dropFiles = about((element, files) => {
  const transfer = new DataTransfer();
  for (const { name, type, data } of files) transfer.items.add(new File([bytesOf(data)], name, { type }));
  bringIntoView(element);
  const box = boxOf(element);
  const facts = {
    bubbles: true, cancelable: true, composed: true, dataTransfer: transfer,
    clientX: box.left + box.width / 2, clientY: box.top + box.height / 2,
  };
  for (const kind of ["dragenter", "dragover", "drop"]) element.dispatchEvent(new DragEvent(kind, facts));
  return {};
});

// Resolves at the next change of the document, or after a while, whichever is first.
const nextChange = (patience) =>
  new Promise((resolve) => {
    const done = () => {
      observer.disconnect();
      clearTimeout(timer);
      resolve(true);
    };
    const observer = new MutationObserver(done);
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    const timer = setTimeout(done, patience);
  });

const showsText = (text) => (bodyOf(document)?.innerText ?? "").includes(text);
const showsSelector = (css) => {
  const found = queryTargets({ css, limit: 200 }).matches;
  return found.some((match) => {
    const element = elementOfRef(match.ref);
    return element && checkVisibility(element, { visibilityProperty: true });
  });
};

const pageBox = about((element) => {
  bringIntoView(element);
  const box = boxOf(element);
  return { x: box.left, y: box.top, width: box.width, height: box.height };
});

// Where the inside of a frame begins, and how large one of its pixels is here: a frame may be scaled or zoomed.
const insideOf = (element) => {
  const box = rectOf(element);
  const style = getComputedStyle(element);
  const across = box.width / element.offsetWidth || 1;
  const down = box.height / element.offsetHeight || 1;
  return {
    x: box.left + (element.clientLeft + parseFloat(style.paddingLeft)) * across,
    y: box.top + (element.clientTop + parseFloat(style.paddingTop)) * down,
    across,
    down,
  };
};

// What lies at a point; inside a frame, also where the point is in it.
const hitAt = (x, y) => {
  const hit = deepestAt(x, y);
  if (!hit) return null;
  const inside = insideOf(hit);
  return {
    ref: "e" + refNumber(hit), line: lineOf(hit), isFrame: matchesSelector(hit, FRAMES),
    x: (x - inside.x) / inside.across, y: (y - inside.y) / inside.down,
  };
};

const scrollsAtAll = (element) => isScroller(element, true) || isScroller(element, false);

// A frame may be larger than the window, so bringing it into view may leave the wanted point of it outside.
const showPoint = (frame, point) => {
  const page = thePage();
  for (let around = flattenedParent(frame); around; around = flattenedParent(around)) {
    if (around !== page && !(isElement(around) && scrollsAtAll(around))) continue;
    const box = around === page ? new DOMRect(0, 0, innerWidth, innerHeight) : rectOf(around);
    const [x, y] = point();
    const left = x < box.left || x >= box.right ? x - (box.left + box.width / 2) : 0;
    const top = y < box.top || y >= box.bottom ? y - (box.top + box.height / 2) : 0;
    if (left || top) around.scrollBy({ left, top, behavior: "instant" });
  }
};

const frameOrigin = about((element, x, y) => {
  const point = () => {
    const inside = insideOf(element);
    return [inside.x + x * inside.across, inside.y + y * inside.down];
  };
  if (deepestAt(...point()) !== element) {
    Element.prototype.scrollIntoView.call(element, { block: "nearest", inline: "nearest", behavior: "instant" });
    showPoint(element, point);
  }
  return insideOf(element);
});

const hitsFrame = (ref, x, y) => {
  const hit = deepestAt(x, y);
  return hit === elementOfRef(ref) ? null : hit ? lineOf(hit) : "nothing";
};

Object.assign(globalThis.rove, {
  reach, pressed, hasDragBegun, takeFilesBack, dropFiles, storedItems, fillIn, enterSecret, valueOf, selectOptions, checkedState, focusOn, scrollPage, scrollTo, afterWheel, read,
  scrollIn: about(scrollFrom), describeFor, nextChange, showsText, showsSelector, pageBox, frameOrigin, hitsFrame, hitAt,
});
