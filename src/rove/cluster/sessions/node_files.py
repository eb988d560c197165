"""The workspace that a session has on its node: files that the server sends, and files that the session writes."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Collection, Iterator
from pathlib import Path

from rove.cluster.sessions.messages import FileFacts
from rove.workspace import Workspace

# Bytes of a file that are sent at once.
CHUNK_BYTES = 4 * 2**20
_Version = tuple[int, int]


class SessionFiles:
    """The files of one session, below a folder that it alone has."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._workspace = Workspace(root)
        # The files that the server has, as they were when it got or sent them.
        self._known: dict[str, _Version] = {}

    @property
    def exist(self) -> bool:
        return self.root.exists()

    def take_changed(self, unfinished: Collection[str]) -> tuple[FileFacts, ...]:
        """Return the files that the server does not have, or has in an older version, and count them as told.

        `unfinished`: the paths of files that are still being written.
        """
        if not self.exist:
            return ()
        changed: list[FileFacts] = []
        for path, version in self._versions():
            if self._known.get(path) != version and str(self.root / path) not in unfinished:
                changed.append(FileFacts(path, version[0], path in self._known))
                self._known[path] = version
        return tuple(changed)

    def read(self, path: str, offset: int) -> bytes:
        """Return a part of a file."""
        with self._workspace.reading(path) as file:
            return os.pread(file.descriptor, CHUNK_BYTES, offset)

    def write(self, path: str, data: bytes, is_first: bool) -> None:
        """Write a part of a file that the server sends; the first one replaces what was there."""
        file = self.root / path
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with file.open("wb" if is_first else "ab") as opened:
            opened.write(data)
        self._known[path] = _version(file)

    def remove(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    def _versions(self) -> Iterator[tuple[str, _Version]]:
        for file in self.root.rglob("*"):
            with contextlib.suppress(FileNotFoundError):  # it is renamed when it is complete
                if stat.S_ISREG(file.lstat().st_mode):
                    yield str(file.relative_to(self.root)), _version(file)


def _version(file: Path) -> _Version:
    facts = file.lstat()
    return facts.st_size, facts.st_mtime_ns
