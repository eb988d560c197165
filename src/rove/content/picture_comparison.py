"""Two pictures compared pixel by pixel: how many differ, where, and a picture that shows it.

The measure is that of pixelmatch: a distance of colours as people perceive them (Kotsarenko and Ramos, 2010), and a
detector of antialiased pixels (Vysniauskas, 2009), which differ from machine to machine and mean nothing. Each step is
one operation of Pillow's on a whole tile, as Python would take seconds to visit a million pixels.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any, cast

from PIL import Image, ImageChops, ImageDraw, ImageMath

from rove.records import dataclass

# x, y, width and height, in pixels.
Region = tuple[int, int, int, int]
# Pixels that are at most so far apart are told as one region.
CELL = 16
MOST_REGIONS = 20

# The largest distance that two colours can have.
LARGEST_DISTANCE = 35215.0
# How many pixels around a tile are looked at: the neighbours of neighbours.
MARGIN = 2
# Equal neighbours from which on a pixel is part of a plain area.
MANY = 3
# Stands for the colour of pixels outside of the picture.
OUTSIDE = -1
# The neighbours in the order in which pixelmatch looks at them, by which it decides between equal ones.
NEIGHBOURS = tuple((x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0))
Pixels = Image.Image

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


def regions_of(mask: Image.Image) -> tuple[Region, ...]:
    """Return boxes around the pixels of a mask that are not 0, the largest first."""
    cells = _marked_cells(mask)
    boxes: list[Region] = []
    while cells:
        group = _connected(cells)
        cells -= group
        boxes.append(_tight_box(mask, group))
    return tuple(sorted(boxes, key=lambda box: -box[2] * box[3])[:MOST_REGIONS])


def _marked_cells(mask: Image.Image) -> set[tuple[int, int]]:
    """Return the cells of a grid over the mask that have a pixel in them."""
    # The mean of a cell is not 0 if one of its pixels is not, which 8 bits of a mean would round away.
    columns, rows = -(-mask.width // CELL), -(-mask.height // CELL)
    padded = Image.new("L", (columns * CELL, rows * CELL), 0)
    padded.paste(mask, (0, 0))
    small = padded.convert("F").reduce(CELL).tobytes()
    means = memoryview(small).cast("f")
    return {(index % columns, index // columns) for index, mean in enumerate(means) if mean > 0}


def _connected(cells: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return the cells that touch each other, beginning with any."""
    first = next(iter(cells))
    group, queue = {first}, [first]
    while queue:
        x, y = queue.pop()
        beside = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} & cells - group
        group |= beside
        queue += beside
    return group


def _tight_box(mask: Image.Image, group: set[tuple[int, int]]) -> Region:
    columns, rows = [x for x, _ in group], [y for _, y in group]
    left, top = min(columns) * CELL, min(rows) * CELL
    right, bottom = min((max(columns) + 1) * CELL, mask.width), min((max(rows) + 1) * CELL, mask.height)
    inner = mask.crop((left, top, right, bottom)).getbbox() or (0, 0, right - left, bottom - top)
    return left + inner[0], top + inner[1], inner[2] - inner[0], inner[3] - inner[1]


def _compute(formula: Callable[[dict[str, Any]], Any], **images: Pixels) -> Pixels:
    return cast(Pixels, ImageMath.lambda_eval(formula, **images))


def distance_over(one: Pixels, other: Pixels, threshold: float) -> Pixels:
    """Return 1 for each pixel whose colours are further apart than a threshold from 0 to 1 allows, 0 for the rest."""
    limit = LARGEST_DISTANCE * threshold * threshold
    pairs = zip("rgb", one.split(), other.split(), strict=True)
    images = {f"{band}{number}": each for band, *both in pairs for number, each in enumerate(both)}

    def is_over(given: dict[str, Any]) -> Any:
        to_float = given["float"]
        red, green, blue = (to_float(given[f"{band}0"]) - to_float(given[f"{band}1"]) for band in "rgb")
        y = red * 0.29889531 + green * 0.58662247 + blue * 0.11448223
        i = red * 0.59597799 - green * 0.27417610 - blue * 0.32180189
        q = red * 0.21147017 - green * 0.52261711 + blue * 0.31114694
        return given["int"](y * y * 0.5053 + i * i * 0.299 + q * q * 0.1957 > limit)

    return _compute(is_over, **images)


