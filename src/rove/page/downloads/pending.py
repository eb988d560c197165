"""The downloads of one tab: which are under way, and what became of the others."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from rove.browser.page_data import DownloadedFile
from rove.page_text import PageText
from rove.workspace import safe_name


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
