"""Downloads: moved into the workspace under safe names, within limits of count and size."""

from __future__ import annotations

import asyncio
import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rove.browser.failures import BrowserError
from rove.browser.page_data import DownloadedFile
from rove.browser.page_state import PageEvents
from rove.browser.shared.process import discard
from rove.content.pdf.document import SIGNATURE_WITHIN, is_pdf
from rove.errors import Denied
from rove.page_text import NOWHERE, Own, PageText, Text
from rove.records import dataclass
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks
from rove.workspace import Workspace, safe_name

FOLDER = "downloads"
CHUNK_BYTES = 2**20
READ_PDF = "To read the PDF, {navigate} to its address; {read_pdf} reads the file."


@dataclass
class _Download:
    identity: str
    name: PageText
    page_events: PageEvents
    pending: PendingDownloads
    number: int
    url: PageText = PageText("", NOWHERE)
    is_refused: bool = False


class PendingDownloads:
    """The unfinished downloads of a tab, numbered from 1."""

    def __init__(self) -> None:
        self._running: set[int] = set()
        self._changed = asyncio.Event()
        self._files: dict[int, DownloadedFile] = {}
        self._told = 0
        self.count = 0

    @property
    def files(self) -> tuple[DownloadedFile, ...]:
        """All of them, in the order in which they started."""
        return tuple(self._files.values())

    def latest(self, since: int) -> DownloadedFile | None:
        """Return the latest download after the first `since`, which may be under way; None if there is none."""
        return self._files[self.count] if self.count > since else None

    def take_started(self) -> tuple[PageText, ...]:
        """Return the names of the downloads that have started since the last call and are under way."""
        since, self._told = self._told, self.count
        return tuple(self._files[number].name for number in sorted(self._running) if number > since)

    async def wait_until_started(self, since: int) -> None:
        """Wait until there is a download after the first `since`."""
        while self.count <= since:
            self._changed.clear()
            await self._changed.wait()

    def is_running(self, since: int = 0) -> bool:
        """Return whether a download after the first `since` is under way."""
        return any(number > since for number in self._running)

    async def wait_until_finished(self, since: int) -> None:
        """Wait until every download after the first `since` is over."""
        while self.is_running(since):
            self._changed.clear()
            await self._changed.wait()

    def add(self, name: PageText, url: PageText) -> int:
        """Note that a download has started; returns its number."""
        self.count += 1
        self._running.add(self.count)
        self._files[self.count] = DownloadedFile(name.around(safe_name(name)), url=url)
        self._changed.set()
        return self.count

    def note_file(self, number: int, file: DownloadedFile) -> None:
        """Note where a download is now that it is complete."""
        self._files[number] = file

    def remove(self, number: int) -> None:
        """Note that a download is over; it has failed if its file has not been noted."""
        if self._files[number].state != "complete":
            self._files[number] = replace(self._files[number], state="failed")
        self._running.discard(number)
        self._changed.set()


class Downloads(ABC):
    """The downloads of one context: saved when they are complete, cancelled when they are too many or too large.

    The browser writes each to a file in the folder `scratch`, which is named by the id of the download.
    """

    def __init__(self, settings: Settings, scratch: Path, may_read: Callable[[str], bool]) -> None:
        self._may_read = may_read
        self._limits = settings.limits
        self._workspace = Workspace(settings.workspace_folder)
        self._scratch = scratch
        self._running: dict[str, _Download] = {}
        self._tasks = BackgroundTasks("downloads", expected=(BrowserError,))
        self._count = 0

    async def open(self) -> None:
        """Have the browser write downloads to a private folder."""
        self._scratch.mkdir(mode=0o700)
        await self.receive()

    @abstractmethod
    async def receive(self) -> None:
        """Have the browser write downloads to the private folder from now on, and follow them."""

    async def close(self) -> None:
        """Discard the downloads that are not complete."""
        await self._tasks.close()
        await asyncio.to_thread(discard, self._scratch)

    @abstractmethod
    async def cancel(self, identity: str) -> None:
        """Have the browser break a download off; it may be over already."""

    def begin(
        self, identity: str, name: PageText, url: PageText, page_events: PageEvents, pending: PendingDownloads
    ) -> None:
        """Note that a download has started, by the name that its server gave it."""
        download = _Download(identity, name, page_events, pending, pending.add(name, url), url)
        self._running[identity] = download
        self._count += 1
        limit = self._limits.downloads
        if self._count > limit:
            self._refuse(download, "download refused", Own(f"{limit} downloads are the limit of one session"))

    def note_size(self, identity: str, size: int) -> None:
        """Note how large a download is, or has become."""
        download = self._running.get(identity)
        if download and size > self._limits.download_megabytes * 2**20 and not download.is_refused:
            reason = f"{download.name}: larger than {self._limits.download_megabytes} MB"
            self._refuse(download, "download broken off", download.name.around(reason))

    def end(self, identity: str, is_complete: bool) -> None:
        """Note that a download is over; a complete one is moved to the workspace."""
        if download := self._running.pop(identity, None):
            self._tasks.start(self._finish(download, is_complete))

    def _refuse(self, download: _Download, kind: str, reason: Text) -> None:
        download.is_refused = True
        download.page_events.add(kind, reason)
        self._tasks.start(self.cancel(download.identity))

    async def _finish(self, download: _Download, is_complete: bool) -> None:
        try:
            if download.is_refused:
                # A small file may be complete before it could be cancelled.
                await asyncio.to_thread((self._scratch / download.identity).unlink, missing_ok=True)
            elif is_complete:
                path = await asyncio.to_thread(self._move_to_workspace, download)
                size = path.stat().st_size
                name = download.name.around
                file = DownloadedFile(name(path.name), name(str(path)), size, download.url, "complete")
                download.pending.note_file(download.number, file)
                download.page_events.add("download", name(f"{path} ({size} bytes)"), _advice(path))
            else:
                download.page_events.add("download failed", download.name)
        except OSError as error:
            download.page_events.add("download failed", download.name.around(f"{download.name}: {error.strerror}"))
        except Denied as error:
            download.page_events.add("download failed", download.name.around(f"{download.name}: {error.message}"))
        finally:
            download.pending.remove(download.number)

    def _move_to_workspace(self, download: _Download) -> Path:
        finished = self._scratch / download.identity
        with finished.open("rb") as file:
            # What the agent may not read goes where it is not listed and no name can be guessed.
            folder = FOLDER if self._may_read(download.name.origin) else f"{FOLDER}/{os.urandom(16).hex()}"
            path = self._workspace.write(folder, download.name, iter(lambda: file.read(CHUNK_BYTES), b""))
        finished.unlink()
        return path


def _advice(path: Path) -> str:
    """Say how a file is read, if rove can read it."""
    with path.open("rb") as file:
        return READ_PDF if is_pdf(file.read(SIGNATURE_WITHIN)) else ""
