"""A HAR file that is written entry by entry, and is whole after each of them."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from rove.browser.logs import PageLoad
from rove.har.disclosure import Disclosure
from rove.har.entry import moment
from rove.version import VERSION

FULL = "The file has reached its largest size: later requests are not in it."


def page_id(tab: str, number: int) -> str:
    return f"{tab}_{number}"


def page_of(tab: str, load: PageLoad, shown: Disclosure) -> dict[str, Any]:
    """Return a document of a tab as a page; times are milliseconds after its request."""
    times = {"onContentLoad": load.parsed, "onLoad": load.loaded}
    took = {name: -1 if at is None else round(max(at - load.at, 0) * 1000, 3) for name, at in times.items()}
    title = shown.url(load.url)
    return {"startedDateTime": moment(load.at), "id": page_id(tab, load.number), "title": title, "pageTimings": took}


class HarArchive:
    """A file that is open. What follows the entries is written anew after each, so that a crash leaves it readable."""

    def __init__(self, descriptor: int, max_bytes: int) -> None:
        """Take over the descriptor of an empty file."""
        self._descriptor = descriptor
        self._max_bytes = max_bytes
        self.entries = 0
        self.is_full = False
        creator = {"name": "rove", "version": VERSION}
        self._end = 0
        self._finish(_json({"log": {"version": "1.2", "creator": creator}})[:-2] + b',"entries":[', [])

    def add(self, entry: str, pages: Sequence[dict[str, Any]]) -> None:
        """Add an entry, which is JSON already; `pages` are all pages until now."""
        data = (b",\n" if self.entries else b"\n") + entry.encode("utf-8", "replace")
        if self._end + len(data) > self._max_bytes:
            self.is_full = True
            data = b""
        self.entries += bool(data)
        self._finish(data, pages)

    def close(self, pages: Sequence[dict[str, Any]]) -> None:
        """Write the pages as they are now, and close the file."""
        self._finish(b"", pages)
        os.close(self._descriptor)

    def _finish(self, data: bytes, pages: Sequence[dict[str, Any]]) -> None:
        comment = {"comment": FULL} if self.is_full else {}
        ending = b"]," + _json({"pages": list(pages), **comment})[1:] + b"}\n"
        left = memoryview(data + ending)
        at = self._end
        while left:  # a full disk raises, and the file is what it was before as soon as there is room
            written = os.pwrite(self._descriptor, left, at)
            left, at = left[written:], at + written
        os.ftruncate(self._descriptor, at)
        self._end += len(data)


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
