// Reaching an element as a hand would: bring it into view, wait until it can be pressed, find the point.

const DISABLEABLE = "button, input, select, textarea, option, optgroup, fieldset";

const isDisabled = (element) =>
  (matchesSelector(element, DISABLEABLE) && matchesSelector(element, ":disabled")) ||
  closestOf(element, "[aria-disabled='true' i]") !== null;

const deepestAt = (x, y) => {
  let hit = document.elementFromPoint(x, y);
  while (hit) {
    const shadow = shadowOf(hit);
    const inner = shadow && shadow.elementFromPoint(x, y);
    if (!inner || inner === hit) return hit;
    hit = inner;
  }
  return hit;
};

const isWithin = (node, ancestor) => {
  for (let current = node; current; current = flattenedParent(current)) if (current === ancestor) return true;
  return false;
};

// A label, or the painted stand-in inside it, is what a person presses to reach the control behind.
const labelsOf = (element) => (element.labels ? Array.from(element.labels) : []);

const standsFor = (hit, element) => {
  if (isWithin(hit, element)) return true;
  if (labelsOf(element).some((label) => isWithin(hit, label))) return true;
  // Text or an icon inside a link or button: pressing the link is pressing it.
  const pressable = closestOf(element, "a, button, label, summary, option, [role], [onclick], [tabindex]");
  return pressable !== null && pressable !== element && isWithin(hit, pressable) && isWithin(element, hit);
};

const boxOf = (element) => {
  const picture = isTag(element, "area") && pictureOf(element);
  if (picture) return areaBox(element, picture);
  const box = rectOf(element);
  if (box.width > 0 && box.height > 0) return box;
  // display: contents and inline wrappers have no box of their own, but what is in them has.
  const range = document.createRange();
  range.selectNodeContents(element);
  const inside = range.getBoundingClientRect();
  return inside.width > 0 && inside.height > 0 ? inside : stretchedBox(element) || inside;
};

// An empty link may be stretched over its card by a box that its style generates, which only a press can find.
const stretchedBox = (element) => {
  for (let around = flattenedParent(element), up = 0; around && up < 3; around = flattenedParent(around), up++) {
    const box = isElement(around) ? rectOf(around) : null;
    if (box && box.width > 0 && box.height > 0 && middleHits(box, element)) return box;
  }
  return null;
};

// Also true of what is out of the window: whether a press hits it is known when it is in view.
const middleHits = (box, element) => {
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  return x < 0 || y < 0 || x >= innerWidth || y >= innerHeight || deepestAt(x, y) === element;
};

// Middle first; then the middle of each line box (a wrapped link's middle may lie outside it); then corners.
const pointsOf = (element) => {
  const box = boxOf(element);
  const boxes = [box, ...Array.from(Element.prototype.getClientRects.call(element)).slice(0, 4)];
  const points = boxes.map((b) => [b.left + b.width / 2, b.top + b.height / 2]);
  const picture = isTag(element, "area") && pictureOf(element);
  if (picture) points.push(...areaPoints(element, picture));
  for (const across of [0.2, 0.8]) {
    for (const down of [0.2, 0.8]) points.push([box.left + box.width * across, box.top + box.height * down]);
  }
  return points.filter(([x, y]) => x >= 0 && y >= 0 && x < innerWidth && y < innerHeight);
};

const isInView = (box) => box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;

const bringIntoView = (element) => {
  const box = boxOf(element);
  const middle = [box.left + box.width / 2, box.top + box.height / 2];
  const hit = isInView(box) && deepestAt(middle[0], middle[1]);
  if (hit && standsFor(hit, element)) return;
  const shown = (isTag(element, "area") && pictureOf(element)) || element;
  Element.prototype.scrollIntoView.call(shown, { block: "center", inline: "center", behavior: "instant" });
};

const isMoving = (element) =>
  document.getAnimations().some((animation) => {
    if (animation.playState !== "running" || !animation.effect || !animation.effect.target) return false;
    const { activeDuration } = animation.effect.getComputedTiming();
    return Number.isFinite(activeDuration) && isWithin(element, animation.effect.target);
  });

const sameBox = (a, b) => a.left === b.left && a.top === b.top && a.width === b.width && a.height === b.height;

