"""Labels on a picture: which ref is where."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rove.browser.capture import ScreenshotImage
from rove.record import dataclass
from rove.snapshot import Snapshot
from rove.snapshot.text import line_of

if TYPE_CHECKING:
    from PIL import Image

MAX_MARKS = 150
# Far enough apart to be told from each other where boxes touch; dark enough for white letters.
COLOURS = ("#c0392b", "#2563ab", "#1e7d44", "#8e44ad", "#a3660b", "#117a8b", "#b83280", "#4a5568")


@dataclass(frozen=True)
class Mark:
    """One element on a picture: its ref, its line in the snapshot, and its box in the picture's pixels."""

    ref: str
    line: str
    box: tuple[float, float, float, float]


def marks_in(picture: ScreenshotImage, seen: Snapshot) -> list[Mark]:
    """The elements of a snapshot with boxes that lie in the picture, from the top down."""
    left, top = seen.scroll[0] - picture.box["x"], seen.scroll[1] - picture.box["y"]
    width, height = picture.size
    marks: list[Mark] = []
    for row in seen.rows:
        if not row.ref or row.box is None:
            continue
        x, y, w, h = row.box
        box = tuple(value * picture.scale for value in (x + left, y + top, x + left + w, y + top + h))
        if w > 0 and h > 0 and box[2] > 0 and box[3] > 0 and box[0] < width and box[1] < height:
            marks.append(Mark(row.ref, line_of(row._replace(box=None)), (box[0], box[1], box[2], box[3])))
    return marks[:MAX_MARKS]


Box = tuple[float, float, float, float]


def _clearest(image: Image.Image, box: Box, size: tuple[int, int], others: list[Box]) -> tuple[int, int]:
    """Where a label hides the least: on nothing else that is marked, and on the plainest spot by its element."""
    from PIL import ImageStat

    (left, top, right, bottom), (width, height) = (round(edge) for edge in box), size
    spots = [(left - width - 2, top), (right - width - 3, top + 3), (left, top - height - 2), (right + 2, top)]
    spots += [(left + 3, top + 3), (left, bottom + 2)]
    inside = [(x, y) for x, y in spots if 0 <= x <= image.width - width and 0 <= y <= image.height - height]
    if not inside:
        return max(min(left, image.width - width), 0), max(min(top, image.height - height), 0)

    def hidden(spot: tuple[int, int]) -> tuple[int, float]:
        covers = (*spot, spot[0] + width, spot[1] + height)
        return sum(_overlap(covers, other) for other in others), sum(ImageStat.Stat(image.crop(covers)).var)

    return min(inside, key=hidden)


def _overlap(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def draw(picture: ScreenshotImage, marks: list[Mark]) -> bytes:
    """The picture with a frame and a label for each mark."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.open(io.BytesIO(picture.data)).convert("RGB")
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(13)
    labels: list[Box] = []
    for number, mark in enumerate(marks):
        colour = COLOURS[number % len(COLOURS)]
        pen.rectangle(mark.box, outline=colour, width=2)
        _, _, right, bottom = pen.textbbox((0, 0), mark.ref, font=font)
        others = [other.box for other in marks if other is not mark] + labels
        x, y = _clearest(image, mark.box, (int(right) + 6, int(bottom) + 4), others)
        labels.append((x, y, x + right + 6, y + bottom + 4))
        pen.rectangle(labels[-1], fill=colour)
        pen.text((x + 3, y + 1), mark.ref, fill="white", font=font)
    written = io.BytesIO()
    image.save(written, "PNG" if picture.kind == "png" else "JPEG", quality=85)
    return written.getvalue()
