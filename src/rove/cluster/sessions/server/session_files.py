"""The files of a session on a node: sent there before an action reads them, and fetched when one has written them."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import os
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Any, TypeVar

from rove.cluster.sessions.messages import FileFacts
from rove.cluster.sessions.node.files import CHUNK_BYTES
from rove.errors import RoveError
from rove.page_text import of_same_author
from rove.workspace import Workspace

V = TypeVar("V")
# Bytes of a file that are held in memory on their way.
MEMORY_BYTES = 16 * 2**20
Call = Callable[..., Awaitable[Any]]


class SessionFiles:
    """The server's side of one session's files. `call` reaches the node that the session is on."""

    def __init__(self, workspace: Path, call: Call) -> None:
        self._workspace = Workspace(workspace)
        self._call = call
        # The versions of files that the node has, and the names that files of the node have here.
        self._sent: dict[str, tuple[int, int]] = {}
        self._names: dict[str, str] = {}
        self._root = ""
        # Whether there are files on the node, whose paths may be told.
        self.has_some = False
        self._lock = asyncio.Lock()

    def begin(self, root: str) -> None:
        """Note where the files are on the node that the session has been opened on, which has none of them yet."""
        if root != self._root:
            self._root = root
            self._sent.clear()
            self._names.clear()

    async def send(self, paths: Sequence[str]) -> None:
        """Send the files that an action may read, as far as they exist and the node does not have them."""
        for path in dict.fromkeys(paths):
            if (relative := self._relative(path)) is not None:
                await self._send(relative)

    async def fetch(self, files: Sequence[FileFacts]) -> None:
        """Copy files of the node into the workspace. One that is new gets a name that is not taken."""
        async with self._lock:  # also to wait for those that were told before
            for file in files:
                await self._fetch(file)

    def to_node(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return arguments in which paths of the workspace are those of the node."""
        return _replaced(arguments, ((str(self._workspace.root), self._root),)) if self._root else arguments

    def from_node(self, value: V) -> V:
        """Return an outcome, an error or an entry in which paths of the node are those of the workspace."""
        if not self._root or not self.has_some:
            return value
        root = str(self._workspace.root)
        renamed = [(f"{self._root}/{node}", f"{root}/{here}") for node, here in self._names.items() if node != here]
        replaced: V = _replaced(value, (*renamed, (self._root, root)))
        return replaced

    def _relative(self, path: str) -> str | None:
        """Return a path relative to the workspace; None if it is not in it."""
        if not self._workspace.names(path):
            return None
        given = PurePosixPath(path)
        return str(given.relative_to(str(self._workspace.root)) if given.is_absolute() else given)

    async def _send(self, path: str) -> None:
        try:
            with self._workspace.reading(path) as file:
                version = file.size, file.changed
                if self._sent.get(path) == version:
                    return
                for offset in range(0, max(file.size, 1), CHUNK_BYTES):
                    data = await asyncio.to_thread(os.pread, file.descriptor, CHUNK_BYTES, offset)
                    await self._call("write_file", path, data, offset == 0)
        except RoveError:
            # The action says what is wrong with the path, as it does where the workspace is its own.
            if (self._workspace.root / path).exists():
                raise
            return
        self._sent[path], self._names[path] = version, path

    async def _fetch(self, file: FileFacts) -> None:
        with tempfile.SpooledTemporaryFile(MEMORY_BYTES) as copy:
            for offset in range(0, file.size, CHUNK_BYTES):
                copy.write(await self._call("read_file", file.path, offset))
            written = await asyncio.to_thread(self._write, file, copy)
        self._names[file.path] = written
        with contextlib.suppress(RoveError), self._workspace.reading(written) as here:
            self._sent[written] = here.size, here.changed

    def _write(self, file: FileFacts, copy: IO[bytes]) -> str:
        copy.seek(0)
        known = self._names.get(file.path)
        folder, _, name = (known or file.path).rpartition("/")
        path = self._workspace.write(folder or ".", name, _chunks(copy), replaces=known is not None)
        return str(path.relative_to(self._workspace.root))


def _chunks(copy: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: copy.read(CHUNK_BYTES), b"")


def _replaced(value: Any, pairs: Sequence[tuple[str, str]]) -> Any:
    """Return a value in which each text has one path instead of another. Whose words a text is stays as it was."""
    if isinstance(value, str):
        return _replaced_text(value, pairs)
    if isinstance(value, RoveError):
        value.parts = tuple(_replaced(part, pairs) for part in value.parts)
        value.hint = _replaced(value.hint, pairs)
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {each.name: getattr(value, each.name) for each in dataclasses.fields(value) if each.init}
        new = {name: _replaced(old, pairs) for name, old in fields.items()}
        changed = {name: each for name, each in new.items() if each is not fields[name]}
        return dataclasses.replace(value, **changed) if changed else value
    return _replaced_items(value, pairs)


def _replaced_items(value: Any, pairs: Sequence[tuple[str, str]]) -> Any:
    """Return a collection with paths replaced; the same one if nothing in it has changed."""
    if isinstance(value, dict):
        entries: dict[Any, Any] = value
        made = {key: _replaced(item, pairs) for key, item in entries.items()}
        return made if any(made[key] is not item for key, item in entries.items()) else value
    if isinstance(value, list | tuple):
        items: Sequence[Any] = value
        new = [_replaced(item, pairs) for item in items]
        if all(each is old for each, old in zip(new, items, strict=True)):
            return value
        return new if isinstance(value, list) else tuple(new)
    return value


def _replaced_text(text: str, pairs: Sequence[tuple[str, str]]) -> str:
    for old, new in pairs:
        if old in text:
            text = of_same_author(text.replace(old, new), text)
    return text
