"""The workspace that a session has on its node: files that the server sends, and files that the session writes."""

from __future__ import annotations

import os
import shutil
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
        folder, _, name = path.rpartition("/")
        if is_first:
            self._workspace.write(folder or ".", name, (data,), replaces=True)
        else:
            self._workspace.append(self.root / path, data)
        stat = (self.root / path).stat(follow_symlinks=False)
        self._known[path] = stat.st_size, stat.st_mtime_ns

    def remove(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)

    def _versions(self) -> Iterator[tuple[str, _Version]]:
        for folder, _, names in os.walk(self.root):
            for name in names:
                full = os.path.join(folder, name)
                try:
                    stat = os.stat(full, follow_symlinks=False)
                except FileNotFoundError:
                    continue  # it was renamed just now, as files are when they are complete
                if not os.path.islink(full):
                    yield os.path.relpath(full, self.root), (stat.st_size, stat.st_mtime_ns)
