"""Labels on a picture: which ref is where."""

from __future__ import annotations

import io
from dataclasses import dataclass

from rove.chromium.picture import Picture
from rove.snapshot import Snapshot
from rove.snapshot.text import line_of

MOST_MARKS = 150
# Far enough apart to be told from each other where boxes touch; dark enough for white letters.
COLOURS = ("#c0392b", "#2563ab", "#1e7d44", "#8e44ad", "#a3660b", "#117a8b", "#b83280", "#4a5568")


@dataclass(frozen=True)
class Mark:
    """One element on a picture: its ref, its line in the snapshot, and its box in the picture's pixels."""

    ref: str
    line: str
    box: tuple[float, float, float, float]


def marks_in(picture: Picture, seen: Snapshot) -> list[Mark]:
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
    return marks[:MOST_MARKS]


def draw(picture: Picture, marks: list[Mark]) -> bytes:
    """The picture with a frame and a label for each mark."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.open(io.BytesIO(picture.data)).convert("RGB")
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(13)
    for number, mark in enumerate(marks):
        colour = COLOURS[number % len(COLOURS)]
        pen.rectangle(mark.box, outline=colour, width=2)
        label = pen.textbbox((0, 0), mark.ref, font=font)
        x = min(max(mark.box[0], 0), image.width - label[2] - 6)
        # Above the element where there is room, so that its own text stays readable.
        y = mark.box[1] - label[3] - 4 if mark.box[1] > label[3] + 4 else mark.box[1]
        pen.rectangle((x, y, x + label[2] + 6, y + label[3] + 4), fill=colour)
        pen.text((x + 3, y + 1), mark.ref, fill="white", font=font)
    written = io.BytesIO()
    image.save(written, "PNG" if picture.kind == "png" else "JPEG", quality=85)
    return written.getvalue()
