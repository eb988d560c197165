"""Images: pictures in the workspace, for a model to look at."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rove.action import Effect, FileAction, action, arg
from rove.documents.pictures import SMALLER, prepare_picture
from rove.errors import Denied, InvalidArguments
from rove.outcome import Attachment, Own, Passage, Result
from rove.validation.record import dataclass
from rove.workspace import Workspace

if TYPE_CHECKING:
    from rove.browser.element import DocumentSecrets
    from rove.settings.tree import Settings

MOST_BYTES = 50 * 2**20


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
