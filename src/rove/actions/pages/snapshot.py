"""The page as an accessibility tree, with refs to act on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from rove.action import Effect, TabAction, Target, action, arg
from rove.errors import InvalidArguments
from rove.outcome import Passage, Result, joined
from rove.snapshot import Rendered, render
from rove.validation.pattern import pattern
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

# As snapshots print it: `e40:50` continues at child 50 of e40, `e57+` below the row of e57.
_HANDLE = pattern(r"\[?(?:expand )?(?P<ref>(?:f\d+)?e\d+)(?::(?P<start>\d+)|(?P<below>\+))\]?")
CHILDREN_AT_ONCE = 400
EMPTY = "The page is empty."


@dataclass(frozen=True)
class SnapshotTaken(Result):
    content: tuple[Passage, ...]
    tokens: int
    folded: int = 0

    @property
    def text(self) -> str:
        return joined(self.content)

    def __str__(self) -> str:
        return self.text or EMPTY

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell each part as written by the page or frame that it shows."""
        yield from (passage.of(origin) for passage in self.content or (Passage(EMPTY, ""),))


@action(Effect.READ)
class Snapshot(TabAction[SnapshotTaken]):
    """Look at the page: an accessibility tree whose refs ([e12]) the other tools take."""

    target: Target | None = arg("Only this element and what is in it.", default=None)
    mode: Literal["full", "interactive", "viewport"] = arg("How much of it.", default="full")
    expand: str | None = arg("Handle of what was left out, as in [expand e40:50].", default=None)
    depth: int | None = arg("How deep.", default=None, ge=1)
    budget: int | None = arg("Most tokens.", default=None, ge=200, le=100_000)
    links: bool = arg("Show where links lead.", default=False)
    boxes: bool = arg("Show where elements are: x,y,width,height.", default=False)

    async def perform(self, tab: Tab) -> SnapshotTaken:
        shown = await (self._expanded(tab, self.expand) if self.expand else self._taken(tab))
        return SnapshotTaken(shown.passages, shown.tokens, shown.folded)

    async def _taken(self, tab: Tab) -> Rendered:
        element = await tab.resolve(self.target) if self.target else None
        seen = await tab.observer.take_snapshot(
            element.ref if element else None,
            mode=self.mode,
            depth=self.depth,
            boxes=self.boxes or None,
            links=self.links or None,
        )
        if element is None and self.mode == "full" and self.depth is None:
            tab.observer.mark_seen(seen)
        return render(seen, self.budget or tab.settings.observing.budget, links=self.links)

    async def _expanded(self, tab: Tab, handle: str) -> Rendered:
        match = _HANDLE.fullmatch(handle.strip())
        if match is None:
            raise InvalidArguments(f"`expand`: {handle!r} is not a handle such as e40:50 or e57+.")
        budget = self.budget or tab.settings.observing.budget
        if match["below"]:
            return render(
                await tab.observer.take_snapshot(links=self.links or None), budget, links=self.links, after=match["ref"]
            )
        part = {"from": int(match["start"]), "limit": CHILDREN_AT_ONCE, "links": self.links or None}
        return render(
            await tab.observer.take_snapshot((await tab.resolve(match["ref"])).ref, **part), budget, links=self.links
        )
