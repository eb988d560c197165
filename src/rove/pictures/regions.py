"""The parts of a picture in which pixels differ, as few boxes."""

from __future__ import annotations

from PIL import Image

# x, y, width and height, in pixels.
Region = tuple[int, int, int, int]
# Pixels that are at most so far apart are told as one region.
CELL = 16
MOST_REGIONS = 20


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
