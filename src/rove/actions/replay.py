"""Running a recording again, without a model, on pages that may have been changed since."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rove.action import AnyAction, CompositeAction, Effect, StepRunner, TabAction, action, arg, parse, registry
from rove.advice import Verbatim
from rove.browser.element import Candidate, ElementDescription
from rove.errors import AmbiguousTarget, ElementGone, ElementNotFound, InvalidArguments, NotOpen, RoveError
from rove.outcome import AnyOutcome, Passage, Result, error_passages, origin_in
from rove.page_text import NOWHERE, Own, PageText, Text
from rove.recorded_steps import (
    NAME_PATTERN,
    RecordedStep,
    Recording,
    filled,
    read_settings,
    readable_target,
    set_argument,
    surroundings_for,
    values_for,
)
from rove.recordings.matching import Verdict, choose
from rove.records import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

LOOK_AGAIN = 0.25
# Seconds for which a page must be at rest before an element that is called otherwise is taken for the one that is
# meant, and before it counts as missing: until then that one may still appear.
HEAL_AFTER = 0.5
GIVE_UP_AFTER = 1.5
MOST_SECONDS = 5.0
UNDECIDED = "Choose one of them in the recording's file, or record the step anew."
MISSING = "Take a {snapshot}: if the element is there under another name, change the step in the recording's file."

# Seconds for all steps of a recording; each step has its own limit besides.
LONGEST_REPLAY = 600.0
LONGEST_LINE = 300


@dataclass(frozen=True)
class RecordedFound(Result):
    """The element, and how it was found; `description` is what it can be found by from now on, as JSON."""

    ref: Own
    way: Own
    is_healed: bool
    line: PageText
    description: PageText

    def __str__(self) -> str:
        return f"Found by its {self.way}: {self.line}"

    def passages(self, origin: str) -> Iterator[Passage]:
        yield Passage(f"Found by its {self.way}, {self.ref}:")
        yield Passage(self.line)


@action(Effect.READ, group="recordings")
class FindRecorded(TabAction[RecordedFound]):
    """Find the element that a recording describes: by ref, by role and name, else by what is around it."""

    element: dict[str, Any] = arg("The element, as a recording's file describes it, as JSON.")

    @property
    def settles(self) -> bool:
        return False

    def describe(self) -> str:
        return f"Find recorded {self.element.get('role', '')} {self.element.get('name', '')!r}"

    async def perform(self, tab: Tab) -> RecordedFound:
        try:
            wanted = ElementDescription.from_data(self.element)
        except ValueError as error:
            raise InvalidArguments(f"`element`: {error}.") from None
        if not (wanted.role or wanted.name or wanted.selector):
            raise InvalidArguments(
                "`element`: needs a `role` and a `name`, or at least one of role, name and selector."
            )
        began = resting_since = time.monotonic()
        most = min(MOST_SECONDS, tab.page.time.left / 2)
        while True:
            verdict = choose(wanted, await tab.descriptions.candidates(wanted), tab.url.origin)
            if verdict.chosen and not verdict.is_healed:
                return _found(wanted, verdict)
            now = time.monotonic()
            if tab.page.load_state.is_navigating or tab.page.requests.pending:
                resting_since = now
            patience = HEAL_AFTER if verdict.chosen or verdict.is_ambiguous else GIVE_UP_AFTER
            if now - began >= most or now - resting_since >= patience:
                return _found(wanted, verdict)
            await tab.wait_for_change(LOOK_AGAIN)


def _found(wanted: ElementDescription, verdict: Verdict) -> RecordedFound:
    """Return what was found. Raises AmbiguousTarget or ElementNotFound, with what comes nearest."""
    if verdict.chosen is not None:
        chosen = verdict.chosen
        way = Own(verdict.way if verdict.way != "id" else "id or test id")
        description = chosen.line.around(json.dumps(chosen.description.to_data(), ensure_ascii=False))
        return RecordedFound(Own(chosen.ref), way, verdict.is_healed, chosen.line, description)
    called = PageText(f'{wanted.role} "{wanted.name}"' if wanted.name else wanted.role or wanted.tag, NOWHERE)
    if verdict.is_ambiguous:
        said = ("The page has several elements that may be ", called, ": ", *_listed(verdict.nearest), ".")
        raise AmbiguousTarget(*said, hint=UNDECIDED)
    near = (" The nearest: ", *_listed(verdict.nearest), ".") if verdict.nearest else ()
    raise ElementNotFound("The page has no element that is surely ", called, ".", *near, hint=MISSING)


def _listed(candidates: Sequence[Candidate]) -> list[str]:
    """Return the lines of elements as parts of a message, with what is around them where that tells them apart."""
    parts: list[str] = []
    for candidate in candidates:
        around = candidate.description.item or candidate.description.heading
        parts += ["; ", candidate.line.around(f"{candidate.line}{f' beside {around[:80]!r}' if around else ''}")]
    return parts[1:]


@dataclass(frozen=True)
class FoundElement:
    """An element of a step: how it was found, what it is called now and, if it was healed, what it was called."""

    argument: Own
    way: Own
    is_healed: bool
    line: PageText
    was: PageText

    def passages(self) -> Iterator[Passage]:
        """Tell of an element that is not as it was recorded."""
        if self.is_healed:
            yield Passage(f"   healed: found by its {self.way}. It was")
            yield Passage(self.was)
            yield Passage("   and is now")
            yield Passage(self.line)


@dataclass(frozen=True)
class ReplayedStep:
    number: int
    action: Own
    seconds: float
    elements: tuple[FoundElement, ...] = ()
    said: Text = Own()

    @property
    def is_healed(self) -> bool:
        return any(element.is_healed for element in self.elements)


@dataclass(frozen=True)
class ReplayStopped:
    number: int
    action: Own
    error: RoveError


@dataclass(frozen=True)
class Replayed(Result):
    recording: Own
    total: int
    steps: tuple[ReplayedStep, ...]
    stopped: ReplayStopped | None = None
    # Whether the recording's file has been brought up to date with what was healed.
    is_updated: bool = False

    @property
    def healed(self) -> int:
        """How many steps have elements that are not called what they were."""
        return sum(step.is_healed for step in self.steps)

    @property
    def error(self) -> RoveError | None:
        return self.stopped.error if self.stopped else None

    def __str__(self) -> str:
        return "\n".join(passage.text for passage in self.passages(""))

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell what each step did, what was healed, and where and why the replay stopped."""
        for step in self.steps:
            said = f"{step.number}. {step.action}: "
            if isinstance(step.said, PageText):
                yield Passage(step.said.around(said + step.said), step.said.origin, longest=LONGEST_LINE)
            else:
                yield Passage(said + (step.said or "done."), longest=LONGEST_LINE)
            for element in step.elements:
                yield from element.passages()
        if self.stopped is not None:
            yield Passage(f"{self.stopped.number}. {self.stopped.action}: stopped.")
            yield from error_passages(self.stopped.error)
        yield Passage(self._summary())

    def _summary(self) -> str:
        updated = ", and its file is up to date" if self.is_updated else ""
        healed = f"; {self.healed} healed{updated}" if self.healed else ""
        advice = "" if self.is_updated or not self.healed or self.stopped else " Replay with `update` to keep that."
        return f"{self.recording}: {len(self.steps)} of {self.total} steps done{healed}.{advice}"


