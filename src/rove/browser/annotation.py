"""Drawing the refs of elements on a screenshot."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rove.browser.page_data import ScreenshotImage
from rove.page_text import NOWHERE, PageText
from rove.records import dataclass
from rove.snapshot import Snapshot
from rove.snapshot.budget import line_of

if TYPE_CHECKING:
    from PIL import Image

MAX_MARKS = 150
# Different enough where boxes touch, and dark enough for white letters.
COLOURS = ("#c0392b", "#2563ab", "#1e7d44", "#8e44ad", "#a3660b", "#117a8b", "#b83280", "#4a5568")
# Left, top, right and bottom, in pixels of the screenshot.
PixelBox = tuple[float, float, float, float]


@dataclass(frozen=True)
class Mark:
    """One element on a screenshot: its ref, its line in the snapshot, and its box."""

    ref: str
    line: PageText
    box: PixelBox


def find_marks(image: ScreenshotImage, snapshot: Snapshot) -> list[Mark]:
    """Return the elements of a snapshot with boxes that lie in the screenshot, in the order of the snapshot."""
    left, top = snapshot.scroll[0] - image.box["x"], snapshot.scroll[1] - image.box["y"]
    width, height = image.size
    marks: list[Mark] = []
    for row in snapshot.rows:
        if not row.ref or row.box is None:
            continue
        x, y, w, h = row.box
        box = tuple(value * image.scale for value in (x + left, y + top, x + left + w, y + top + h))
        if w > 0 and h > 0 and box[2] > 0 and box[3] > 0 and box[0] < width and box[1] < height:
            marks.append(
                Mark(
                    row.ref,
                    PageText(line_of(row._replace(box=None)), row.origin or snapshot.origin or NOWHERE),
                    (box[0], box[1], box[2], box[3]),
                )
            )
    return marks[:MAX_MARKS]


def _label_position(
    image: Image.Image, box: PixelBox, size: tuple[int, int], others: list[PixelBox]
) -> tuple[int, int]:
    """Return the position by an element where its label covers the fewest other marks, and the plainest pixels."""
    from PIL import ImageStat

    (left, top, right, bottom), (width, height) = (round(edge) for edge in box), size
    positions = [(left - width - 2, top), (right - width - 3, top + 3), (left, top - height - 2), (right + 2, top)]
    positions += [(left + 3, top + 3), (left, bottom + 2)]
    inside = [(x, y) for x, y in positions if 0 <= x <= image.width - width and 0 <= y <= image.height - height]
    if not inside:
        return max(min(left, image.width - width), 0), max(min(top, image.height - height), 0)

    def cost(position: tuple[int, int]) -> tuple[int, float]:
        label = (*position, position[0] + width, position[1] + height)
        return sum(_overlaps(label, other) for other in others), sum(ImageStat.Stat(image.crop(label)).var)

    return min(inside, key=cost)


def _overlaps(one: PixelBox, other: PixelBox) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def draw_marks(screenshot: ScreenshotImage, marks: list[Mark]) -> bytes:
    """Return the screenshot with a frame and a label for each mark."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.open(io.BytesIO(screenshot.data)).convert("RGB")
    canvas = ImageDraw.Draw(image)
    font = ImageFont.load_default(13)
    labels: list[PixelBox] = []
    for number, mark in enumerate(marks):
        colour = COLOURS[number % len(COLOURS)]
        canvas.rectangle(mark.box, outline=colour, width=2)
        _, _, right, bottom = canvas.textbbox((0, 0), mark.ref, font=font)
        others = [other.box for other in marks if other is not mark] + labels
        x, y = _label_position(image, mark.box, (int(right) + 6, int(bottom) + 4), others)
        labels.append((x, y, x + right + 6, y + bottom + 4))
        canvas.rectangle(labels[-1], fill=colour)
        canvas.text((x + 3, y + 1), mark.ref, fill="white", font=font)
    output = io.BytesIO()
    image.save(output, "PNG" if screenshot.kind == "png" else "JPEG", quality=85)
    return output.getvalue()
