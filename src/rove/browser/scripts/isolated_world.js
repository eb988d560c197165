// What the driver can call in a frame, and the events that rove's script there listens for.

import {
  beginChoice,
  beginSearch,
  choiceResult,
  choiceState,
  findOption,
  leaveList,
  openAfter,
  selectOptions,
} from "./acting/choosing.js";
import {
  clearFiles,
  dragTo,
  dropFiles,
  endDrag,
  endRelease,
  listenForClipboard,
  setClipboardText,
  takeDrags,
  takenDrag,
} from "./acting/data_transfer.js";
import { untilLayersRest, withElement } from "./acting/element_calls.js";
import { checkedIn, consequenceOf, elementFacts, outerHtml, readAttribute } from "./acting/element_facts.js";
import { enterSecret, fieldValue, fillIn, focusOn, insertAtFocus } from "./acting/fields.js";
import {
  boxNow,
  hasDragStarted,
  listenForDrags,
  listenForPresses,
  pageBox,
  pressResult,
  untilActionable,
} from "./acting/presses.js";
import {
  afterWheel,
  frameBoxNow,
  frameOrigin,
  hitAt,
  hitsFrame,
  scrollFrom,
  scrollPage,
  scrollTo,
} from "./acting/scrolling.js";
import {
  checkSecretFields,
  holdSecretsIn,
  selectionInContext,
  testedValues,
  unheldTexts,
} from "./acting/secret_fields.js";
import {
  beginTyping,
  coverTyped,
  describeFocus,
  endTyping,
  focusedRef,
  typingFocus,
  watchPerson,
} from "./acting/typing.js";
import { ariaSnapshot } from "./aria/aria_snapshot.js";
import { locate, locateOpenly, locatorOf, matching, refOfAriaNumber } from "./aria/locators.js";
import { useOwnIterators } from "./dom/iteration.js";
import { callNumbered, elementOfRef, refNumber, startRefs } from "./dom/refs.js";
import { adoptShadow, focusHere, takeClosedHosts } from "./dom/tree.js";
import { changedLook, listenForValidation, watchLookAt, watchLookOnKeys } from "./page/act_effects.js";
import { holdStill, listenForScrolling, releaseStill, untilAnimationsEnd } from "./page/animations.js";
import { begin } from "./page/beginning.js";
import { leaveModes, listenForModes, releasePointer } from "./page/reports.js";
import { listenForInput } from "./page/scheduled_work.js";
import {
  bodyText,
  expectsWork,
  firstEffect,
  hasAnswered,
  nextChange,
  showsSelector,
  showsText,
  snapshotAndWatch,
  snapshotWhenSettled,
  untilComplete,
  untilSettled,
} from "./page/settling.js";
import { listenForInteractions, webVitals } from "./page/web_vitals.js";
import { listenForPasswords } from "./roles/controls.js";
import { pageSource } from "./snapshot/page_source.js";
import {
  isPressListener,
  noteClickListeners,
  useListenerProbe,
  useRecordedListeners,
} from "./snapshot/press_targets.js";
import { recordedCandidates, recordedDescription } from "./snapshot/recorded_elements.js";
import { findRows, similarNames } from "./snapshot/search.js";
import { describeElement, queryTargets, rectanglesOf, surroundingsOf } from "./snapshot/targets.js";

useOwnIterators();

export const driverCalls = {
  // The snapshot, and elements in it.
  snapshot: snapshotAndWatch,
  pageSource,
  startRefs,
  callNumbered,
  element: elementOfRef,
  ref: (/** @type {Element} */ element) => `e${refNumber(element)}`,
  describe: describeElement,
  query: queryTargets,
  similarNames,
  find: findRows,
  boxes: rectanglesOf,
  surroundings: surroundingsOf,
  // Elements that are found again after the page has changed.
  recordedDescription,
  recordedCandidates,
  // Playwright's form of them.
  ariaSnapshot,
  refOfAriaNumber,
  locatorOf,
  locate,
  locateOpenly,
  matching,
  // What only the driver can find out.
  closedHostCandidates: takeClosedHosts,
  adoptShadow,
  useListenerProbe,
  isPressListener,
  noteClickListeners,
  // Acting on one element.
  untilActionable,
  pressResult,
  hasDragStarted,
  takeDrags,
  takenDrag,
  dragTo,
  endDrag,
  endRelease,
  untilAnimationsEnd,
  fillIn,
  enterSecret,
  fieldValue,
  selectOptions,
  beginChoice,
  beginSearch,
  findOption,
  choiceState,
  choiceResult,
  openAfter,
  leaveList,
  checkedState: checkedIn,
  focusOn,
  clearFiles,
  dropFiles,
  scrollTo,
  scrollIn: withElement(scrollFrom),
  outerHtml,
  readAttribute,
  elementFacts,
  consequenceOf,
  boxNow,
  pageBox,
  // Typing, which goes to whatever has the focus.
  beginTyping,
  endTyping,
  typingFocus,
  focusHere,
  insertAtFocus,
  focusedRef,
  describeFocus,
  untilLayersRest,
  checkSecretFields,
  unheldTexts,
  holdSecretsIn,
  selectionInContext,
  testedValues,
  // Frames and points.
  frameBoxNow,
  frameOrigin,
  hitsFrame,
  hitAt,
  // The page as a whole.
  scrollPage,
  afterWheel,
  nextChange,
  showsText,
  bodyText,
  showsSelector,
  begin,
  untilSettled,
  snapshotWhenSettled,
  firstEffect,
  expectsWork,
  hasAnswered,
  untilComplete,
  watchLookAt,
  changedLook,
  setClipboardText,
  leaveModes,
  releasePointer,
  watchPerson,
  coverTyped,
  webVitals: (/** @type {number} */ longest) => webVitals(describeElement, longest),
  holdStill,
  releaseStill,
};

listenForPasswords();
// Ahead of idle detection, which must not see a press that was stopped.
listenForPresses();
listenForDrags();
watchLookOnKeys();
listenForInput();
listenForScrolling();
listenForClipboard();
listenForModes();
listenForValidation();
listenForInteractions();
useRecordedListeners();
