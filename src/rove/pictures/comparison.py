"""Two pictures compared: how many pixels differ, where, and a picture that shows it."""

from __future__ import annotations

import io
from collections.abc import Iterator

from PIL import Image, ImageChops, ImageDraw

from rove.pictures.regions import Region, regions_of
from rove.pictures.tile import differing_pixels
from rove.validation.record import dataclass

# Bounds the memory that a tile takes, and skips most of a picture that is the same.
TILE_WIDTH, TILE_HEIGHT = 512, 128
# Four times a page of the full height that is pictured, so that a file of the workspace cannot fill the memory.
MOST_PIXELS = 80_000_000
RED, ORANGE = (220, 20, 60), (255, 165, 0)
# Pixels from a region to the frame around it.
FRAME = 6
MASK_COLOUR = (255, 0, 255)
# How much of the picture is left to see below the differences.
FADED = 0.2


class NoPicture(Exception):
    """The data is no picture, or too large to be compared."""


@dataclass(frozen=True)
class Comparison:
    """What differs between two pictures. Where their sizes differ, what only one of them has counts as different."""

    different: int
    total: int
    regions: tuple[Region, ...]
    # A PNG of the new picture, faded, with what differs in red; empty if nothing does.
    picture: bytes

    @property
    def share(self) -> float:
        return self.different / self.total if self.total else 0.0


def open_picture(data: bytes) -> Image.Image:
    """Return a picture without transparency; raise NoPicture if it is none or too large."""
    try:
        image = Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "WEBP"))
        if image.width * image.height > MOST_PIXELS:
            raise NoPicture(f"it has {image.width} x {image.height} pixels")
        if "A" in image.getbands():
            white = Image.new("RGBA", image.size, "white")
            return Image.alpha_composite(white, image.convert("RGBA")).convert("RGB")
        return image.convert("RGB")
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise NoPicture("it is damaged, or no PNG, JPEG or WebP") from error


def encode(image: Image.Image) -> bytes:
    """Return a picture as PNG."""
    output = io.BytesIO()
    image.save(output, "PNG", compress_level=3)
    return output.getvalue()


def cover(image: Image.Image, boxes: list[Region]) -> None:
    """Paint over parts of a picture that are not compared."""
    canvas = ImageDraw.Draw(image)
    for x, y, width, height in boxes:
        if width > 0 and height > 0:
            canvas.rectangle((x, y, x + width - 1, y + height - 1), fill=MASK_COLOUR)


def compare(before: Image.Image, after: Image.Image, threshold: float) -> Comparison:
    """Compare two pictures; `threshold` is how far two colours may be apart to count as the same, from 0 to 1."""
    width, height = min(before.width, after.width), min(before.height, after.height)
    whole = max(before.width, after.width), max(before.height, after.height)
    found = Image.new("L", whole, 255)
    found.paste(0, (0, 0, width, height))
    common = (0, 0, width, height)
    one, other = before.crop(common), after.crop(common)
    for box in _tiles(width, height):
        if ImageChops.difference(one.crop(box), other.crop(box)).getbbox() is not None:
            pixels = differing_pixels(one, other, box, threshold)
            if pixels is not None:
                found.paste(pixels, box)
    different = found.histogram()[255]
    regions = regions_of(found) if different else ()
    picture = encode(_shown(after, found, regions)) if different else b""
    return Comparison(different, whole[0] * whole[1], regions, picture)


def _tiles(width: int, height: int) -> Iterator[tuple[int, int, int, int]]:
    for top in range(0, height, TILE_HEIGHT):
        for left in range(0, width, TILE_WIDTH):
            yield left, top, min(left + TILE_WIDTH, width), min(top + TILE_HEIGHT, height)


def _shown(after: Image.Image, found: Image.Image, regions: tuple[Region, ...]) -> Image.Image:
    """Return a faded copy of a picture, with the pixels that differ in red, and frames to find the smallest by."""
    grey = Image.new("L", found.size, 255)
    grey.paste(after.convert("L"), (0, 0))
    faded = Image.blend(Image.new("L", found.size, 255), grey, FADED).convert("RGB")
    canvas = ImageDraw.Draw(faded)
    for x, y, width, height in regions:
        canvas.rectangle((x - FRAME, y - FRAME, x + width - 1 + FRAME, y + height - 1 + FRAME), outline=ORANGE, width=2)
    faded.paste(RED, (0, 0), found)
    return faded
