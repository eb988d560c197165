"""The pointer: click, hover, drag, scroll."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rove.action import Effect, TabAction, Target, action, arg
from rove.record import dataclass

if TYPE_CHECKING:
    from rove.chromium.tab import Tab


@dataclass(frozen=True)
class Clicked:
    element: str

    def __str__(self) -> str:
        return f"Clicked {self.element}."


@action(Effect.ACT)
class Click(TabAction[Clicked]):
    """Click an element, or a point (x,y) of the viewport."""

    target: Target
    button: Literal["left", "right", "middle"] = arg("Mouse button.", default="left")
    count: int = arg("2 for a double click.", default=1, ge=1, le=3)
    modifiers: tuple[Literal["Alt", "Control", "Meta", "Shift"], ...] = arg("Keys held down.", default=())

    async def perform(self, tab: Tab) -> Clicked:
        element = await tab.aim(self.target)
        await element.click(self.button, self.count, self.modifiers)
        return Clicked(element.line)


@dataclass(frozen=True)
class Hovered:
    element: str

    def __str__(self) -> str:
        return f"Pointing at {self.element}."


@action(Effect.ACT)
class Hover(TabAction[Hovered]):
    """Move the pointer over an element."""

    target: Target

    async def perform(self, tab: Tab) -> Hovered:
        element = await tab.aim(self.target)
        await element.hover()
        return Hovered(element.line)


@dataclass(frozen=True)
class Dragged:
    source: str
    target: str

    def __str__(self) -> str:
        return f"Dragged {self.source} onto {self.target}."


@action(Effect.ACT)
class Drag(TabAction[Dragged]):
    """Drag one element onto another."""

    source: Target
    target: Target

    async def perform(self, tab: Tab) -> Dragged:
        source = await tab.aim(self.source)
        target = await tab.aim(self.target)
        await source.drag_to(target)
        return Dragged(source.line, target.line)


@dataclass(frozen=True)
class Scrolled:
    x: int
    y: int
    below: int

    def __str__(self) -> str:
        return f"Scrolled to y={self.y}; {self.below} px below."


@action(Effect.ACT)
class Scroll(TabAction[Scrolled]):
    """Scroll the page, a scrollable element, or an element into view."""

    target: Target | None = arg("What to scroll to, or with `direction`, in.", default=None)
    direction: Literal["up", "down", "left", "right"] | None = arg("Down if no target.", default=None)
    amount: int | None = arg("Pixels; most of a screenful if not given.", default=None, ge=1)

    async def perform(self, tab: Tab) -> Scrolled:
        if self.target is None:
            where = await tab.scroll(self.direction or "down", self.amount)
        elif self.direction is None:
            where = await (await tab.resolve(self.target)).scroll_into_view()
        else:
            where = await (await tab.resolve(self.target)).scroll(self.direction, self.amount)
        return Scrolled(**where)
