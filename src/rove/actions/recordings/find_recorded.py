"""Finding the element that a recording describes, on a page that may have been changed since."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rove.action import Effect, TabAction, action, arg
from rove.browser.element import Candidate, ElementDescription
from rove.errors import AmbiguousTarget, ElementNotFound, InvalidArguments
from rove.outcome import NOWHERE, Own, PageText, Passage, Result
from rove.recordings.matching import Verdict, choose
from rove.validation.record import dataclass

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
