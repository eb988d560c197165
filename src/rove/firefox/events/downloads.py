"""Downloads of a user context, as Firefox reports them: their start and their end, and nothing in between."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rove.browser.page_events import PageEvents
from rove.firefox.protocol.connection import BidiConnection
from rove.page.events import downloads
from rove.page.events.downloads import PendingDownloads
from rove.page_text import PageText
from rove.process.run_folder import discard
from rove.settings.tree import Settings

# Seconds between two looks at how much has been written.
WATCH_INTERVAL = 0.25


class Downloads(downloads.Downloads):
    """The downloads of one context, which Firefox writes to a private folder. The id is that of the navigation.

    Firefox neither tells how large a download is nor ends one: the size is that of the files, and what is written of
    a download that was refused is dropped again and again, so that it fills no disk.
    """

    def __init__(
        self,
        connection: BidiConnection,
        context: str,
        settings: Settings,
        scratch: Path,
        may_read: Callable[[str], bool],
    ) -> None:
        super().__init__(settings, scratch, may_read)
        self._connection = connection
        self._context = context
        self._names: dict[str, str] = {}
        self._is_watching = False

    async def open(self) -> None:
        """Have Firefox write downloads to a private folder."""
        self._scratch.mkdir(mode=0o700)
        behaviour = {"type": "allowed", "destinationFolder": str(self._scratch)}
        params = {"downloadBehavior": behaviour, "userContexts": [self._context]}
        await self._connection.send("browser.setDownloadBehavior", params)

    async def close(self) -> None:
        """Discard the downloads that are not complete."""
        await self._tasks.close()
        await asyncio.to_thread(discard, self._scratch)

    def start(self, event: dict[str, Any], origin: str, page_events: PageEvents, pending: PendingDownloads) -> None:
        """Handle `browsingContext.downloadWillBegin`. `origin`: that of the frame that started it."""
        identity = str(event["navigation"])
        name = PageText(event["suggestedFilename"] or "download", origin)
        self._names[identity] = event["suggestedFilename"]
        self.begin(identity, name, PageText(event["url"], origin), page_events, pending)
        if not self._is_watching:
            self._is_watching = True
            self._tasks.start(self._watch())

    def finish(self, event: dict[str, Any]) -> None:
        """Handle `browsingContext.downloadEnd`."""
        identity, written = str(event["navigation"]), event.get("filepath")
        if identity not in self._running:
            return  # of another context
        self._names.pop(identity, None)
        if written is not None:
            with contextlib.suppress(OSError):  # the file is missed when it is to be moved, and reported then
                Path(written).replace(self._scratch / identity)
        self.end(identity, event["status"] == "complete")

    async def cancel(self, identity: str) -> None:
        """Let what Firefox writes be dropped by `_watch` until it has ended."""

    async def _watch(self) -> None:
        """Note the sizes of the downloads that are under way."""
        try:
            while self._running:
                await asyncio.sleep(WATCH_INTERVAL)
                for identity, download in list(self._running.items()):
                    for file in self._files_of(self._names.get(identity, "")):
                        self._look_at(identity, file, download.is_refused)
        finally:
            self._is_watching = False

    def _look_at(self, identity: str, file: Path, is_refused: bool) -> None:
        with contextlib.suppress(OSError):  # it was moved meanwhile
            if is_refused:
                os.truncate(file, 0)
            else:
                self.note_size(identity, file.stat().st_size)

    def _files_of(self, name: str) -> list[Path]:
        """Return the files that a download may be written to: until it is complete, its name is a longer one."""
        stem = Path(name).stem
        return [path for path in self._scratch.iterdir() if stem and path.name.startswith(stem)]
