"""Files that go from the workspace into a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rove.action import Effect, TabAction, Target, action, arg

if TYPE_CHECKING:
    from rove.chromium.tab import Tab


@dataclass(frozen=True)
class Uploaded:
    element: str
    files: tuple[str, ...]

    def __str__(self) -> str:
        return f"Gave {', '.join(self.files) or 'no file'} to {self.element}."


@action(Effect.SEND_FILE)
class Upload(TabAction[Uploaded]):
    """Give files of the workspace to a file input, or to a button that opens a file chooser."""

    target: Target
    paths: tuple[str, ...] = arg("Paths in the workspace; empty to take files back.", max_length=20)

    async def perform(self, tab: Tab) -> Uploaded:
        element = await tab.resolve(self.target)
        names = await tab.upload(element, self.paths)
        return Uploaded(element.line, tuple(names))
