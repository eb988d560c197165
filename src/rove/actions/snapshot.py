"""The page as an accessibility tree, with refs to act on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rove.action import Effect, TabAction, Target, action, arg
from rove.snapshot import render

if TYPE_CHECKING:
    from rove.chromium.tab import Tab


@dataclass(frozen=True)
class SnapshotTaken:
    text: str
    tokens: int

    def __str__(self) -> str:
        return self.text


@action(Effect.READ)
class Snapshot(TabAction[SnapshotTaken]):
    """Look at the page: an accessibility tree whose refs ([e12]) the other tools take."""

    target: Target | None = arg("Only this element and what is in it.", default=None)
    mode: Literal["full", "interactive", "viewport"] = arg("How much of it.", default="full")
    depth: int | None = arg("How deep.", default=None, ge=1)
    budget: int | None = arg("Most tokens.", default=None, ge=200)

    async def perform(self, tab: Tab) -> SnapshotTaken:
        element = await tab.resolve(self.target) if self.target else None
        seen = await tab.look(element, mode=self.mode, depth=self.depth)
        if element is None and self.mode == "full" and self.depth is None:
            tab.seen = seen
        text = render(seen, self.budget or tab.settings.observing.budget)
        return SnapshotTaken(text.text, text.tokens)
