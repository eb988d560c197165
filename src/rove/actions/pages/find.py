"""Search: find elements and text without reading the whole page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rove.action import Effect, TabAction, action, arg
from rove.errors import InvalidArguments
from rove.outcome import Own, PageText, Passage, Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab


@dataclass(frozen=True)
class Match:
    line: PageText
    ref: Own | None
    before: tuple[PageText, ...]
    after: tuple[PageText, ...]
    is_in_view: bool
    # The origin of the frame that the match is in, if it is not the page's.
    origin: Own = Own()

    def __str__(self) -> str:
        return "\n".join([*self.before, f"> {self.line}", *self.after])


@dataclass(frozen=True)
class Found(Result):
    total: int
    matches: tuple[Match, ...]

    def __str__(self) -> str:
        return "\n".join(passage.text for passage in self.passages(""))

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell the number of matches, then each match as written by its page or frame."""
        if not self.matches:
            yield Passage("Nothing on the page matches.")
            return
        yield Passage(f"{self.total} match" + ("" if self.total == 1 else "es"))
        for match in self.matches:
            yield Passage(str(match), match.line.origin)
        if self.total > len(self.matches):
            yield Passage(f"{self.total - len(self.matches)} more: narrow the search or raise `limit`.")


@action(Effect.READ)
class Find(TabAction[Found]):
    """Search the whole page, also what a snapshot left out; answers with refs and what is beside."""

    text: str | None = arg("Text, in any case.", default=None, min_length=1)
    regex: str | None = arg("JavaScript regular expression.", default=None, min_length=1)
    role: str | None = arg("Role, such as button.", default=None, min_length=1)
    limit: int = arg("Most matches.", default=10, ge=1, le=100)

    async def perform(self, tab: Tab) -> Found:
        spec = {name: value for name in ("text", "regex", "role") if (value := getattr(self, name))}
        if not spec:
            raise InvalidArguments("Say what to find: text, regex or role.")
        total, found = await tab.find(spec, self.limit)
        return Found(total, tuple(Match(**match) for match in found))
