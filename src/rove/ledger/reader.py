"""Read a ledger: its last entries, and new ones as they are written."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rove.ledger.chain import ChainedLine, unseal
from rove.ledger.files import LedgerFiles, open_to_read
from rove.validation.record import dataclass

Wanted = Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True)
class Recent:
    """The last entries, oldest first, and how many lines among them are not entries."""

    links: tuple[ChainedLine, ...]
    unreadable: int


def recent(files: LedgerFiles, count: int, wanted: Wanted) -> Recent:
    """Return the last `count` entries for which `wanted` holds. Older files are read only if needed."""
    found: deque[ChainedLine] = deque()
    unreadable = 0
    for path in [files.current, *reversed(files.older())]:
        try:
            links = [unseal(line) for line in _lines(path)]
        except FileNotFoundError:
            continue  # it was renamed or removed a moment ago
        unreadable += links.count(None)
        fitting = [link for link in links if link is not None and wanted(link.facts)]
        found.extendleft(reversed(fitting[-(count - len(found)) :]))
        if len(found) >= count:
            break
    return Recent(tuple(found), unreadable)


def _lines(path: Path) -> list[bytes]:
    with os.fdopen(open_to_read(path), "rb") as file:
        return file.read().removesuffix(b"\n").split(b"\n")


class Feed:
    """Follows a ledger: first all entries of its current file, then those that are appended."""

    def __init__(self, files: LedgerFiles) -> None:
        self._files = files
        self._descriptor: int | None = None
        self._rest = b""

    def new_entries(self) -> list[ChainedLine]:
        """Return the entries that were appended since the last call."""
        found = self._read()
        # The file may have been numbered since: then it is complete, and a new one has been started.
        while self._descriptor is not None and not self._files.is_current(self._descriptor):
            found += self._read()
            self.close()
            found += self._read()
        return found

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
        self._descriptor, self._rest = None, b""

    def _read(self) -> list[ChainedLine]:
        if self._descriptor is None:
            try:
                self._descriptor = open_to_read(self._files.current)
            except FileNotFoundError:
                return []
        data = self._rest
        while chunk := os.read(self._descriptor, 1 << 20):
            data += chunk
        *lines, self._rest = data.split(b"\n")
        return [link for line in lines if (link := unseal(line)) is not None]
