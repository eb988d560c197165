"""Files: uploads from the workspace to a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.action import Effect, TabAction, Target, action, arg
from rove.outcome import Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.tab import Tab


@dataclass(frozen=True)
class Uploaded(Result):
    element: str
    files: tuple[str, ...]

    def __str__(self) -> str:
        return f"Gave {', '.join(self.files) or 'no file'} to {self.element}."


@action(Effect.SEND_FILE)
class Upload(TabAction[Uploaded]):
    """Give files of the workspace to a file input, to a button that opens a chooser, or to a drop zone."""

    target: Target
    paths: tuple[str, ...] = arg("Paths in the workspace; empty to take files back.", max_length=20)

    drop: bool = arg("Drop them on the target.", default=False)

    async def perform(self, tab: Tab) -> Uploaded:
        element = await tab.resolve(self.target)
        names = await element.upload(self.paths, self.drop)
        return Uploaded(element.line, tuple(names))