@action(Effect.NAVIGATE, observes=False, group="recordings")
class Replay(CompositeAction[Replayed]):
    """Run a recording again, without a model; stop where an element is missing or ambiguous."""

    name: str = arg("Name of the recording.", pattern=NAME_PATTERN)
    set: tuple[str, ...] = arg("Values of its parameters, such as query=tea.", default=())
    update: bool = arg("Keep what was healed in the recording's file, if all went well.", default=False)
    trace: bool = arg("Keep pictures of this run, which an export as a trace then shows.", default=False)

    @property
    def actions(self) -> Sequence[AnyAction]:
        """None that are known before its file is read."""
        return ()

    @property
    def takes(self) -> float:
        return LONGEST_REPLAY

    @property
    def tells_pages(self) -> bool:
        """No: what each step did is told, and its summary comes last."""
        return False

    async def perform(self, runner: StepRunner) -> Replayed:
        recording = await runner.recordings.read(self.name)
        values = values_for(recording, read_settings(self.set))
        for number, step in enumerate(recording.steps, 1):
            _refuse_unknown(step, number, values)
        replaying = _Replaying(runner, recording, values)
        async with runner.recordings.keeping_run(self.name) if self.trace else nullcontext():
            result = await replaying.run()
        if self.update and result.healed and result.stopped is None:
            await runner.recordings.write(replaying.updated)
            return replace(result, is_updated=True)
        return result


def _refuse_unknown(step: RecordedStep, number: int, values: Mapping[str, str]) -> None:
    """Raise InvalidArguments if a step cannot be replayed or has an unknown parameter, before the first one runs."""
    cls = registry().get(step.action)
    if cls is None or not cls.is_recorded:
        raise InvalidArguments(f"Step {number} of the recording is {step.action!r}, which is no step of recordings.")
    try:
        filled(step.arguments, values)
    except KeyError as error:
        hint = "Name it in the recording's `parameters`, or write `$${` for a text that has `${`."
        raise InvalidArguments(f"Step {number} of the recording has no parameter {error}.", hint=hint) from None


