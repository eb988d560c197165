"""Reading a ledger back: the last entries, and those that come."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rove.ledger.chain import ChainedLine, unseal
from rove.ledger.files import LedgerFiles, open_to_read
from rove.record import dataclass

Wanted = Callable[[Mapping[str, Any]], bool]


@dataclass(frozen=True)
class Recent:
    """The last entries, oldest first, and how many lines could not be read as entries on the way to them."""

    links: tuple[ChainedLine, ...]
    unreadable: int


def recent(volumes: LedgerFiles, count: int, wanted: Wanted) -> Recent:
    """The last so many that are wanted; files are read only as far back as it takes."""
    found: deque[ChainedLine] = deque()
    unreadable = 0
    for path in [volumes.current, *reversed(volumes.older())]:
        try:
            links = [unseal(line) for line in _lines(path)]
        except FileNotFoundError:
            continue  # just numbered, or dropped
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
    """What has been appended to a ledger since it was last asked for; at first, all of its current file."""

    def __init__(self, volumes: LedgerFiles) -> None:
        self._volumes = volumes
        self._descriptor: int | None = None
        self._rest = b""

    def news(self) -> list[ChainedLine]:
        found = self._read()
        # It may have been numbered since: then it is complete, and there is a new one.
        while self._descriptor is not None and not self._volumes.is_current(self._descriptor):
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
                self._descriptor = open_to_read(self._volumes.current)
            except FileNotFoundError:
                return []
        data = self._rest
        while chunk := os.read(self._descriptor, 1 << 20):
            data += chunk
        *lines, self._rest = data.split(b"\n")
        return [link for line in lines if (link := unseal(line)) is not None]
