"""Recording what a tab spends its time on, and writing it to a file without what belongs to other origins."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rove.browser.shared.live_page import LivePage
from rove.errors import InvalidArguments, LimitReached, unwritable
from rove.records import dataclass
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.tracing import TraceSummary


@dataclass(frozen=True)
class RecordedTrace:
    """A trace in the workspace, and what it says. `is_cut`: the recording was longer than the browser could keep."""

    path: Path
    size: int
    summary: TraceSummary
    is_cut: bool


def recorded_already() -> LimitReached:
    """Return the error for a tab that cannot be recorded, as the browser records another one."""
    return LimitReached(
        "The browser cannot record this tab now: it records one tab at a time.",
        hint="Stop the other recording with {profile_stop}, or try again when it has ended.",
    )


class Profiler(ABC):
    """Records one tab. Other tabs and sessions are not in what it writes."""

    def __init__(self, page: LivePage, redact: Callable[[str], str]) -> None:
        self._page = page
        self._redact = redact
        self.is_recording = False

    @abstractmethod
    async def begin(self) -> None:
        """Start to record; raise LimitReached if the browser records another tab, Unsupported if it cannot at all."""

    @abstractmethod
    async def collect(self) -> tuple[bytes, bool]:
        """End the recording; return the compressed trace, and whether something had to be left out of it."""

    @abstractmethod
    async def discard(self) -> None:
        """Stop and keep nothing."""

    async def start(self) -> None:
        """Start to record; raise LimitReached if the browser records another tab, Unsupported if it cannot at all."""
        if self.is_recording:
            raise InvalidArguments("This tab is being recorded.", hint="Use {profile_stop}.")
        await self.begin()
        self.is_recording = True

    async def stop(self, name: str) -> RecordedTrace:
        """Stop, and write what was recorded to a file of this name; raise InvalidArguments if nothing is recorded."""
        if not self.is_recording:
            raise InvalidArguments("Nothing is being recorded in this tab.", hint="Use {profile_start} first.")
        from rove.browser.tracing import write_trace  # not needed to open a first page

        compressed, is_cut = await self.collect()
        workspace = Workspace(self._page.settings.workspace_folder)
        try:
            path, size, summary = await asyncio.to_thread(
                write_trace, workspace, name, compressed, self._may_tell, self._redact
            )
        except OSError as error:
            raise unwritable(workspace.root, error) from error
        return RecordedTrace(path, size, summary, is_cut)

    def _may_tell(self, url: str) -> bool:
        if not url.startswith(("http:", "https:")) or url.startswith(f"{self._page.url.origin}/"):
            return True
        return self._page.may_read(url)