// What stands between a hand and the element right now; null when nothing does.
const obstacle = (element, wants) => {
  const box = boxOf(element);
  const style = getComputedStyle(element);
  if (box.width === 0 || box.height === 0) {
    return labelsOf(element).some((label) => boxOf(label).width > 0) ? null : { reason: "has no size on the page" };
  }
  if (style.visibility !== "visible") return { reason: "is not visible" };
  if (wants.enabled && isDisabled(element)) return { reason: "is disabled" };
  return null;
};

const pointOn = (element) => {
  let cover = null;
  const candidates = pointsOf(element);
  for (const label of labelsOf(element)) candidates.push(...pointsOf(label).slice(0, 2));
  for (const [x, y] of candidates) {
    const hit = deepestAt(x, y);
    if (hit && standsFor(hit, element)) return { x, y };
    cover = cover || hit;
  }
  if (!candidates.length) return { reason: "lies outside what can be scrolled into view" };
  return { reason: cover ? `is covered by ${lineOf(cover)}` : "receives no pointer events" };
};

// Between finding the point and pressing it a page may move. The press is looked at as it comes in, before the
// page sees it: if it would land on something else, it is stopped, and the driver aims again.
let expected = null;

const inspectPress = (event) => {
  if (!expected || !event.isTrusted) return;
  // Down and up are sent to wherever the browser thinks that frames are, which may change in between.
  if (!expected.arrived && !event.type.endsWith("down")) return;
  if (!expected.arrived) {
    expected.arrived = true;
    const hit = deepestAt(event.clientX, event.clientY);
    if (!hit || !standsFor(hit, expected.element)) {
      expected.reason = hit ? `moved away, and ${lineOf(hit)} was in its place` : "moved away";
    }
  }
  if (event.type === "mouseup" && --expected.left === 0) tellOfPress(expected);
  if (expected.reason) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
};
// Told at once, which spares the driver asking; what follows in the same moment, such as the click, is still looked at.
const tellOfPress = (press) => {
  globalThis.roveTell?.("pressed " + JSON.stringify(press.reason));
  setTimeout(() => { if (expected === press) expected = null; });
};
const PRESSES = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"];
const listenForPresses = () => {
  for (const kind of PRESSES) addEventListener(kind, inspectPress, { capture: true, passive: false });
};
listenForPresses();

const expectPress = (element, count) => {
  listenForPresses(); // again, as document.open() takes every listener away; one that is there is not added twice
  // What is pressed in a frame is seen in the frame alone.
  expected = { element, arrived: matchesSelector(element, FRAMES), reason: null, left: count };
  meetPasswords(); // of which the press may show one
};

// Asked when the browser has confirmed the press and no word of it has come.
const pressed = async () => {
  const press = expected;
  expected = null;
  if (!press || press.arrived) return { missed: press && press.reason };
  await soon(); // where a frame lies is known to whoever sends presses there only when it has been painted
  return { missed: "did not get the press, which went elsewhere", lost: true };
};

// Whether the moves so far have begun an HTML5 drag that the page did not refuse.
let dragBegun = null;
addEventListener("dragstart", (event) => { dragBegun = event; }, { capture: true });
const hasDragBegun = () => {
  const begun = dragBegun !== null && !dragBegun.defaultPrevented;
  dragBegun = null;
  return begun;
};

const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

// A page that is hidden or throttled may never paint; a timer bounds the wait for a frame.
const soon = () =>
  new Promise((resolve) => {
    const late = setTimeout(resolve, 100);
    nextFrame().then(() => { clearTimeout(late); resolve(); });
  });

// Every answer about an element carries its line, so that what is done and what is told need one call.
const lineOf = (element) => describeElement(element).line;
const about = (work) => (ref, ...rest) => {
  const element = elementOfRef(ref);
  return element ? { line: lineOf(element), whose: self.origin, ...work(element, ...rest) } : { gone: true };
};

const reach = async (ref, wants, patience) => {
  const giveUp = performance.now() + patience;
  const target = elementOfRef(ref);
  const line = target && lineOf(target);
  let before = null;
  for (;;) {
    const element = elementOfRef(ref);
    if (!element) return { gone: true };
    let problem = obstacle(element, wants);
    if (!problem) {
      bringIntoView(element);
      const box = boxOf(element);
      const steady = !isMoving(element) || (before && sameBox(before, box));
      before = box;
      const point = pointOn(element);
      if (steady && !point.reason) {
        if (wants.press) expectPress(element, wants.press);
        return { line, whose: self.origin, ...point };
      }
      problem = steady ? point : { reason: "keeps moving" };
    }
    if (performance.now() >= giveUp) return { line, whose: self.origin, ...problem };
    await soon();
  }
};
