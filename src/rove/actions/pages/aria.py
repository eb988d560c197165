"""The page as an aria snapshot: YAML in the form of Playwright, with its own numbering of refs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rove.action import Effect, TabAction, Target, action, arg
from rove.outcome import Own, PageText, Passage, Result
from rove.validation.record import dataclass
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab


@dataclass(frozen=True)
class AriaSnapshotTaken(Result):
    yaml: PageText
    origins: tuple[Own, ...] = ()
    path: Own | None = None
    # The lines that match what was searched for, counted from 0.
    matches: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"Saved as {self.path}" if self.path else self.yaml

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell it as the words of the page, or of no known origin where frames of others are in it."""
        if self.path:
            yield Passage(str(self))
        else:
            yield Passage(self.yaml) if self.yaml else Passage("The page shows nothing.")


@action(Effect.READ, group="aria")
class AriaSnapshot(TabAction[AriaSnapshotTaken]):
    """Look at the page as Playwright does: a YAML tree with refs; other tools take them as aria-ref=e12."""

    target: Target | None = arg("Only this element and what is in it.", default=None)
    depth: int | None = arg("How deep.", default=None, ge=1)
    boxes: bool = arg("Show where elements are: [box=x,y,width,height].", default=False)
    path: str | None = arg("File in the workspace to save it to.", default=None)
    text: str | None = arg("Tell which lines have this text.", default=None)
    regex: str | None = arg("Tell which lines match this: a pattern, or /pattern/flags.", default=None)

    async def perform(self, tab: Tab) -> AriaSnapshotTaken:
        element = await tab.resolve(self.target) if self.target else None
        seen = await tab.observer.aria.take_snapshot(element.ref if element else None, self.depth, self.boxes)
        path = await self._saved(tab, seen.text) if self.path else None
        return AriaSnapshotTaken(seen.text, seen.origins, path, await self._matches(tab, seen.text))

    async def _saved(self, tab: Tab, text: str) -> Own:
        folder, _, name = (self.path or "").rpartition("/")
        return Own(await Workspace(tab.settings.workspace_folder).save(folder or ".", name, tab.redact(text).encode()))

    async def _matches(self, tab: Tab, text: str) -> tuple[int, ...]:
        lines = text.split("\n")
        if self.regex:
            return tuple(await tab.observer.aria.matching(lines, self.regex))
        wanted = (self.text or "").lower()
        return tuple(index for index, line in enumerate(lines) if wanted and wanted in line.lower())
