"""Downloads of a browser context, as the browser reports them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rove.browser.page_events import PageEvents
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.page.events import downloads
from rove.page.events.downloads import PendingDownloads
from rove.page_text import PageText
from rove.process.run_folder import discard
from rove.settings.tree import Settings


class Downloads(downloads.Downloads):
    """The downloads of one context, which the browser writes to a private folder."""

    def __init__(
        self, root: CdpSession, context: str, settings: Settings, scratch: Path, may_read: Callable[[str], bool]
    ) -> None:
        super().__init__(settings, scratch, may_read)
        self._root = root
        self._context = context

    async def open(self) -> None:
        """Have the browser write downloads to a private folder and report their progress."""
        self._scratch.mkdir(mode=0o700)
        behaviour = {"behavior": "allowAndName", "browserContextId": self._context, "eventsEnabled": True}
        await self._root.send("Browser.setDownloadBehavior", {**behaviour, "downloadPath": str(self._scratch)})

    async def close(self) -> None:
        """Discard the downloads that are not complete."""
        await self._tasks.close()
        await asyncio.to_thread(discard, self._scratch)

    def start(self, event: dict[str, Any], origin: str, page_events: PageEvents, pending: PendingDownloads) -> None:
        """Handle `Browser.downloadWillBegin`. `origin`: that of the frame that started it."""
        name, url = PageText(event["suggestedFilename"] or "download", origin), PageText(event["url"], origin)
        self.begin(event["guid"], name, url, page_events, pending)

    def update(self, event: dict[str, Any]) -> None:
        """Handle `Browser.downloadProgress`."""
        if event["state"] == "inProgress":
            self.note_size(event["guid"], max(event["receivedBytes"], event["totalBytes"]))
        else:
            self.end(event["guid"], event["state"] == "completed")

    async def cancel(self, identity: str) -> None:
        with contextlib.suppress(CdpError):  # the download ended before it could be cancelled
            await self._root.send("Browser.cancelDownload", {"guid": identity, "browserContextId": self._context})
