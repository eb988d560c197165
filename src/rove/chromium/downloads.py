"""What a page hands over to be kept: into the workspace, under safe names, within limits."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from rove.chromium.happenings import Happenings
from rove.settings import Settings
from rove.workspace import Workspace

if TYPE_CHECKING:
    import playwright.async_api as pw

FOLDER = "downloads"
LOOK_AGAIN = 0.2


class Downloads:
    """The downloads of one tab: kept when they are whole, broken off when they are too many or too large."""

    def __init__(self, settings: Settings, scratch: Path, happenings: Happenings) -> None:
        self._limits = settings.limits
        self._workspace = Workspace(settings.workspace_folder)
        self._scratch = scratch
        self._happenings = happenings
        self._taken = 0
        self._running: set[asyncio.Task[None]] = set()

    def listen(self, page: pw.Page) -> None:
        page.on("download", self._on_download)

    @property
    def is_running(self) -> bool:
        return bool(self._running)

    async def finish(self) -> None:
        """Wait until all that have begun are over."""
        while self._running:
            await asyncio.wait(self._running)

    def _on_download(self, download: pw.Download) -> None:
        self._taken += 1
        task = asyncio.ensure_future(self._take(download))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _take(self, download: pw.Download) -> None:
        from playwright.async_api import Error

        name = download.suggested_filename
        try:
            if self._taken > self._limits.downloads:
                await download.cancel()
                self._happenings.add("download refused", f"{name}: {self._limits.downloads} downloads are the limit")
                return
            finished = await self._watched(download)
            if finished is None:
                megabytes = self._limits.download_megabytes
                self._happenings.add("download broken off", f"{name}: larger than {megabytes} MB")
                return
            kept = await asyncio.to_thread(self._keep, finished, name)
            self._happenings.add("download", f"{kept} ({kept.stat().st_size} bytes)")
            await download.delete()
        except (Error, OSError) as error:
            self._happenings.add("download failed", f"{name}: {str(error).splitlines()[0]}")

    async def _watched(self, download: pw.Download) -> Path | None:
        """The finished file, or None when it grew too large and was broken off."""
        finishing = asyncio.ensure_future(download.path())
        try:
            while not finishing.done():
                await asyncio.wait({finishing}, timeout=LOOK_AGAIN)
                if self._largest() > self._limits.download_megabytes * 2**20:
                    await download.cancel()
                    return None
            return finishing.result()
        finally:
            if not finishing.done():
                finishing.add_done_callback(lambda future: future.cancelled() or future.exception())
                finishing.cancel()

    def _largest(self) -> int:
        """The size of the largest file that the browser is writing: it does not say which belongs to what."""
        sizes = [0]
        for file in self._scratch.glob("playwright-artifacts-*/*"):
            with contextlib.suppress(OSError):  # finished and moved away meanwhile
                sizes.append(file.stat().st_size)
        return max(sizes)

    def _keep(self, finished: Path, name: str) -> Path:
        target, path = self._workspace.create(FOLDER, name)
        with os.fdopen(target, "wb") as written, finished.open("rb") as read:
            shutil.copyfileobj(read, written)
        return path
