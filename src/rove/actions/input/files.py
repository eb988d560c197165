"""Files: uploads from the workspace to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.action import Effect, TabAction, Target, action, arg
from rove.errors import NotOpen
from rove.outcome import Own, Result, Text
from rove.validation.fields import Validated
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab


@dataclass(frozen=True)
class Uploaded(Result):
    element: Text
    files: tuple[Own, ...]

    def __str__(self) -> str:
        return f"Gave {', '.join(self.files) or 'no file'} to {self.element}."


@dataclass(frozen=True)
class DroppedText(Validated):
    """A text that is dropped."""

    type: str = arg("MIME type, such as text/plain.")
    text: str = arg("The text.")


@action(Effect.SEND_FILE)
class Upload(TabAction[Uploaded]):
    """Give files of the workspace to a file input, to a button that opens a chooser, or to a drop zone."""

    target: Target | None = arg("Where; the input whose file chooser is open if not given.", default=None)
    paths: tuple[str, ...] = arg("Paths in the workspace; empty to take files back.", default=(), max_length=20)

    drop: bool = arg("Drop them on the target.", default=False)
    texts: tuple[DroppedText, ...] = arg("Texts to drop with them.", default=(), rare=True)

    @property
    def files(self) -> tuple[str, ...]:
        return self.paths

    async def perform(self, tab: Tab) -> Uploaded:
        if self.target is None:
            return await self._answer_chooser(tab)
        element = await tab.resolve(self.target)
        names = await element.upload(self.paths, self.drop, {each.type: each.text for each in self.texts})
        return Uploaded(element.line, tuple(map(Own, names)))

    async def _answer_chooser(self, tab: Tab) -> Uploaded:
        element = await tab.file_input_asking()
        if element is None:
            raise NotOpen("No file chooser is open.", hint="Name the file input as `target`.")
        names = await element.upload(self.paths, False) if self.paths else []
        tab.close_file_chooser()
        return Uploaded(element.line, tuple(map(Own, names)))
