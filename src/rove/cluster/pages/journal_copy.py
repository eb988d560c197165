"""The journals of nodes, which are copied to the rove process as they grow: a node keeps nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from rove.validation.pattern import pattern
from rove.validation.record import dataclass

LINES = ".jsonl"
HEAD = ".head"
# The most that is read of one file at a time.
MOST_BYTES = 4 * 2**20
_NAME = pattern(r"map-[1-9]\d*")


@dataclass(frozen=True)
class JournalPart:
    """What journals have got: lines that follow those that are known, and the heads, by names of files."""

    lines: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    heads: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


def read_part(folder: Path, known: Mapping[str, int]) -> JournalPart:
    """Return what the journals of a folder have got. `known`: how much of each file is known."""
    # Heads first: one that names a line which is not copied yet would look like a missing end.
    heads = {path.name: path.read_bytes() for path in folder.glob(f"*{HEAD}")}
    lines = {path.name: _lines_after(path, known.get(path.name, 0)) for path in folder.glob(f"*{LINES}")}
    return JournalPart({name: found for name, found in lines.items() if found}, heads)


def _lines_after(path: Path, start: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        lines = file.read(MOST_BYTES)
    return lines[: lines.rfind(b"\n") + 1]


class JournalCopy:
    """The copies of one node's journals."""

    def __init__(self, folder: Path) -> None:
        """`folder`: of this node alone, as every node has a session `map-1`."""
        self._folder = folder
        self.known: dict[str, int] = {}

    def add(self, part: JournalPart) -> None:
        """Write what was read."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name, lines in part.lines.items():
            self._write(name, LINES, os.O_APPEND, lines)
            self.known[name] = self.known.get(name, 0) + len(lines)
        for name, head in part.heads.items():
            self._write(name, HEAD, os.O_TRUNC, head)

    def _write(self, name: str, ending: str, flag: int, data: bytes) -> None:
        if _NAME.fullmatch(name.removesuffix(ending)) is None:
            raise ValueError(f"{name!r} is no journal of rove map")
        flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | flag
        with os.fdopen(os.open(self._folder / name, flags, 0o600), "wb", closefd=True) as file:
            file.write(data)
