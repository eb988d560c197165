"""Pictures and PDF files of a page."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from pathlib import Path

from rove.browser.failures import BrowserError
from rove.browser.page_data import Box, ImageFormat, ScreencastFrame, ScreenshotImage
from rove.browser.shared.frames import World
from rove.browser.shared.live_page import LivePage
from rove.errors import Denied, InvalidArguments, LimitReached, RoveError, unwritable
from rove.patterns import pattern
from rove.records import dataclass
from rove.tasks import BackgroundTasks
from rove.workspace import Workspace

HIDE_OWNER = "ref => rove.element(ref).style.setProperty('visibility', 'hidden', 'important')"
SHOW_OWNER = "ref => rove.element(ref).style.removeProperty('visibility')"
HIDE_ROOT = "() => document.documentElement.style.setProperty('opacity', '0', 'important')"
SHOW_ROOT = "() => document.documentElement.style.removeProperty('opacity')"
# Browsers cannot paint larger pictures; a larger page is cut, and `is_cut` says so.
MAX_HEIGHT = 16000
MAX_WIDTH = 8000
JPEG_QUALITY = 80
PDF_FOLDER = "pdf"
CHUNK_BYTES = 2**20
# Width and height in inches.
PAPERS: dict[str, tuple[float, float]] = {
    "a3": (11.69, 16.54), "a4": (8.27, 11.69), "a5": (5.83, 8.27),
    "letter": (8.5, 11), "legal": (8.5, 14), "tabloid": (11, 17),
}  # fmt: skip
# Browsers write the dictionaries of a PDF as plain text, one of this type for each page.
PAGE_DICTIONARY = pattern(rb"/Type\s*/Page(?![A-Za-z])")
# Longer than any match, so that a match across two chunks is found.
OVERLAP_BYTES = 16


@dataclass(frozen=True)
class CapturedArea:
    """What a screenshot shows of a page, in the page's coordinates; `is_cut`: the page is larger than a picture may be.

    `scale`: how much smaller the picture is, so that neither side is longer than was asked for.
    """

    box: Box
    is_cut: bool
    scale: float

    @classmethod
    def of(cls, view: Box, page: Box, element: Box | None, full_page: bool, max_side: int) -> CapturedArea:
        """Return the area of an element, of the page or of the viewport, whose place in the page is `view`."""
        area = page if full_page else view
        if element is not None:
            area = {**element, "x": element["x"] + view["x"], "y": element["y"] + view["y"]}
        width, height = max(min(area["width"], MAX_WIDTH), 1), max(min(area["height"], MAX_HEIGHT), 1)
        is_cut = (width, height) != (max(area["width"], 1), max(area["height"], 1))
        return cls({**area, "width": width, "height": height}, is_cut, min(1.0, max_side / max(width, height)))

    def picture(self, kind: ImageFormat, data: bytes) -> ScreenshotImage:
        return ScreenshotImage(kind, self.box, self.scale, self.is_cut, data)


class Screencast(ABC):
    """Pictures of a page as it changes. All readers share one screencast, which runs only while there are some."""

    def __init__(self, tasks: BackgroundTasks, keep_covered: Callable[[], Awaitable[bool]]) -> None:
        """`keep_covered` hides what may not be recorded, and returns whether there was nothing to hide."""
        self._keep_covered = keep_covered
        self._tasks = tasks
        self._readers: list[FrameReader] = []

    # Primitives of an engine

    @abstractmethod
    def note_readers(self) -> None:
        """Note that a reader has come or gone: start, change or stop the pictures."""

    @abstractmethod
    def note_waiting(self) -> None:
        """Note that a reader waits for a picture that it has not read."""

    # What follows from them

    def open(self, max_width: int, quality: int) -> FrameReader:
        """Return a new reader. Frames are at least as wide, and as good, as it asks for."""
        reader = FrameReader(self, max_width, quality)
        self._readers.append(reader)
        self.note_readers()
        return reader

    def remove(self, reader: FrameReader) -> None:
        if reader in self._readers:
            self._readers.remove(reader)
            self.note_readers()

    async def may_be_kept(self) -> bool:
        """Return whether frames that were sent until now show only what the agent may see.

        Secrets and what a person has typed are covered from now on, until the person types again.
        """
        return await self._keep_covered()

    def _end(self) -> None:
        """End all readers: the page is gone."""
        readers, self._readers = self._readers, []
        for reader in readers:
            reader.end()


class FrameReader:
    """Keeps the newest frame until it is read. A frame that is not read before the next one comes is left out."""

    def __init__(self, screencast: Screencast, max_width: int, quality: int) -> None:
        self.max_width = max_width
        self.quality = quality
        self.is_waiting = False
        self.read_at = time.monotonic()
        # Whether it has been given any frame.
        self.has_read = False
        self._screencast = screencast
        self._newest: ScreencastFrame | None = None
        self._has_news = asyncio.Event()
        self._has_ended = False

    async def next(self) -> ScreencastFrame | None:
        """Return the newest frame, once there is one that was not read yet; None if the page is gone."""
        if self._newest is None and not self._has_ended:
            self.is_waiting = True
            self._screencast.note_waiting()
            await self._has_news.wait()
        frame, self._newest = self._newest, None
        self.read_at = time.monotonic()
        self._has_news.clear()
        return frame

    def put(self, frame: ScreencastFrame) -> None:
        self._newest, self.is_waiting, self.has_read = frame, False, True
        self._has_news.set()

    def end(self) -> None:
        self._has_ended = True
        self._has_news.set()

    def close(self) -> None:
        self._screencast.remove(self)
        self.end()


@contextlib.asynccontextmanager
async def without_withheld_frames(page: LivePage) -> AsyncGenerator[None]:
    """Within this block, frames of origins that the policy does not let the agent read are not painted."""
    hidden = [world for world in await page.worlds.current() if _is_withheld(page, world)]
    try:
        for world in hidden:
            await _hide(page, world)
        yield
    finally:
        for world in hidden:
            with contextlib.suppress(BrowserError, RoveError):  # the frame is gone
                await _parent(world).call(SHOW_OWNER, await page.worlds.owner(world))
                await world.call(SHOW_ROOT)


def _is_withheld(page: LivePage, world: World) -> bool:
    if world.parent is None:
        return False
    origin = page.origins.of(world.frame_id)
    return origin != page.url.origin and not page.may_read(origin)


async def _hide(page: LivePage, world: World) -> None:
    """Hide a frame from the outside and from the inside, as the page around it could show it again."""
    try:
        await _parent(world).call(HIDE_OWNER, await page.worlds.owner(world))
        if not world.is_unresponsive:
            await world.call(HIDE_ROOT)
    except (BrowserError, RoveError) as error:
        hint = "Call again when the page is at rest."
        raise Denied("The page shows a frame that may not be read and could not be hidden.", hint=hint) from error


def _parent(world: World) -> World:
    assert world.parent is not None
    return world.parent


@dataclass(frozen=True)
class PdfTarget:
    """Where to write a PDF file, under which name, and its size limit; it is first written to the folder `scratch`.

    `folder`: the folder of the workspace, if it is not the one for PDF files.
    """

    workspace: Workspace
    name: str
    max_bytes: int
    scratch: Path
    folder: str = ""

    @contextlib.contextmanager
    def draft(self) -> Generator[Path]:
        """Yield where to write the file first; it is removed at the end. Raises Denied if it cannot be written."""
        draft = self.scratch / f"print-{os.urandom(8).hex()}"
        try:
            draft.parent.mkdir(mode=0o700, exist_ok=True)
            yield draft
        except OSError as error:
            raise unwritable(self.workspace.root, error) from error
        finally:
            draft.unlink(missing_ok=True)

    def too_large(self) -> LimitReached:
        """Return the error for a file that exceeds the limit."""
        return LimitReached(f"The PDF is larger than {self.max_bytes // 2**20} MB.", hint="Print fewer `pages`.")


def no_such_pages(why: object) -> InvalidArguments:
    """Return the error for pages that are to be printed and do not exist."""
    return InvalidArguments(f"`pages`: {why}.", hint="Leave it out to print all pages.")


def copy_to_workspace(draft: Path, target: PdfTarget) -> Path:
    """Copy a complete file to the workspace; return where it is."""
    with draft.open("rb") as source:
        chunks = iter(lambda: source.read(CHUNK_BYTES), b"")
        return target.workspace.write(target.folder or PDF_FOLDER, target.name, chunks)