class Tile:
    """A box of a picture with a margin: the colours and the brightness of its pixels as numbers."""

    def __init__(self, picture: Pixels, box: tuple[int, int, int, int]) -> None:
        left, top, right, bottom = box
        self.size = right - left, bottom - top
        around = (left - MARGIN, top - MARGIN, right + MARGIN, bottom + MARGIN)
        inside = (max(around[0], 0), max(around[1], 0), min(around[2], picture.width), min(around[3], picture.height))
        self.is_at_edge = inside != around
        red, green, blue = picture.crop(inside).split()
        colours = _compute(lambda of: of["r"] * 65536 + of["g"] * 256 + of["b"], r=red, g=green, b=blue)
        # In millionths, so that equal colours are exactly equally bright.
        shades = _compute(lambda of: of["r"] * 298895 + of["g"] * 586622 + of["b"] * 114482, r=red, g=green, b=blue)
        place = inside[0] - around[0], inside[1] - around[1]
        self.colours, self.shades = (self._padded(image, place) for image in (colours, shades))

    def _padded(self, image: Pixels, place: tuple[int, int]) -> Pixels:
        if not self.is_at_edge:
            return image
        width, height = self.size
        padded = Image.new("I", (width + 2 * MARGIN, height + 2 * MARGIN), OUTSIDE)
        padded.paste(image, place)
        return padded


def _shifted(image: Pixels, size: tuple[int, int], margin: int, x: int = 0, y: int = 0) -> Pixels:
    """Return the pixels of an image with a margin, each in place of its neighbour."""
    return image.crop((margin + x, margin + y, margin + x + size[0], margin + y + size[1]))


def plain_pixels(tile: Tile) -> Pixels:
    """Return 1 for each pixel with many equal neighbours, for the tile and one pixel around it."""
    width, height = tile.size[0] + 2, tile.size[1] + 2
    centre = _shifted(tile.colours, (width, height), 1)
    count = _edge(tile, (width, height), 1)
    for x, y in NEIGHBOURS:
        neighbour = _shifted(tile.colours, (width, height), 1, x, y)
        count = _compute(lambda of: of["n"] + (of["a"] == of["b"]), n=count, a=centre, b=neighbour)
    return _compute(lambda of: of["n"] >= MANY, n=count)


def antialiased_pixels(tile: Tile, plain: Pixels) -> Pixels:
    """Return 1 for each pixel that is likely to be antialiased; `plain`: pixels in plain areas of both pictures.

    Such a pixel lies between a darker and a brighter neighbour, one of which is in a plain area.
    """
    centre = _shifted(tile.shades, tile.size, MARGIN)
    nothing = Image.new("I", tile.size, 0)
    equal = _edge(tile, tile.size, MARGIN)
    darkest = brightest = darkest_is_plain = brightest_is_plain = nothing
    for x, y in NEIGHBOURS:
        shade = _shifted(tile.shades, tile.size, MARGIN, x, y)
        is_plain = _shifted(plain, tile.size, 1, x, y)
        is_there = _compute(lambda of: of["s"] != OUTSIDE, s=shade)
        step = _compute(lambda of: (of["c"] - of["s"]) * of["t"], c=centre, s=shade, t=is_there)
        equal = _compute(lambda of: of["n"] + (of["d"] == 0) * of["t"], n=equal, d=step, t=is_there)
        darkest_is_plain = _compute(
            lambda of: of["p"] + (of["d"] < of["m"]) * (of["new"] - of["p"]),
            d=step, m=darkest, new=is_plain, p=darkest_is_plain,
        )  # fmt: skip
        darkest = _compute(lambda of: of["min"](of["d"], of["m"]), d=step, m=darkest)
        brightest_is_plain = _compute(
            lambda of: of["p"] + (of["d"] > of["m"]) * (of["new"] - of["p"]),
            d=step, m=brightest, new=is_plain, p=brightest_is_plain,
        )  # fmt: skip
        brightest = _compute(lambda of: of["max"](of["d"], of["m"]), d=step, m=brightest)
    return _compute(
        lambda of: (of["n"] < MANY) * (of["lo"] < 0) * (of["hi"] > 0) * ((of["a"] + of["b"]) > 0),
        n=equal, lo=darkest, hi=brightest, a=darkest_is_plain, b=brightest_is_plain,
    )  # fmt: skip


def _edge(tile: Tile, size: tuple[int, int], margin: int) -> Pixels:
    """Return 1 for each pixel at the edge of the picture, which counts as one equal neighbour."""
    edge = Image.new("I", size, 0)
    if not tile.is_at_edge:
        return edge
    for x, y in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        beside = _shifted(tile.colours, size, margin, x, y)
        edge = _compute(lambda of: of["max"](of["e"], of["b"] == OUTSIDE), e=edge, b=beside)
    return edge


def differing_pixels(one: Pixels, other: Pixels, box: tuple[int, int, int, int], threshold: float) -> Pixels | None:
    """Return, for a box of two pictures, 255 for each pixel that differs, 0 for the rest; None if none does."""
    over = distance_over(one.crop(box), other.crop(box), threshold)
    if over.getextrema() == (0, 0):
        return None
    tiles = Tile(one, box), Tile(other, box)
    plain = _compute(lambda of: of["a"] * of["b"], a=plain_pixels(tiles[0]), b=plain_pixels(tiles[1]))
    smooth = (antialiased_pixels(tile, plain) for tile in tiles)
    counted = _compute(
        lambda of: of["o"] * (of["a"] == 0) * (of["b"] == 0) * 255, o=over, **dict(zip("ab", smooth, strict=True))
    )
    return counted.convert("L")


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
