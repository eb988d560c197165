"""What a page hands over to be kept: into the workspace, under safe names, within limits."""

from __future__ import annotations

import asyncio
import contextlib
import os
from pathlib import Path
from typing import Any

from rove.browser.page_events import PageEvents
from rove.chromium.process.run_folder import discard
from rove.chromium.protocol.connection import CdpError, CdpSession
from rove.errors import Denied
from rove.record import dataclass
from rove.settings import Settings
from rove.tasks import BackgroundTasks
from rove.workspace import Workspace

FOLDER = "downloads"
PIECE = 2**20


@dataclass
class _Download:
    guid: str
    name: str
    page_events: PageEvents
    pending: PendingDownloads
    number: int
    is_refused: bool = False


class PendingDownloads:
    """The downloads of a tab that are not over yet, by number."""

    def __init__(self) -> None:
        self._running: set[int] = set()
        self._ended = asyncio.Event()
        self.begun = 0

    def is_running(self, since: int = 0) -> bool:
        """Whether one is under way that began after the first so many."""
        return any(number > since for number in self._running)

    async def finish(self, since: int) -> None:
        """Wait until all that began after the first so many are over."""
        while self.is_running(since):
            self._ended.clear()
            await self._ended.wait()

    def begin(self) -> int:
        self.begun += 1
        self._running.add(self.begun)
        return self.begun

    def end(self, number: int) -> None:
        self._running.discard(number)
        self._ended.set()


class Downloads:
    """The downloads of one context: kept when they are whole, broken off when they are too many or too large."""

    def __init__(self, root: CdpSession, context: str, settings: Settings, scratch: Path) -> None:
        self._root = root
        self._context = context
        self._limits = settings.limits
        self._workspace = Workspace(settings.workspace_folder)
        self._scratch = scratch
        self._running: dict[str, _Download] = {}
        self._tasks = BackgroundTasks("downloads", expected=(CdpError,))
        self._begun = 0

    async def open(self) -> None:
        """Have the browser write downloads where only we look, and tell how far they are."""
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

    async def close(self) -> None:
        """What is not whole by now is not kept."""
        await self._tasks.close()
        await asyncio.to_thread(discard, self._scratch)

    def begin(self, event: dict[str, Any], page_events: PageEvents, pending: PendingDownloads) -> None:
        name = event["suggestedFilename"] or "download"
        download = _Download(event["guid"], name, page_events, pending, pending.begin())
        self._running[download.guid] = download
        self._begun += 1
        most = self._limits.downloads
        if self._begun > most:
            self._refuse(download, "download refused", f"{most} downloads are the limit of one session")

    def progress(self, event: dict[str, Any]) -> None:
        download = self._running.get(event["guid"])
        if download is None:
            return
        if event["state"] == "inProgress":
            size = max(event["receivedBytes"], event["totalBytes"])
            if size > self._limits.download_megabytes * 2**20 and not download.is_refused:
                reason = f"{download.name}: larger than {self._limits.download_megabytes} MB"
                self._refuse(download, "download broken off", reason)
            return
        del self._running[download.guid]
        self._tasks.start(self._end(download, event["state"] == "completed"))

    def _refuse(self, download: _Download, kind: str, reason: str) -> None:
        download.is_refused = True
        download.page_events.add(kind, reason)
        self._tasks.start(self._cancel(download))

    async def _cancel(self, download: _Download) -> None:
        with contextlib.suppress(CdpError):  # it was over before it could be cancelled
            await self._root.send("Browser.cancelDownload", {"guid": download.guid, "browserContextId": self._context})

    async def _end(self, download: _Download, is_whole: bool) -> None:
        try:
            if download.is_refused:
                # A small file may have been whole before it could be cancelled.
                await asyncio.to_thread((self._scratch / download.guid).unlink, missing_ok=True)
            elif is_whole:
                kept = await asyncio.to_thread(self._keep, download)
                download.page_events.add("download", f"{kept} ({kept.stat().st_size} bytes)")
            else:
                download.page_events.add("download failed", download.name)
        except OSError as error:
            download.page_events.add("download failed", f"{download.name}: {error.strerror}")
        except Denied as error:
            download.page_events.add("download failed", f"{download.name}: {error.message}")
        finally:
            download.pending.end(download.number)

    def _keep(self, download: _Download) -> Path:
        finished = self._scratch / download.guid
        target, path = self._workspace.create(FOLDER, download.name)
        with os.fdopen(target, "wb") as written, finished.open("rb") as read:
            while piece := read.read(PIECE):
                written.write(piece)
        finished.unlink()
        return path
