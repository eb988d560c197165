"""What a node is told of a job and answers: settings, pages, and the journal, which is copied as it grows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from rove.cluster.node.configuration import Configuration
from rove.jobs.worker import PageAnswer, PageOptions
from rove.patterns import pattern
from rove.records import dataclass

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


@dataclass(frozen=True)
class PagesSetup:
    """How a node visits pages.

    `session_class`: what a script of the caller's is given, as `module:name`, as a node knows no surface of rove.
    `slots`: pages at once; None for as many as the node can.
    `neighbours`: nodes of the job on the same machine, itself included, which share its memory. `state`: cookies and
    storage that every session begins with, as JSON.
    """

    configuration: Configuration
    options: PageOptions
    session_class: str
    slots: int | None = None
    cores: float = 1.0
    neighbours: int = 1
    state: str | None = None


@dataclass(frozen=True)
class Opened:
    """A node is ready.

    `job` tells this job from one before, of which pages may still be asked for; `journal` the journals of this process
    from those of one before on the same node.
    """

    job: str
    journal: str
    slots: int


@dataclass(frozen=True)
class Visited:
    """The answer of a visit, and what is in the files that it names, by their paths in the workspace."""

    answer: PageAnswer
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
