"""How pictures are sent to the process that encodes them, and what it answers."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass
from typing import BinaryIO

# The moment of a picture in seconds since the video began, and the length of its data.
HEADER = struct.Struct(">dI")
MAX_PICTURE_BYTES = 32 * 2**20


@dataclass(frozen=True)
class Limits:
    """When a video ends by itself, and how wide it is at most."""

    seconds: float
    size: int
    width: int


@dataclass(frozen=True)
class Encoded:
    """What a video file holds; `is_full` if it ended because a limit was reached."""

    seconds: float = 0.0
    pictures: int = 0
    width: int = 0
    height: int = 0
    is_full: bool = False

    def as_line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> Encoded:
        return cls(**json.loads(line))


def packed(at: float, picture: bytes) -> bytes:
    """Return a picture with its header. One without data stands for the picture before it."""
    return HEADER.pack(at, len(picture)) + picture


def read_picture(stream: BinaryIO) -> tuple[float, bytes] | None:
    """Return the next picture and its moment; None at the end, and where the sender died in the middle of one."""
    header = stream.read(HEADER.size)
    if len(header) < HEADER.size:
        return None
    at, length = HEADER.unpack(header)
    data = stream.read(length) if length <= MAX_PICTURE_BYTES else b""
    return (at, data) if len(data) == length else None
