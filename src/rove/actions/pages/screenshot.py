"""Screenshots of the viewport, the full page or an element."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rove.action import Effect, TabAction, Target, action, arg
from rove.browser.annotation import draw_marks
from rove.outcome import Attachment, Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.tab import Tab


@dataclass(frozen=True)
class Pictured(Result):
    width: int
    height: int
    is_cut: bool = False
    is_unchanged: bool = False
    legend: tuple[str, ...] = ()
    image: Attachment | None = None

    def __str__(self) -> str:
        if self.is_unchanged:
            return "Nothing looks different since the last screenshot."
        cut = ", cut: the page goes on" if self.is_cut else ""
        return "\n".join([f"Screenshot, {self.width} x {self.height}{cut}.", *self.legend])

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return (self.image,) if self.image else ()


@action(Effect.READ)
class Screenshot(TabAction[Pictured]):
    """Take a picture of the viewport, the full page or an element. To act on the page use snapshot."""

    target: Target | None = arg("Element to picture.", default=None)
    full_page: bool = arg("The whole page, not only what is in view.", default=False)
    annotate: bool = arg("Label what can be pressed with its ref.", default=False)
    if_changed: bool = arg("No picture if it would be the same as the last.", default=False)
    format: Literal["png", "jpeg"] = arg("Image format.", default="png")

    async def perform(self, tab: Tab) -> Pictured:
        element = await tab.resolve(self.target) if self.target else None
        picture = await tab.take_screenshot(await element.box() if element else None, self.full_page, self.format)
        width, height = picture.size
        if not tab.observer.is_new_image(picture.data) and self.if_changed:
            return Pictured(width, height, is_unchanged=True)
        marks = await tab.marks(picture) if self.annotate else []
        data = draw_marks(picture, marks) if marks else picture.data
        image = Attachment("image", f"image/{self.format}", data, f"screenshot.{self.format}")
        return Pictured(width, height, picture.is_cut, False, tuple(mark.line for mark in marks), image)
