"""The console: messages of pages and workers, and uncaught errors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from rove.action import Effect, TabAction, action, arg
from rove.outcome import Passage, Result, moment
from rove.target import within
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.page_data import ConsoleMessage
    from rove.browser.tab import Tab

LEVELS = ("debug", "info", "warning", "error")
MOST_CHARACTERS = 12_000


@dataclass(frozen=True)
class ConsoleLine:
    time: str
    level: str
    type: str
    text: str
    source: str
    context: str
    origin: str
    count: int

    def shown(self, origin: str) -> str:
        times = f" x{self.count}" if self.count > 1 else ""
        parts = ("" if self.context == "page" else self.context, within(origin, self.source))
        where = ", ".join(part for part in parts if part)
        said = json.dumps(self.text, ensure_ascii=False)
        return f"{self.time[11:23]} {self.type}{times} {said}" + (f" ({where})" if where else "")


@dataclass(frozen=True)
class ConsoleLines(Result):
    lines: tuple[ConsoleLine, ...]
    left_out: int
    dropped: int

    def __str__(self) -> str:
        return "\n".join(passage.text for passage in self.passages(""))

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell each entry as written by the origin whose code wrote it."""
        if self.left_out:
            yield Passage(f"{self.left_out} earlier left out: raise `limit` or `level`.")
        if self.dropped:
            yield Passage(f"{self.dropped} dropped: more was written than is kept.")
        yield from (Passage(line.shown(origin), line.origin or origin) for line in self.lines)
        if not self.lines:
            yield Passage("Nothing was written to the console.")


@action(Effect.READ)
class Console(TabAction[ConsoleLines]):
    """Read the console of the tab and its workers, uncaught errors included."""

    level: Literal["debug", "info", "warning", "error"] = arg("This and worse.", default="debug")
    limit: int = arg("Most entries, the latest ones.", default=50, ge=1, le=500)
    clear: bool = arg("Forget all entries after this.", default=False)

    @property
    def is_about_page(self) -> bool:
        return False  # the console helps most where a page failed to load

    async def perform(self, tab: Tab) -> ConsoleLines:
        both = tab.console
        worst = LEVELS[LEVELS.index(self.level) :]
        entries = sorted((entry for log in both for entry in log if entry.level in worst), key=lambda entry: entry.at)
        lines = _latest(entries, self.limit)
        told = ConsoleLines(tuple(lines), len(entries) - len(lines), sum(log.dropped for log in both))
        if self.clear:
            for log in both:
                log.clear()
        return told


def _latest(entries: list[ConsoleMessage], limit: int) -> list[ConsoleLine]:
    """Return the latest entries that fit into an answer, oldest first."""
    lines: list[ConsoleLine] = []
    room = MOST_CHARACTERS
    for entry in reversed(entries[-limit:]):
        room -= len(entry.text) + len(entry.location)
        if room < 0 and lines:
            break
        lines.append(_line(entry))
    return lines[::-1]


def _line(entry: ConsoleMessage) -> ConsoleLine:
    time = moment(entry.at)
    source = entry.source
    return ConsoleLine(
        time, entry.level, entry.kind, entry.text, entry.location, source.context, source.origin, entry.count
    )
