"""Images: pictures in the workspace, for a model to look at."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rove.action import Effect, FileAction, action, arg
from rove.errors import Denied, InvalidArguments
from rove.outcome import Attachment, Own, Passage, Result
from rove.validation.record import dataclass
from rove.workspace import Workspace

if TYPE_CHECKING:
    from PIL.Image import Image

    from rove.browser.element import DocumentSecrets
    from rove.settings.tree import Settings

FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
HEIC = "HEIF"
MOST_BYTES = 50 * 2**20
# A small file can unpack to an image that fills the memory.
MOST_PIXELS = 100_000_000
SMALLER = "Name a smaller image."
KINDS = "PNG, JPEG, GIF, WebP or HEIC"


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

    async def perform(self, settings: Settings, secrets: DocumentSecrets) -> ImageRead:
        workspace = Workspace(settings.workspace_folder)
        data = await asyncio.to_thread(self._read, workspace)
        most = self.max_side or settings.observing.picture
        kind, size, shown = await asyncio.to_thread(_prepared, self.path, data, most)
        image = Attachment("image", kind, shown, PurePosixPath(self.path).name)
        return ImageRead(Own(self.path), Own(kind), *size, image)

    def _read(self, workspace: Workspace) -> bytes:
        if not workspace.names(self.path):
            # The same for files that exist and files that do not, so that it does not tell which are there.
            hint = f"Only images in the workspace {workspace.root} are read: put it there, or set --workspace."
            raise Denied(f"Image file not found: {self.path}", hint=hint, quotes_page=False)
        try:
            with workspace.reading(self.path) as file, os.fdopen(os.dup(file.descriptor), "rb") as opened:
                data = opened.read(MOST_BYTES + 1)
        except InvalidArguments as error:
            raise InvalidArguments(f"Image file not found: {self.path}", hint=error.hint) from error
        if len(data) > MOST_BYTES:
            raise InvalidArguments(f"{self.path} is larger than {MOST_BYTES // 2**20} MB.", hint=SMALLER)
        return data


def _prepared(path: str, data: bytes, most: int) -> tuple[str, tuple[int, int], bytes]:
    """Return the type, the size and the bytes of an image that a model can be shown, neither side above `most`."""
    from PIL import Image, ImageOps

    try:
        with _opened(data) as image:
            kind = image.format or ""
            if kind in FORMATS and max(image.size) <= most:
                image.load()  # raises if the file is damaged
                return Image.MIME[kind], image.size, data
            upright = ImageOps.exif_transpose(image)
            upright.thumbnail((most, most))
            return _encoded(upright, kind)
    except Image.DecompressionBombError as error:
        raise InvalidArguments(f"{path} has too many pixels.", hint=SMALLER) from error
    except (OSError, ValueError, SyntaxError) as error:
        raise InvalidArguments(f"{path} is not an image that can be read.", hint=f"Name a {KINDS} file.") from error


def _opened(data: bytes) -> Image:
    """Open an image of a known format, whatever its file is called. Raises DecompressionBombError for a huge one."""
    from PIL import Image
    from pillow_heif import register_heif_opener

    register_heif_opener()
    image = Image.open(io.BytesIO(data), formats=[*FORMATS, HEIC])
    if image.width * image.height > MOST_PIXELS:
        raise Image.DecompressionBombError
    return image


def _encoded(image: Image, kind: str) -> tuple[str, tuple[int, int], bytes]:
    """Encode an image in its own format; HEIC becomes JPEG, and PNG if a part of it is transparent."""
    if kind == HEIC:
        kind = "PNG" if image.has_transparency_data else "JPEG"
    if kind == "JPEG" and image.mode not in ("RGB", "L"):
        image = image.convert("RGB")
    output = io.BytesIO()
    image.save(output, kind, quality=90)
    return f"image/{kind.lower()}", image.size, output.getvalue()
