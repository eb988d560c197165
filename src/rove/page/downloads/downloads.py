"""The downloads of one context: saved when they are complete, broken off when they are too many or too large."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

from rove.browser.failures import BrowserError
from rove.browser.page_data import DownloadedFile
from rove.browser.page_events import PageEvents
from rove.documents.signature import SIGNATURE_WITHIN, is_pdf
from rove.errors import Denied
from rove.page.downloads.pending import PendingDownloads
from rove.page_text import NOWHERE, Own, PageText, Text
from rove.process.run_folder import discard
from rove.settings.tree import Settings
from rove.tasks import BackgroundTasks
from rove.validation.record import dataclass
from rove.workspace import Workspace

FOLDER = "downloads"
CHUNK_BYTES = 2**20
READ_PDF = "To read the PDF, {navigate} to its address; {read_pdf} reads the file."


@dataclass
class Download:
    """A download that is under way. The browser writes it to a private folder."""

    identity: str
    name: PageText
    page_events: PageEvents
    pending: PendingDownloads
    number: int
    url: PageText = PageText("", NOWHERE)
    is_refused: bool = False


class Downloads:
    """Follows the downloads that an engine reports. `scratch`: the folder that the browser writes them to."""

    def __init__(self, settings: Settings, scratch: Path, may_read: Callable[[str], bool]) -> None:
        self._may_read = may_read
        self._limits = settings.limits
        self._workspace = Workspace(settings.workspace_folder)
        self._scratch = scratch
        self._running: dict[str, Download] = {}
        self._tasks = BackgroundTasks("downloads", expected=(BrowserError,))
        self._count = 0

    async def close(self) -> None:
        """Discard the downloads that are not complete."""
        await self._tasks.close()
        await asyncio.to_thread(discard, self._scratch)

    def begin(
        self, identity: str, name: PageText, url: PageText, page_events: PageEvents, pending: PendingDownloads
    ) -> None:
        """Note a download that a page has started."""
        download = Download(identity, name, page_events, pending, pending.add(name, url), url)
        self._running[identity] = download
        self._count += 1
        limit = self._limits.downloads
        if self._count > limit:
            self._refuse(download, "download refused", Own(f"{limit} downloads are the limit of one session"))

    def note_size(self, identity: str, size: int) -> None:
        """Note how large a download is, or will be; one that is too large is broken off."""
        download = self._running.get(identity)
        if download is None or download.is_refused or size <= self._limits.download_megabytes * 2**20:
            return
        reason = f"{download.name}: larger than {self._limits.download_megabytes} MB"
        self._refuse(download, "download broken off", download.name.around(reason))

    def end(self, identity: str, file: Path | None) -> None:
        """Note that a download is over. `file`: where it is if it is complete."""
        if (download := self._running.pop(identity, None)) is not None:
            self._tasks.start(self._finish(download, file))

    async def _cancel(self, download: Download) -> None:
        """Have the browser end a download."""
        raise NotImplementedError

    def _refuse(self, download: Download, kind: str, reason: Text) -> None:
        download.is_refused = True
        download.page_events.add(kind, reason)
        self._tasks.start(self._cancel(download))

    async def _finish(self, download: Download, file: Path | None) -> None:
        try:
            if download.is_refused:
                # A small file may be complete before it could be cancelled.
                if file is not None:
                    await asyncio.to_thread(file.unlink, missing_ok=True)
            elif file is not None:
                await self._save(download, file)
            else:
                download.page_events.add("download failed", download.name)
        except OSError as error:
            download.page_events.add("download failed", download.name.around(f"{download.name}: {error.strerror}"))
        except Denied as error:
            download.page_events.add("download failed", download.name.around(f"{download.name}: {error.message}"))
        finally:
            download.pending.remove(download.number)

    async def _save(self, download: Download, file: Path) -> None:
        path = await asyncio.to_thread(self._move_to_workspace, download, file)
        size, name = path.stat().st_size, download.name.around
        saved = DownloadedFile(name(path.name), name(str(path)), size, download.url, "complete")
        download.pending.note_file(download.number, saved)
        download.page_events.add("download", name(f"{path} ({size} bytes)"), _advice(path))

    def _move_to_workspace(self, download: Download, finished: Path) -> Path:
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
