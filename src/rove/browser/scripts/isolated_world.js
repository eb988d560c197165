// What the driver can call in a frame, and the events that rove's script there listens for.

import { boxNow, pageBox, untilActionable } from "./acting/actionability.js";
import { checkedIn } from "./acting/checkboxes.js";
import { withElement } from "./acting/element_calls.js";
import { elementFacts, outerHtml, readAttribute } from "./acting/extraction.js";
import { enterSecret, fieldValue, fillIn, focusOn, insertAtFocus } from "./acting/fields.js";
import { clearFiles, dropFiles } from "./acting/files.js";
import { frameBoxNow, frameOrigin, hitAt, hitsFrame } from "./acting/frame_geometry.js";
import { hasDragStarted, listenForDrags, listenForPresses, pressResult } from "./acting/presses.js";
import { afterWheel, scrollFrom, scrollPage, scrollTo } from "./acting/scrolling.js";
import { beginTyping, describeFocus, endTyping, focusedRef, typingFocus } from "./acting/typing.js";
import { untilLayersRest } from "./acting/waiting.js";
import { ariaSnapshot } from "./aria/aria_snapshot.js";
import { locate, locateOpenly, locatorOf, matching, refOfAriaNumber } from "./aria/locators.js";
import { listenForInteractions } from "./audits/interactions.js";
import { holdStill, releaseStill } from "./audits/stillness.js";
import { webVitals } from "./audits/web_vitals.js";
import {
  beginChoice,
  beginSearch,
  choiceResult,
  choiceState,
  findOption,
  leaveList,
  openAfter,
} from "./choosing/list_choice.js";
import { selectOptions } from "./choosing/native_selects.js";
import { consequenceOf } from "./consequences/activation.js";
import { adoptShadow, takeClosedHosts } from "./dom/closed_shadow_roots.js";
import { focusHere } from "./dom/focus.js";
import { callNumbered, elementOfRef, refNumber, startRefs } from "./dom/refs.js";
import { dragTo, endDrag, endRelease, takeDrags, takenDrag } from "./dragging/taken_drags.js";
import { useOwnIterators } from "./iteration.js";
import { listenForScrolling, untilAnimationsEnd } from "./page/animations.js";
import { begin } from "./page/beginning.js";
import { bodyText, nextChange, showsSelector, showsText } from "./page/changes.js";
import { listenForClipboard, setClipboardText } from "./page/clipboard.js";
import { listenForInput } from "./page/idle.js";
import { leaveModes, listenForModes, releasePointer } from "./page/modes.js";
import { coverTyped, watchPerson } from "./page/person_typing.js";
import {
  expectsWork,
  firstEffect,
  hasAnswered,
  snapshotAndWatch,
  snapshotWhenSettled,
  untilComplete,
  untilSettled,
} from "./page/settling.js";
import { listenForValidation } from "./page/validation.js";
import { changedLook, watchLookAt, watchLookOnKeys } from "./paint/look_changes.js";
import { pageSource } from "./reading/page_source.js";
import { recordedCandidates, recordedDescription } from "./recording/descriptions.js";
import { listenForPasswords } from "./roles/passwords.js";
import { findRows } from "./search/find.js";
import { similarNames } from "./search/similar_names.js";
import { describeElement, queryTargets, rectanglesOf, surroundingsOf } from "./search/targets.js";
import { checkSecretFields } from "./secrets/secret_fields.js";
import { selectionInContext } from "./secrets/selection.js";
import { testedValues } from "./secrets/tested_attributes.js";
import { holdSecretsIn, unheldTexts } from "./secrets/unheld_fields.js";
import {
  isPressListener,
  noteClickListeners,
  useListenerProbe,
  useRecordedListeners,
} from "./snapshot/press_targets.js";

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
