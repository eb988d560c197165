"""The page as an aria snapshot: YAML in the form of Playwright, with its own numbering of refs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rove.action import Effect, TabAction, Target, action, arg
from rove.outcome import NOWHERE, Passage, Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.tab import Tab


@dataclass(frozen=True)
class AriaSnapshotTaken(Result):
    yaml: str
    origins: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.yaml

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell it as the words of the page, or of no known origin where frames of others are in it."""
        yield Passage(self.yaml, origin if len(self.origins) <= 1 else NOWHERE)


@action(Effect.READ, group="aria")
class AriaSnapshot(TabAction[AriaSnapshotTaken]):
    """Look at the page as Playwright does: a YAML tree with refs; other tools take them as aria-ref=e12."""

    target: Target | None = arg("Only this element and what is in it.", default=None)
    depth: int | None = arg("How deep.", default=None, ge=1)
    boxes: bool = arg("Show where elements are: [box=x,y,width,height].", default=False)

    async def perform(self, tab: Tab) -> AriaSnapshotTaken:
        element = await tab.resolve(self.target) if self.target else None
        seen = await tab.observer.aria.take_snapshot(element.ref if element else None, self.depth, self.boxes)
        return AriaSnapshotTaken(seen.text, seen.origins)
