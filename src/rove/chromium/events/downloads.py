"""Downloads of a browser context, as the DevTools protocol reports them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rove.browser.page_events import PageEvents
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.page.downloads import downloads
from rove.page.downloads.downloads import Download
from rove.page.downloads.pending import PendingDownloads as PendingDownloads
from rove.page_text import PageText
from rove.settings.tree import Settings


class Downloads(downloads.Downloads):
    """The downloads of one context: saved when they are complete, cancelled when they are too many or too large."""

    def __init__(
        self,
        root: CdpSession,
        context: str,
        settings: Settings,
        scratch: Path,
        may_read: Callable[[str], bool],
    ) -> None:
        super().__init__(settings, scratch, may_read)
        self._root = root
        self._context = context

    async def open(self) -> None:
        """Have the browser write downloads to a private folder and report their progress."""
        self._scratch.mkdir(mode=0o700)
        await self._root.send(
            "Browser.setDownloadBehavior",
            {
                "behavior": "allowAndName",
                "browserContextId": self._context,
                "downloadPath": str(self._scratch),
                "eventsEnabled": True,
            },
        )

    def start(self, event: dict[str, Any], origin: str, page_events: PageEvents, pending: PendingDownloads) -> None:
        """Handle `Browser.downloadWillBegin`. `origin`: that of the frame that started it."""
        name, url = PageText(event["suggestedFilename"] or "download", origin), PageText(event["url"], origin)
        self.begin(event["guid"], name, url, page_events, pending)

    def update(self, event: dict[str, Any]) -> None:
        """Handle `Browser.downloadProgress`."""
        if event["state"] == "inProgress":
            self.note_size(event["guid"], max(event["receivedBytes"], event["totalBytes"]))
            return
        is_complete = event["state"] == "completed"
        self.end(event["guid"], self._scratch / event["guid"] if is_complete else None)

    async def _cancel(self, download: Download) -> None:
        with contextlib.suppress(CdpError):  # the download ended before it could be cancelled
            params = {"guid": download.identity, "browserContextId": self._context}
            await self._root.send("Browser.cancelDownload", params)