class _Replaying:
    """One replay: the elements that were found, and the tabs that stand for those of the recording."""

    def __init__(self, runner: StepRunner, recording: Recording, values: Mapping[str, str]) -> None:
        self._runner = runner
        self._recording = recording
        self._values = values
        self._tabs: dict[str, str] = {}
        self.updated = recording

    async def run(self) -> Replayed:
        done: list[ReplayedStep] = []
        total = len(self._recording.steps)
        stopped: ReplayStopped | None = None
        for number, step in enumerate(self._recording.steps, 1):
            self._runner.report(f"Step {number}: {step.action}", number - 1, total)
            try:
                done.append(await self._run_step(number, step))
            except RoveError as error:
                stopped = ReplayStopped(number, Own(step.action), _at_step(error, number, total, step.action))
                break
        return Replayed(Own(self._recording.name), total, tuple(done), stopped)

    async def _run_step(self, number: int, step: RecordedStep) -> ReplayedStep:
        outcome, found = await self._find_and_act(number, step)
        if step.tab and outcome.tab:
            self._tabs[step.tab] = outcome.tab
        return ReplayedStep(number, Own(step.action), outcome.seconds, tuple(found), _said(outcome))

    async def _find_and_act(
        self, number: int, step: RecordedStep, repeats: bool = True
    ) -> tuple[AnyOutcome, list[FoundElement]]:
        arguments = await self._with_tab(step, filled(step.arguments, self._values))
        found: list[FoundElement] = []
        for path, element in step.elements.items():
            if registry()[step.action].finds_again:
                outcome = await self._find(element)
                arguments = set_argument(arguments, path, str(outcome.result.ref))
                found.append(self._note(number, path, element, step, outcome))
        try:
            return await self._runner.run(parse(step.action, arguments)), found
        except ElementGone:
            if not repeats:
                raise
        return await self._find_and_act(number, step, repeats=False)

    async def _find(self, element: ElementDescription) -> AnyOutcome:
        """Find an element. Refs of another session mean nothing, or something else."""
        is_same = self._recording.session == self._runner.recordings.session
        wanted = surroundings_for(element, self._recording.parameters, self._values)
        wanted = wanted if is_same else replace(wanted, ref="")
        return await self._runner.run(parse("find_recorded", {"element": wanted.to_data()}))

    def _note(
        self, number: int, path: str, element: ElementDescription, step: RecordedStep, outcome: AnyOutcome
    ) -> FoundElement:
        result = outcome.result
        was = PageText(f'{element.role} "{element.name}"', origin_in(step.url))
        if result.is_healed:
            now = ElementDescription.from_data(json.loads(result.description))
            current = self.updated.steps[number - 1]
            arguments = set_argument(current.arguments, path, readable_target(now))
            healed = replace(current, arguments=arguments, elements={**current.elements, path: now})
            self.updated = self.updated.with_step(number - 1, healed)
        return FoundElement(Own(path), result.way, result.is_healed, result.line, was)

    async def _with_tab(self, step: RecordedStep, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return arguments in which a tab of the recording is the one that stands for it now."""
        named = arguments.get("tab")
        if step.action not in ("tabs", "dialog") or not isinstance(named, str):
            return arguments
        if named not in self._tabs:
            listed = (await self._runner.run(parse("tabs", {}))).result.tabs
            others = [tab.id for tab in listed if tab.id not in self._tabs.values()]
            if len(others) != 1:
                raise NotOpen(
                    f"It is not clear which tab is {named} of the recording: {len(others)} tabs may be.",
                    hint="Replay in a new session, which has no other tabs.",
                )
            self._tabs[named] = others[0]
        return {**arguments, "tab": self._tabs[named]}


def _said(outcome: AnyOutcome) -> Text:
    """Return what a step said, if it is one text."""
    said: list[Passage] = [passage for passage in outcome.result.passages(outcome.origin) if passage.text]
    if len(said) != 1:
        return Own()
    text, origin = said[0].text, said[0].origin
    return Own(text) if origin is None else PageText(text, origin or outcome.origin)


def _at_step(error: RoveError, number: int, total: int, verb: str) -> RoveError:
    """Return the error of a step, with its number; the steps before it are done."""
    error.parts = (f"Step {number} of {total}, {verb}: ", *error.parts)
    error.retryable, error.retry_after = False, None
    if number > 1:
        error.hint = Verbatim(f"{error.hint} The steps before it are done.")
    return error
