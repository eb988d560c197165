"""Emulation: the size of the viewport, being offline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.action import ContextAction, Effect, TabAction, action, arg
from rove.errors import InvalidArguments
from rove.outcome import Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.context import Context
    from rove.browser.shared.tab import Tab


@dataclass(frozen=True)
class Resized(Result):
    width: int
    height: int

    def __str__(self) -> str:
        return f"The viewport is {self.width} x {self.height}."


@action(Effect.ACT, group="emulation")
class Resize(TabAction[Resized]):
    """Change the size of the tab's viewport."""

    width: int = arg("CSS pixels.", le=10_000)
    height: int = arg("CSS pixels.", le=10_000)

    @property
    def is_about_page(self) -> bool:
        return False  # the next page is as large

    async def perform(self, tab: Tab) -> Resized:
        if self.width <= 0 or self.height <= 0:
            raise InvalidArguments("Invalid dimensions: width and height must be positive")
        await tab.resize(self.width, self.height)
        return Resized(self.width, self.height)


@dataclass(frozen=True)
class NetworkSwitched(Result):
    offline: bool

    def __str__(self) -> str:
        return "The session is offline." if self.offline else "The session is online."


@action(Effect.ACT, group="emulation")
class Offline(ContextAction[NetworkSwitched]):
    """Take the session's network away, or give it back."""

    offline: bool = arg("False to be online again.", default=True)

    async def perform(self, context: Context) -> NetworkSwitched:
        await context.network_conditions.set_offline(self.offline)
        return NetworkSwitched(self.offline)
