"""Looks at videos that rove has recorded."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import av
from av.error import InvalidDataError

RED, GREEN, BLUE = (255, 0, 0), (0, 128, 0), (0, 0, 255)
GREY, BORDER = (60, 64, 67), (32, 33, 36)
# What the encoder makes of a colour differs a little from it.
TOLERANCE = 24
PATIENCE = 60.0


@dataclass(frozen=True)
class Shown:
    """A picture of a video: when it begins, its size, and the colours near its lower edge: left and in the middle."""

    at: float
    size: tuple[int, int]
    left: tuple[int, int, int]
    middle: tuple[int, int, int]

    def is_(self, colour: tuple[int, int, int]) -> bool:
        return _is_near(self.middle, colour)

    def has_border(self) -> bool:
        return _is_near(self.left, BORDER)


def _is_near(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    return all(abs(a - b) <= TOLERANCE for a, b in zip(one, other, strict=True))


def pictures(path: str | Path) -> list[Shown]:
    """Return the pictures of a video, also of one that is being recorded; none if nothing has been written yet."""
    if Path(path).stat().st_size == 0:
        return []
    try:
        with av.open(str(path)) as video:
            return [_shown(frame) for frame in video.decode(video=0)]
    except (InvalidDataError, EOFError):
        return []  # its first second is not complete


def _shown(frame: av.VideoFrame) -> Shown:
    image = frame.to_image()  # type: ignore[no-untyped-call]
    low = image.height - 20
    left, middle = image.getpixel((4, low)), image.getpixel((image.width // 2, low))
    return Shown(float(frame.time or 0), image.size, left, middle)


async def recorded(path: str | Path, condition: Callable[[Shown], bool]) -> Shown:
    """Wait until a video that is being recorded ends with such a picture; return it."""
    async with asyncio.timeout(PATIENCE):
        while not (shown := await asyncio.to_thread(pictures, path)) or not condition(shown[-1]):
            await asyncio.sleep(0.1)
    return shown[-1]


def encoders_of(path: str) -> list[int]:
    """Return the processes that write a file, other than this one."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if any(str(each.readlink()) == path for each in (entry / "fd").iterdir()):
                found.append(int(entry.name))
        except OSError:
            continue  # it has ended, or belongs to another user
    return found
