"""Finding things on a page without reading all of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rove.action import Effect, TabAction, action, arg
from rove.errors import InvalidArguments

if TYPE_CHECKING:
    from rove.chromium.tab import Tab


@dataclass(frozen=True)
class Match:
    line: str
    ref: str | None
    before: tuple[str, ...]
    after: tuple[str, ...]
    is_in_view: bool


@dataclass(frozen=True)
class Found:
    total: int
    matches: tuple[Match, ...]

    def __str__(self) -> str:
        if not self.matches:
            return "Nothing on the page matches."
        rest = [f"{self.total - len(self.matches)} more: narrow the search or raise `limit`."]
        blocks = ["\n".join([*match.before, f"> {match.line}", *match.after]) for match in self.matches]
        count = f"{self.total} match" + ("" if self.total == 1 else "es")
        return "\n\n".join([count, *blocks, *(rest if self.total > len(self.matches) else [])])


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
