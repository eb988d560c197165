"""The differing pixels of one tile of two pictures, computed for all its pixels at once.

The measure is that of pixelmatch: a distance of colours as people perceive them (Kotsarenko and Ramos, 2010), and a
detector of antialiased pixels (Vysniauskas, 2009), which differ from machine to machine and mean nothing. Each step is
one operation of Pillow's on a whole tile, as Python would take seconds to visit a million pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from PIL import Image, ImageMath

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
