// What our hands type is looked at as it arrives, ahead of the page, which may have moved the focus meanwhile or made
// a field another kind: nothing but a named secret goes into a password field, and nothing is carried out of one.

const FRAMES = "iframe, frame, object, embed";

// While hands of ours type: the first field that was kept from them.
let watch = null;

const takesText = (element) =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element.isContentEditable;

// The field that an event is about; null where a closed shadow root hides it that nobody has shown us.
const fieldIn = (event) => {
  let element = event.composedPath()[0];
  while (element && !takesText(element)) element = shadowOf(element)?.activeElement ?? null;
  return element;
};

const keepFrom = (event, field) => {
  event.preventDefault();
  event.stopImmediatePropagation();
  watch.kept ||= field || event.composedPath()[0];
};

const inspectInput = (event) => {
  if (!watch || !event.isTrusted || /^delete|^insertLineBreak$/.test(event.inputType)) return;
  const field = fieldIn(event);
  if (!field || isPassword(field)) keepFrom(event, field);
};

const inspectCarrying = (event) => {
  if (!watch || !event.isTrusted || !(event.composedPath()[0] instanceof Element)) return;
  const field = fieldIn(event);
  if (field && isPassword(field)) keepFrom(event, field);
};

// By way of the prototypes, as a frame or a form can go by the name of a method and stand before it.
const listen = (kind, listener) =>
  EventTarget.prototype.addEventListener.call(globalThis, kind, listener, { capture: true });
const hasFocus = () => Document.prototype.hasFocus.call(document);

const startWatching = () => {
  watch = { kept: null };
  // Again each time, since document.open() takes every listener away; one that is there is not added twice.
  listen("beforeinput", inspectInput);
  for (const kind of ["copy", "cut", "paste", "dragstart", "drop"]) listen(kind, inspectCarrying);
};

// What has the focus, if it is in this document and not in a frame of it.
const focusHere = () => {
  const element = hasFocus() ? deepActiveElement() : null;
  return element && !matchesSelector(element, FRAMES) ? element : null;
};

const mayHoldFocus = (element) => {
  const tag = localNameOf(element);
  return !takesText(element) && !shadowOf(element) && (tag.includes("-") || tag === "body" || HOST_TAGS.has(tag));
};

const told = (element) => ({ line: lineOf(element), ref: "e" + refNumber(element), origin: self.origin });

const typingFocus = () => {
  const element = focusHere();
  if (!element) return {};
  return isPassword(element) ? { kept: told(element) } : { isHost: mayHoldFocus(element) };
};

const beginTyping = () => {
  meetPasswords();
  startWatching();
  return typingFocus();
};

const endTyping = () => {
  const kept = watch && watch.kept;
  watch = null;
  return kept ? { kept: told(kept) } : {};
};

const focused = () => {
  const element = focusHere();
  return element && element !== bodyOf(document) ? { ref: "e" + refNumber(element) } : null;
};

const focusTold = () => {
  const element = focusHere();
  return element ? told(element) : null;
};

Object.assign(globalThis.rove, { beginTyping, endTyping, typingFocus, focusHere, focused, focusTold });
