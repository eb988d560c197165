"""The page as an outline: role, name and attributes of each element, without refs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rove.action import Effect, TabAction, Target, action, arg
from rove.outcome import Own, PageText, Passage, Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

MOST_CHARACTERS = 60_000
LONGEST_LINE = 5_000


@dataclass(frozen=True)
class OutlineTaken(Result):
    text: PageText
    left_out: int = 0
    origins: tuple[Own, ...] = ()

    def __str__(self) -> str:
        return self.text + (f"\n({self._left_out})" if self.left_out else "")

    @property
    def _left_out(self) -> str:
        return f"{self.left_out} more lines: name a part of the page to see them."

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell it as the words of the page, or of no known origin where frames of others are in it."""
        yield Passage(self.text)
        if self.left_out:
            yield Passage(self._left_out)


@action(Effect.READ, group="aria")
class Outline(TabAction[OutlineTaken]):
    """Look at the page as an outline: a line for each element, with its role, name and [attributes], and no refs."""

    target: Target | None = arg("Only this element and what is in it.", default=None)

    async def perform(self, tab: Tab) -> OutlineTaken:
        element = await tab.resolve(self.target) if self.target else None
        seen = await tab.observer.aria.take_outline(element.ref if element else None)
        lines = [_cut(line) for line in seen.text.split("\n")] if seen.text else []
        if element is None:
            title = json.dumps(await tab.title(), ensure_ascii=False)
            lines = [f"document {title}", *(f"  {line}" for line in lines)]
        kept = _first(lines)
        return OutlineTaken(seen.text.around("\n".join(kept)), len(lines) - len(kept), seen.origins)


def _cut(line: str) -> str:
    """Return the beginning of a line that is too long, and whether the rest has a mark of what is not seen."""
    if len(line) <= LONGEST_LINE:
        return line
    rest = line[LONGEST_LINE:]
    mark = " (partly invisible)" if "invisible: " in rest or "(screen-reader only)" in rest else ""
    return line[:LONGEST_LINE].rstrip("\\") + f'…" (+{len(rest)} characters){mark}'


def _first(lines: list[str]) -> list[str]:
    """Return the first lines that have room in an answer."""
    room = MOST_CHARACTERS
    for count, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            return lines[:count]
    return lines
