"""Downloads: the files that pages of a tab have downloaded into the workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rove.action import Effect, TabAction, action, arg
from rove.browser.page_data import DownloadedFile
from rove.outcome import Own, Passage, Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rove.browser.shared.tab import Tab


@dataclass(frozen=True)
class DownloadList(Result):
    """The downloads of a tab, in the order in which they started."""

    files: tuple[DownloadedFile, ...]

    def passages(self, origin: str) -> Iterable[Passage]:
        if not self.files:
            yield Passage(Own("No page of this tab has downloaded a file."))
        for file in self.files:
            size = "" if file.size is None else f", {file.size} bytes"
            yield Passage(Own(f"A download, {file.state}{size}:"))
            yield Passage(file.path or file.name, file.name.origin)


@action(Effect.READ, group="documents")
class Downloads(TabAction[DownloadList]):
    """List the files that this tab has downloaded, with their paths in the workspace."""

    wait: bool = arg("Wait until none is under way, also one whose server has not answered yet.", default=False)

    @property
    def is_about_page(self) -> bool:
        return False

    async def perform(self, tab: Tab) -> DownloadList:
        downloads = tab.page.downloads
        if self.wait:
            await tab.page.wait_for_answer()
            await downloads.wait_until_finished(0)
        return DownloadList(downloads.files)
