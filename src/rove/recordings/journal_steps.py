"""A recording made from entries of a journal."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rove.action import Action, parse, registry
from rove.browser.element import ElementDescription
from rove.errors import InvalidArguments
from rove.outcome import moment
from rove.patterns import pattern
from rove.recorded_steps import RecordedStep, Recording, escaped, mapped, readable_target, set_argument
from rove.records import dataclass
from rove.target import Ref, parse_target, targets_in

DONE = "done"
# What the journal writes instead of a text that may be a login.
_CONCEALED = pattern(r"\(\d+ characters\)")
_WITHHELD = pattern(r"\(not kept: .*\)")
_SECRET = pattern(r"\[secret (?P<name>[A-Za-z0-9_-]+)\]")


@dataclass(frozen=True)
class MadeRecording:
    """A recording, and what a person should know of how it was made."""

    recording: Recording
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class StartPage:
    """The page that was open before the first step, and its tab."""

    url: str = ""
    tab: str = ""


def recording_from(
    name: str, session: str, entries: Iterable[Mapping[str, Any]], start: StartPage | None = None
) -> MadeRecording:
    """Make a recording of the actions among the entries of a journal, which did what they were asked to do."""
    start = start or StartPage()
    builder = _Builder(start.tab if start.url else "")
    ordered = sorted(entries, key=lambda facts: facts.get("began", 0))
    for facts in ordered:
        builder.add(facts)
    steps = builder.steps
    if start.url and (not steps or steps[0].action not in ("navigate", "visit")):
        steps = [RecordedStep("navigate", {"url": escaped(start.url)}, tab=start.tab), *steps]
    began = min((facts["began"] for facts in ordered if "began" in facts), default=0.0)
    recorded = moment(began)[:19] + "Z" if began else ""
    made = Recording(name, tuple(steps), builder.parameters, recorded, session)
    return MadeRecording(made, tuple(dict.fromkeys(builder.notes)))


class _Builder:
    def __init__(self, tab: str) -> None:
        self.steps: list[RecordedStep] = []
        self.parameters: dict[str, str | None] = {}
        self.notes: list[str] = []
        self._tab = tab

    def add(self, facts: Mapping[str, Any]) -> None:
        if facts.get("actor") == "person":
            self.notes.append("What a person did by hand is not in it.")
        cls = registry().get(str(facts.get("action")))
        if facts.get("kind") != "action" or cls is None or facts.get("actor") == "person" or not cls.is_recorded:
            return
        if facts.get("outcome") != DONE:
            return
        with contextlib.suppress(InvalidArguments):  # the journal does not keep every argument
            if not parse(cls.verb, facts.get("arguments", {})).is_step:
                return
        tab = str(facts.get("tab") or "")
        step = self._tab_step(self._step(cls, facts)) if cls.verb == "tabs" else self._step(cls, facts)
        if step.arguments == {"operation": "switch", "tab": self._tab}:
            return  # it is there already
        if cls.verb != "tabs" and self._tab and tab and tab != self._tab:
            # The actions go on in another tab; the first one is where the session begins.
            self._append(RecordedStep("tabs", {"operation": "switch", "tab": tab}, tab=tab))
        self._append(step)
        self._tab = tab or self._tab

    def _append(self, step: RecordedStep) -> None:
        """Add a step; of two that switch, one after the other, the second alone counts."""
        if self.steps and _switches(step) and _switches(self.steps[-1]):
            self.steps.pop()
        self.steps.append(step)

    def _tab_step(self, step: RecordedStep) -> RecordedStep:
        """Return a step in which a tab that was named by its place, or not at all, has its name."""
        operation = step.arguments.get("operation")
        named = step.tab if operation == "switch" else step.arguments.get("tab") or self._tab
        # Which tab a place meant that is closed now is not known.
        is_unknown = operation == "close" and "index" in step.arguments
        if operation not in ("switch", "close") or is_unknown or not named:
            return step
        kept = {name: value for name, value in step.arguments.items() if name != "index"}
        return replace(step, arguments={**kept, "tab": named})

    def _step(self, cls: type[Action[Any]], facts: Mapping[str, Any]) -> RecordedStep:
        arguments: dict[str, Any] = mapped(facts.get("arguments", {}), self._kept)
        found: dict[str, Any] = facts.get("elements", {})
        elements = {path: ElementDescription.from_data(data) for path, data in found.items()}
        for path, element in elements.items():
            arguments = set_argument(arguments, path, escaped(readable_target(element)))
        self._note_lost(cls.verb, arguments, len(self.steps) + 1)
        return RecordedStep(cls.verb, arguments, elements, str(facts.get("url") or ""), str(facts.get("tab") or ""))

    def _kept(self, text: str) -> str:
        """Return a text of an argument as the recording has it: what the journal has not kept is a parameter."""
        if match := _SECRET.fullmatch(text):
            return f"secret:{match['name']}"
        if _CONCEALED.fullmatch(text) or _WITHHELD.fullmatch(text) or _SECRET.search(text):
            name = f"value_{len(self.parameters) + 1}"
            self.parameters[name] = None
            self.notes.append(f"A value that the journal does not keep is the parameter {name}.")
            return f"${{{name}}}"
        return escaped(text)

    def _note_lost(self, verb: str, arguments: Mapping[str, Any], number: int) -> None:
        """Note the targets that are refs: these elements have not been described."""
        with contextlib.suppress(InvalidArguments):  # a parameter may stand where a number is asked for
            for target in targets_in(parse(verb, arguments)).values():
                if isinstance(parse_target(target), Ref):
                    self.notes.append(f"Step {number} names {target}, which means nothing in another session: edit it.")


def _switches(step: RecordedStep) -> bool:
    return step.action == "tabs" and step.arguments.get("operation") == "switch"


def chosen_entries(entries: Sequence[Mapping[str, Any]], steps: str) -> list[Mapping[str, Any]]:
    """Return the entries that `3-9` or `4` means, by the numbers that the journal gives them. Raises ValueError."""
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", steps.strip())
    if match is None:
        raise ValueError("write them as 3-9, or as one number")
    first, last = int(match[1]), int(match[2] or match[1])
    return [facts for facts in entries if first <= facts.get("seq", 0) <= last]
