"""Pictures of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rove.action import Effect, TabAction, Target, action, arg
from rove.outcome import Attachment

if TYPE_CHECKING:
    from rove.chromium.tab import Tab


@dataclass(frozen=True)
class Pictured:
    width: int
    height: int
    is_cut: bool
    attachments: tuple[Attachment, ...]

    def __str__(self) -> str:
        return f"Screenshot, {self.width} x {self.height}{', cut at that size' if self.is_cut else ''}."


@action(Effect.READ)
class Screenshot(TabAction[Pictured]):
    """Take a picture of the viewport, the full page or an element. To act on the page use snapshot."""

    target: Target | None = arg("Element to picture.", default=None)
    full_page: bool = arg("The whole page, not only what is in view.", default=False)
    format: Literal["png", "jpeg"] = arg("Image format.", default="png")

    async def perform(self, tab: Tab) -> Pictured:
        element = await tab.resolve(self.target) if self.target else None
        picture = await tab.photograph(element, self.full_page, self.format)
        image = Attachment("image", picture.mime, picture.data, f"screenshot.{self.format}")
        return Pictured(picture.width, picture.height, picture.is_cut, (image,))
