"""Files of the workspace: uploaded to a page, downloaded from one, looked at as pictures."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rove.action import Effect, FileAction, TabAction, Target, action, arg
from rove.browser.page_data import DownloadedFile
from rove.content.pictures import SMALLER, prepare_picture
from rove.errors import Denied, InvalidArguments, NotOpen
from rove.fields import Validated
from rove.outcome import Attachment, Passage, Result
from rove.page_text import Own, Text
from rove.records import dataclass
from rove.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rove.browser.element import DocumentSecrets
    from rove.browser.shared.tab import Tab
    from rove.settings.tree import Settings

MOST_BYTES = 50 * 2**20


@dataclass(frozen=True)
class Uploaded(Result):
    element: Text
    files: tuple[Own, ...]

    def __str__(self) -> str:
        return f"Gave {', '.join(self.files) or 'no file'} to {self.element}."


@dataclass(frozen=True)
class DroppedText(Validated):
    """A text that is dropped."""

    type: str = arg("MIME type, such as text/plain.")
    text: str = arg("The text.")


@action(Effect.SEND_FILE)
class Upload(TabAction[Uploaded]):
    """Give files of the workspace to a file input, to a button that opens a chooser, or to a drop zone."""

    target: Target | None = arg("Where; the input whose file chooser is open if not given.", default=None)
    paths: tuple[str, ...] = arg("Paths in the workspace; empty to take files back.", default=(), max_length=20)

    drop: bool = arg("Drop them on the target.", default=False)
    texts: tuple[DroppedText, ...] = arg("Texts to drop with them.", default=(), rare=True)

    @property
    def files(self) -> tuple[str, ...]:
        return self.paths

    async def perform(self, tab: Tab) -> Uploaded:
        if self.target is None:
            return await self._answer_chooser(tab)
        element = await tab.resolve(self.target)
        names = await element.upload(self.paths, self.drop, {each.type: each.text for each in self.texts})
        return Uploaded(element.line, tuple(map(Own, names)))

    async def _answer_chooser(self, tab: Tab) -> Uploaded:
        element = await tab.file_input_asking()
        if element is None:
            raise NotOpen("No file chooser is open.", hint="Name the file input as `target`.")
        names = await element.upload(self.paths, False) if self.paths else []
        tab.close_file_chooser()
        return Uploaded(element.line, tuple(map(Own, names)))


@dataclass(frozen=True)
class DownloadList(Result):
    """The downloads of a tab, in the order in which they started."""

    files: tuple[DownloadedFile, ...]

    def passages(self, origin: str) -> Iterable[Passage]:
        if not self.files:
            yield Passage(Own("No page of this tab has downloaded a file."))
        for file in self.files:
            size = "" if file.size is None else f", {file.size} bytes"
            yield Passage(Own(f"A download, {file.state}{size}:"))
            yield Passage(file.path or file.name, file.name.origin)


@action(Effect.READ, group="documents")
class Downloads(TabAction[DownloadList]):
    """List the files that this tab has downloaded, with their paths in the workspace."""

    wait: bool = arg("Wait until none is under way, also one whose server has not answered yet.", default=False)

    @property
    def is_about_page(self) -> bool:
        return False

    async def perform(self, tab: Tab) -> DownloadList:
        downloads = tab.page.downloads
        if self.wait:
            await tab.page.wait_for_answer()
            await downloads.wait_until_finished(0)
        return DownloadList(downloads.files)


@dataclass(frozen=True)
class ImageRead(Result):
    path: Own
    type: Own
    width: int
    height: int
    image: Attachment

    def __str__(self) -> str:
        return f"Image from {self.path} (type: {self.type}), {self.width} x {self.height}."

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return (self.image,)

    def passages(self, origin: str) -> Iterator[Passage]:
        """Tell it in rove's own words: no page wrote any of it."""
        yield Passage(str(self))


@action(Effect.READ, group="images")
class ReadImage(FileAction[ImageRead]):
    """Read an image file of the workspace: PNG, JPEG, GIF, WebP or HEIC. A large one is scaled down."""

    path: str = arg("Path in the workspace.", min_length=1)
    max_side: int | None = arg("Longest side, in pixels.", default=None, ge=16, le=8000)

    @property
    def files_read(self) -> tuple[str, ...]:
        return (self.path,)

    async def perform(self, settings: Settings, secrets: DocumentSecrets) -> ImageRead:
        workspace = Workspace(settings.workspace_folder)
        data = await asyncio.to_thread(self._read, workspace)
        most = self.max_side or settings.observing.picture
        shown = await asyncio.to_thread(prepare_picture, self.path, data, most)
        image = Attachment("image", shown.mime, shown.data, PurePosixPath(self.path).name)
        return ImageRead(Own(self.path), Own(shown.mime), *shown.size, image)

    def _read(self, workspace: Workspace) -> bytes:
        if not workspace.names(self.path):
            # The same for files that exist and files that do not, so that it does not tell which are there.
            hint = f"Only images in the workspace {workspace.root} are read: put it there, or set --workspace."
            raise Denied(f"Image file not found: {self.path}", hint=hint)
        try:
            with workspace.reading(self.path) as file, os.fdopen(os.dup(file.descriptor), "rb") as opened:
                data = opened.read(MOST_BYTES + 1)
        except InvalidArguments as error:
            hint = f"The workspace is {workspace.root}. {error.hint}"
            raise InvalidArguments(f"Image file not found: {self.path}", hint=hint) from error
        if len(data) > MOST_BYTES:
            raise InvalidArguments(f"{self.path} is larger than {MOST_BYTES // 2**20} MB.", hint=SMALLER)
        return data
