"""Downloads: WebDriver does not tell of them, so that the folder is watched that the browser writes them to."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable
from pathlib import Path

from rove.browser.page_events import PageEvents
from rove.page.events import downloads
from rove.page.events.downloads import PendingDownloads
from rove.page.frames.frame_origins import FrameOrigins
from rove.page_text import PageText
from rove.settings.tree import Settings
from rove.validation.record import dataclass

# How WebKitGTK calls a file until all of it is there.
UNFINISHED = ".wkdownload"
# Seconds between two looks at the folder while an action runs or a download is under way, and otherwise.
LOOK_SECONDS = 0.05
IDLE_SECONDS = 0.5


@dataclass(frozen=True)
class Downloader:
    """The tab that a new download is told in, and whether an action runs in it."""

    events: PageEvents
    pending: PendingDownloads
    origins: FrameOrigins
    is_acting: bool


class Downloads(downloads.Downloads):
    """The downloads of one context. Of where they came from only the page is known that was acted on last."""

    def __init__(
        self, settings: Settings, folder: Path, may_read: Callable[[str], bool], owner: Callable[[], Downloader | None]
    ) -> None:
        self._received = folder / "received"
        super().__init__(settings, self._received, may_read)
        self._folder = folder
        self._owner = owner
        # The ids of the files that are in the folder, and those of them that were complete at the last look.
        self._known: dict[str, str] = {}
        self._complete: set[str] = set()
        self._ids = itertools.count(1)

    def start(self) -> None:
        """Watch the folder from now on."""
        self._received.mkdir(mode=0o700)
        self._tasks.start(self._watch())

    async def close(self) -> None:
        await self._tasks.close()

    async def cancel(self, identity: str) -> None:
        """Remove what there is of a download, which the browser cannot be told to break off."""
        for name in [name for name, known in self._known.items() if known == identity]:
            for file in (self._folder / name, self._folder / f"{name}{UNFINISHED}"):
                await asyncio.to_thread(file.unlink, missing_ok=True)

    async def _watch(self) -> None:
        while True:
            owner = self._owner()
            if owner is not None:
                self._look(owner)
            is_busy = bool(self._known) or (owner is not None and owner.is_acting)
            await asyncio.sleep(LOOK_SECONDS if is_busy else IDLE_SECONDS)

    def _look(self, owner: Downloader) -> None:
        sizes = _sizes(self._folder)
        for name in [name for name in self._known if not {name, f"{name}{UNFINISHED}"} & sizes.keys()]:
            self.end(self._known.pop(name), is_complete=False)
        for written, size in sizes.items():
            name = written.removesuffix(UNFINISHED)
            if name not in self._known:
                self._begin(name, owner)
            self.note_size(self._known[name], size)
        # The browser may have made the file, and not yet the one that it writes to.
        complete = {name for name in self._known if name in sizes and f"{name}{UNFINISHED}" not in sizes}
        for name in complete & self._complete:
            identity = self._known.pop(name)
            (self._folder / name).rename(self._received / identity)
            self.end(identity, is_complete=True)
        self._complete = complete

    def _begin(self, name: str, owner: Downloader) -> None:
        self._known[name] = identity = str(next(self._ids))
        origin = owner.origins.of_any
        self.begin(identity, PageText(name, origin), PageText("", origin), owner.events, owner.pending)


def _sizes(folder: Path) -> dict[str, int]:
    """Return the files in a folder, and how large each is."""
    sizes: dict[str, int] = {}
    for file in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):  # it was moved meanwhile
            if file.is_file():
                sizes[file.name] = file.stat().st_size
    return sizes
