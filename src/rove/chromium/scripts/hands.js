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

// What keeps a field from being filled in now, and may not do so later.
const unready = (element) =>
  obstacle(element, { enabled: true }) || (element.readOnly ? { reason: "is read-only" } : null);

// In one call where that can be, since then nothing of the page but its handlers runs in between; else the field is left
// focused with its old text selected and "type" is answered, for the driver to type over it.
const fillIn = async (ref, value, guarded, patience) => {
  const giveUp = performance.now() + patience;
  for (;;) {
    const target = elementOfRef(ref);
    if (!target) return { gone: true };
    const line = lineOf(target);
    const element = fieldOf(target);
    if (guarded && value && isPassword(element)) return { line, whose: self.origin, password: true, origin: self.origin };
    const problem = unready(element);
    if (!problem) {
      const done = fillNow(element, value, guarded);
      await null; // what the page puts off until its handlers are through may change the value
      return { line, whose: self.origin, ...done, value: isPassword(element) ? null : element.value };
    }
    if (performance.now() >= giveUp) return { line, whose: self.origin, ...problem };
    await soon();
  }
};

const fillNow = (element, value, guarded) => {
  element.focus();
  if (element instanceof HTMLInputElement && !isTextField(element)) return setPicked(element, value);
  if (isTextField(element)) {
    element.select();
    return deepActiveElement() === element ? typeOver(element, value, guarded) : { type: true };
  }
  if (!element.isContentEditable) {
    const hint = "Use browser_click, browser_check or browser_select.";
    return { reason: "is not something that can be filled in", hint };
  }
  selectContents(element); // an editor hears of that only when this call is over
  return { type: true };
};

const typeOver = (element, value, guarded) => {
  const isLong = value.split("\n", MOST_TYPED_LINES + 1).length > MOST_TYPED_LINES;
  const kind = !value ? "deleteContentBackward" : isLong ? "insertFromPaste" : "insertText";
  const facts = { bubbles: true, composed: true, inputType: kind, data: value || null };
  // A command tells nobody of what it is about to do, as a key would.
  if (!element.dispatchEvent(new InputEvent("beforeinput", { ...facts, cancelable: true }))) return { type: false };
  if (deepActiveElement() !== element) return { type: true };
  if (guarded && value && isPassword(element)) return { password: true, origin: self.origin };
  if (!isLong) return { type: !command(value ? "insertText" : "delete", value) && element.value !== value };
  setValue(element, element.maxLength >= 0 ? value.slice(0, element.maxLength) : value);
  element.dispatchEvent(new InputEvent("input", facts));
  return { type: false };
};

const command = (name, value) => Document.prototype.execCommand.call(document, name, false, value);

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

const selectOptions = about((element, wanted) => {
  const select = element instanceof HTMLSelectElement ? element : element.querySelector("select");
  if (!select) return { reason: "is not a select", hint: "Press it with browser_click, then press the option." };
  if (isDisabled(select)) return { reason: "is disabled" };
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
  if (missing.length) return { missing, options: options.slice(0, 50).map((option) => tidy(option.label)) };
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

const focusOn = about((target) => {
  const element = fieldOf(target);
  element.focus();
  // A page that hands the focus on into a frame would have the keys go where nobody meant them to go.
  const active = activeElementOf(document);
  if (active && active !== element && matchesSelector(active, FRAMES)) return { reason: "does not keep the focus" };
  caretToEnd(element);
  return {};
});

const isScroller = (element, down) => {
  const style = getComputedStyle(element);
  const overflow = down ? style.overflowY : style.overflowX;
  const room = down ? scrollHeightOf(element) > clientHeightOf(element) : scrollWidthOf(element) > clientWidthOf(element);
  return room && /auto|scroll|overlay/.test(overflow);
};

const scrollerFor = (element, down) => {
  const page = document.scrollingElement || rootElementOf(document);
  for (let current = element; current; current = flattenedParent(current)) {
    if (current !== page && isScroller(current, down)) return current;
  }
  if (element || page.scrollHeight > innerHeight) return page;
  // Many applications scroll an inner pane and never the page.
  const middle = deepestAt(innerWidth / 2, innerHeight / 2);
  for (let current = middle; current; current = flattenedParent(current)) if (isScroller(current, down)) return current;
  return page;
};

const scrollPage = (direction, amount) => scrollFrom(null, direction, amount);

const scrollFrom = (element, direction, amount) => {
  const down = direction === "down" || direction === "up";
  const scroller = scrollerFor(element, down);
  const page = down ? scroller.clientHeight : scroller.clientWidth;
  const distance = (amount ?? Math.round(page * 0.8)) * (direction === "up" || direction === "left" ? -1 : 1);
  scroller.scrollBy({ [down ? "top" : "left"]: distance, behavior: "instant" });
  return whereScrolled(scroller);
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

// What lies at a point; inside a frame, also where the point is in it.
const hitAt = (x, y) => {
  const hit = deepestAt(x, y);
  if (!hit) return null;
  const box = rectOf(hit);
  const across = hit.offsetWidth ? box.width / hit.offsetWidth : 1;
  const down = hit.offsetHeight ? box.height / hit.offsetHeight : 1;
  return {
    ref: "e" + refNumber(hit), line: lineOf(hit), isFrame: matchesSelector(hit, FRAMES),
    x: (x - box.left) / across - hit.clientLeft, y: (y - box.top) / down - hit.clientTop,
  };
};

const frameOrigin = about((element) => {
  Element.prototype.scrollIntoView.call(element, { block: "nearest", inline: "nearest", behavior: "instant" });
  const box = rectOf(element);
  return { x: box.left + element.clientLeft, y: box.top + element.clientTop };
});

const hitsFrame = (ref, x, y) => {
  const hit = deepestAt(x, y);
  return hit === elementOfRef(ref) ? null : hit ? lineOf(hit) : "nothing";
};

Object.assign(globalThis.rove, {
  reach, pressed, hasDragBegun, dropFiles, storedItems, fillIn, enterSecret, valueOf, selectOptions, checkedState, focusOn, scrollPage, scrollTo, read,
  scrollIn: about(scrollFrom), describeFor, nextChange, showsText, showsSelector, pageBox, frameOrigin, hitsFrame, hitAt,
});
