"""Screenshots of the viewport, the full page or an element, and videos of what a session shows."""

from __future__ import annotations

import asyncio
import io
import math
import uuid
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

from rove.action import Effect, SessionDirectory, SessionsAction, TabAction, Target, action, arg
from rove.browser.annotation import draw_marks
from rove.browser.page_data import FULL_SIZE, LONGEST_SIDE, Box, ScreenshotImage
from rove.browser.sessions import VideoFacts
from rove.content.pictures import prepare_picture
from rove.errors import ElementNotReady
from rove.outcome import Attachment, Result
from rove.page_text import Own, PageText
from rove.records import dataclass
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

FOLDER = "screenshots"
JPEG_QUALITY = 80
# Of a picture in full size: 40 million take 160 MB while a smaller one is made of it.
MOST_PIXELS = 40_000_000
# The endings of file names that fit each format; the first is added to a name that has none of them.
ENDINGS = {"png": (".png",), "jpeg": (".jpg", ".jpeg"), "webp": (".webp",)}

# Seconds that the end of a video may take to be written, in addition to the time of every call.
LONGEST_ENDING = 20.0


@dataclass(frozen=True)
class Pictured(Result):
    width: int
    height: int
    is_cut: bool = False
    is_unchanged: bool = False
    legend: tuple[PageText, ...] = ()
    image: Attachment | None = None
    path: Own = Own("")

    def __str__(self) -> str:
        if self.is_unchanged:
            return "Nothing looks different since the last screenshot."
        cut = ", cut: the page goes on" if self.is_cut else ""
        saved = f" Saved as {self.path}" if self.path else ""
        return "\n".join([f"Screenshot, {self.width} x {self.height}{cut}.{saved}", *self.legend])

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return (self.image,) if self.image else ()


@action(Effect.READ)
class Screenshot(TabAction[Pictured]):
    """Take a picture of the viewport, the full page or an element. To act on the page use snapshot."""

    target: Target | None = arg("Element to picture.", default=None)
    full_page: bool = arg("The whole page, not only what is in view.", default=False)
    annotate: bool = arg("Label what can be pressed with its ref.", default=False)
    if_changed: bool = arg("No picture if it would be the same as the last.", default=False)
    format: Literal["png", "jpeg", "webp"] = arg("Image format.", default="png")
    path: str | None = arg("File in the workspace to save it to; a folder if it ends with /.", default=None, rare=True)
    max_side: int | None = arg("Longest side, in pixels.", default=None, ge=16, le=LONGEST_SIDE, rare=True)
    full_size: bool = arg("Do not scale the file down, only the picture in the answer.", default=False, rare=True)
    scale: Literal["css", "device"] = arg("Pixels of CSS, or those of a denser screen.", default="device", rare=True)

    async def perform(self, tab: Tab) -> Pictured:
        element = await tab.resolve(self.target) if self.target else None
        box = await element.box() if element else None
        if element and box and not (box["width"] and box["height"]):
            raise ElementNotReady("This element is not visible: ", element.line, retryable=False)
        if missing := await tab.observer.wait_until_complete(True):
            tab.page.events.add("not complete", Own(f"Pictures that have not arrived: {missing}. Take another later."))
        picture = await (self._take_in_full(tab, box) if self.full_size else self._take(tab, box, self.max_side))
        width, height = picture.size
        if not tab.observer.is_new_image(picture.data) and self.if_changed:
            return Pictured(width, height, is_unchanged=True)
        if self.scale == "css" or self.annotate:  # refs are drawn by the places that they have in CSS
            picture = await asyncio.to_thread(_in_css_pixels, picture)
        marks = await tab.marks(picture) if self.annotate else []
        data = draw_marks(picture, marks) if marks else picture.data
        path = await self._save(tab, data)
        if self.full_size:
            data = (await asyncio.to_thread(prepare_picture, "the screenshot", data, self._shown_side(tab))).data
        image = Attachment("image", f"image/{self.format}", data, f"screenshot.{self.format}")
        return Pictured(width, height, picture.is_cut, False, tuple(mark.line for mark in marks), image, path)

    async def _take(self, tab: Tab, box: Box | None, side: int | None) -> ScreenshotImage:
        return await tab.take_screenshot(box, self.full_page, self.format, side)

    async def _take_in_full(self, tab: Tab, box: Box | None) -> ScreenshotImage:
        """Take a picture that is not scaled down, unless it has so many pixels that it would fill the memory."""
        picture = await self._take(tab, box, FULL_SIZE)
        pixels = await asyncio.to_thread(_pixels, picture.data)
        if pixels <= MOST_PIXELS:
            return picture
        return await self._take(tab, box, int(max(picture.size) * math.sqrt(MOST_PIXELS / pixels)))

    def _shown_side(self, tab: Tab) -> int:
        return self.max_side or tab.settings.observing.picture

    async def _save(self, tab: Tab, data: bytes) -> Own:
        """Write the picture to the file that the caller names, and return its path; nothing if there is no such."""
        if not self.path:
            return Own("")
        folder, name = _place(self.path, ENDINGS[self.format])
        workspace = Workspace(tab.settings.workspace_folder)
        return Own(await workspace.save(folder, name, data))


def _pixels(data: bytes) -> int:
    from PIL import Image  # slow to import

    with Image.open(io.BytesIO(data)) as image:
        return image.width * image.height


def _in_css_pixels(picture: ScreenshotImage) -> ScreenshotImage:
    """Return a picture with as many pixels as it has in CSS, however dense the screen is."""
    from PIL import Image  # slow to import

    with Image.open(io.BytesIO(picture.data)) as image:
        if abs(image.width - picture.size[0]) < 2:  # a part of a pixel, which was rounded
            return picture
        output = io.BytesIO()
        smaller = image.resize(picture.size, Image.Resampling.LANCZOS)
        smaller.save(output, picture.kind.upper(), quality=JPEG_QUALITY)
    return replace(picture, data=output.getvalue())


def _place(path: str, endings: tuple[str, ...]) -> tuple[str, str]:
    """Divide a path into a folder and a file name: a new one if the path is a folder's."""
    if path.endswith(("/", "..")):
        return path, f"{uuid.uuid4()}{endings[0]}"
    given = PurePosixPath(path)
    folder = str(given.parent) if "/" in path else FOLDER
    return folder, given.name if given.suffix.lower() in endings else f"{given.name}{endings[0]}"


@dataclass(frozen=True)
class VideoStarted(Result):
    path: Own

    def __str__(self) -> str:
        return f"Recording to {self.path}"


@action(Effect.READ, group="capture")
class StartVideo(SessionsAction[VideoStarted]):
    """Record a video of what the session shows, as a WebM file, until stop_video or the end of the session."""

    name: str | None = arg("Name of the file.", default=None, min_length=1, max_length=100)
    tab: str | None = arg("Tab to record; by default whichever is current.", default=None)

    async def perform(self, directory: SessionDirectory) -> VideoStarted:
        return VideoStarted(await directory.captures.start_video(self.name, self.tab))


@dataclass(frozen=True)
class VideosStopped(Result):
    videos: tuple[VideoFacts, ...]

    def __str__(self) -> str:
        return "\n".join(f"Recorded {video}" for video in self.videos)


@action(Effect.READ, group="capture")
class StopVideo(SessionsAction[VideosStopped]):
    """End the videos of the session, and tell where the files are."""

    @property
    def takes(self) -> float:
        return LONGEST_ENDING

    async def perform(self, directory: SessionDirectory) -> VideosStopped:
        return VideosStopped(await directory.captures.stop_videos())
