"""Pictures for a model to look at: known formats alone, bounded in pixels, scaled down."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rove.errors import InvalidArguments
from rove.records import dataclass

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
HEIC = "HEIF"
# A small file can unpack to an image that fills the memory.
MOST_PIXELS = 100_000_000
SMALLER = "Name a smaller image."
KINDS = "PNG, JPEG, GIF, WebP or HEIC"


@dataclass(frozen=True)
class Picture:
    """A picture as a model can be shown it: its MIME type, its size and its bytes. `full_size`: that in its file."""

    mime: str
    size: tuple[int, int]
    data: bytes
    full_size: tuple[int, int]


def prepare_picture(name: str, data: bytes, most: int) -> Picture:
    """Return an image, neither side above `most` pixels. Raises InvalidArguments, which calls it by its name."""
    from PIL import Image, ImageOps

    try:
        with _opened(data) as image:
            kind = image.format or ""
            if kind in FORMATS and max(image.size) <= most:
                image.load()  # raises if the file is damaged
                return Picture(Image.MIME[kind], image.size, data, image.size)
            upright = ImageOps.exif_transpose(image)
            full_size = upright.size
            upright.thumbnail((most, most))
            return _encoded(upright, kind, full_size)
    except Image.DecompressionBombError as error:
        raise InvalidArguments(f"{name} has too many pixels.", hint=SMALLER) from error
    except (OSError, ValueError, SyntaxError) as error:
        raise InvalidArguments(f"{name} is not an image that can be read.", hint=f"Name a {KINDS} file.") from error


def _opened(data: bytes) -> Image:
    """Open an image of a known format, whatever its file is called. Raises DecompressionBombError for a huge one."""
    from PIL import Image
    from pillow_heif import register_heif_opener

    register_heif_opener()
    image = Image.open(io.BytesIO(data), formats=[*FORMATS, HEIC])
    if image.width * image.height > MOST_PIXELS:
        raise Image.DecompressionBombError
    return image


def _encoded(image: Image, kind: str, full_size: tuple[int, int]) -> Picture:
    """Encode an image in its own format; HEIC becomes JPEG, and PNG if a part of it is transparent."""
    if kind == HEIC:
        kind = "PNG" if image.has_transparency_data else "JPEG"
    if kind == "JPEG" and image.mode not in ("RGB", "L"):
        image = image.convert("RGB")
    output = io.BytesIO()
    image.save(output, kind, quality=90)
    return Picture(f"image/{kind.lower()}", image.size, output.getvalue(), full_size)
