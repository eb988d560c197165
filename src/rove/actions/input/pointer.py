"""The pointer: click, hover, drag and scroll."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Literal

from rove.action import Effect, TabAction, Target, action, arg
from rove.outcome import NOWHERE, Own, Passage, Result, Text, author_of
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.consequences import Cause
    from rove.browser.shared.tab import Tab

# Seconds that one leg of a drag takes: the page sees the pointer's moves one animation frame at a time.
LEG_SECONDS = 0.2


@dataclass(frozen=True)
class Touched(Result):
    """An element that the pointer acted on; subclasses say how."""

    DID: ClassVar[Own]
    element: Text
    ref: Own

    def __str__(self) -> str:
        return f"{self.DID} {self.element}."


class Clicked(Touched):
    DID = Own("Clicked")


@action(Effect.ACT)
class Click(TabAction[Clicked]):
    """Click an element, or a point (x,y) of the viewport."""

    target: Target
    button: Literal["left", "right", "middle"] = arg("Mouse button.", default="left")
    count: int = arg("2 for a double click.", default=1, ge=1, le=3)
    modifiers: tuple[Literal["Alt", "Control", "Meta", "Shift"], ...] = arg("Keys held down.", default=())
    hold: float = arg("Seconds to hold it down.", default=0, ge=0, le=30)

    @property
    def takes(self) -> float:
        return self.hold

    @property
    def activates(self) -> Cause | None:
        return None if self.button == "right" else "press"

    async def perform(self, tab: Tab) -> Clicked:
        element = await tab.resolve_pointer_target(self.target)
        await element.click(self.button, self.count, self.modifiers, self.hold)
        return Clicked(element.line, Own(element.ref))


class Hovered(Touched):
    DID = Own("Pointing at")


@action(Effect.ACT)
class Hover(TabAction[Hovered]):
    """Move the pointer over an element."""

    target: Target

    async def perform(self, tab: Tab) -> Hovered:
        element = await tab.resolve_pointer_target(self.target)
        await element.hover()
        return Hovered(element.line, Own(element.ref))


@dataclass(frozen=True)
class Dragged(Result):
    source: Text
    target: Text

    def __str__(self) -> str:
        return f"Dragged {self.source} onto {self.target}."

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell both elements, each as the words of its own page or frame."""
        if author_of(self, origin) != NOWHERE:
            yield Passage(str(self), author_of(self, origin))
            return
        yield Passage("Dragged")
        yield Passage(self.source)
        yield Passage("onto")
        yield Passage(self.target)


@action(Effect.ACT)
class Drag(TabAction[Dragged]):
    """Drag from one element, or point (x,y), onto another."""

    source: Target
    target: Target
    through: tuple[Target, ...] = arg("Elements or points on the way.", default=(), max_length=100)
    hold: float = arg("Seconds to stay before moving and before dropping.", default=0, ge=0, le=10)

    @property
    def takes(self) -> float:
        return 2 * self.hold + LEG_SECONDS * len(self.through)

    async def perform(self, tab: Tab) -> Dragged:
        source = await tab.resolve_pointer_target(self.source)
        way = [await tab.resolve_pointer_target(stop) for stop in self.through]
        target = await tab.resolve_pointer_target(self.target)
        await source.drag([*way, target], self.hold)
        return Dragged(source.line, target.line)


@dataclass(frozen=True)
class Scrolled(Result):
    x: int
    y: int
    below: int

    def __str__(self) -> str:
        return f"Scrolled to y={self.y}; {self.below} px below."


@action(Effect.ACT)
class Scroll(TabAction[Scrolled]):
    """Scroll the page, a scrollable element, or an element into view."""

    target: Target | None = arg(
        "What to scroll to, or with `direction`, in; x,y to turn the wheel there.", default=None
    )
    direction: Literal["up", "down", "left", "right"] | None = arg("Down if no target.", default=None)
    amount: int | None = arg("Pixels; most of a screenful if not given.", default=None, ge=1)

    async def perform(self, tab: Tab) -> Scrolled:
        if self.target is None:
            where = await tab.scroll(self.direction or "down", self.amount)
        elif self.direction is None:
            where = await (await tab.resolve_pointer_target(self.target)).scroll_into_view()
        else:
            where = await (await tab.resolve_pointer_target(self.target)).scroll(self.direction, self.amount)
        return Scrolled(**where)
