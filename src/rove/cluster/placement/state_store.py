"""The states of sessions in a place that outlives their nodes: a folder, or any store that fsspec knows."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Generator, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from rove.errors import InvalidSettings, RoveError, StateUnusable
from rove.settings.tree import Settings
from rove.states.encryption import ENDING, StateCipher
from rove.states.private_files import make_private_folder
from rove.states.store import FOLDER
from rove.validation.record import dataclass

# Begins every file, so that a later format can be told from this one.
FORMAT = b"rove-session-1\n"
# Each state is written over the older of two files, so that a write that breaks off never damages the newer one: most
# stores cannot replace a file at once.
SLOTS = 2
DEFAULT_FOLDER = "cluster"


@dataclass(frozen=True)
class StoredState:
    """What was saved of a session, when, and as which of its states: the higher `number` is the newer one."""

    session: str
    saved: float
    number: int
    content: bytes


class SessionStateStore:
    """Writes, reads and deletes the states of sessions, encrypted. Its methods block: they are for threads.

    All raise StateUnusable, whatever the store itself raises.
    """

    def __init__(self, address: str, cipher: StateCipher) -> None:
        self._address = address
        self._cipher = cipher
        self._opened: tuple[Any, str] | None = None
        # The number of the newest state of each session that was read or written here.
        self._numbers: dict[str, int] = {}

    @classmethod
    def of(cls, settings: Settings) -> SessionStateStore:
        """Return the store that the settings name, with the key of this home."""
        home = settings.home_folder
        address = settings.cluster.store or str(home / DEFAULT_FOLDER)
        return cls(address, StateCipher(home / FOLDER, settings.logins.key))

    @property
    def address(self) -> str:
        """Where it is, without a password."""
        parts = urlsplit(self._address)
        shown = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="")
        return urlunsplit(shown) if "://" in self._address else self._address

    def write(self, session: str, content: bytes) -> None:
        """Save a state, which replaces the one before."""
        number = self._numbers.get(session, 0) + 1
        header = json.dumps({"session": session, "saved": time.time(), "number": number}).encode()
        sealed = FORMAT + self._cipher.encrypt(header + b"\n" + content, _label(session))
        with _told("be written to", self.address):
            store, folder = self._open()
            store.pipe_file(self._path(folder, session, number % SLOTS), sealed)
        self._numbers[session] = number

    def read(self, session: str) -> StoredState | None:
        """Return the newest state of a session that is whole; None if there is none."""
        with _told("be read", self.address):
            store, folder = self._open()
            paths = [self._path(folder, session, slot) for slot in range(SLOTS)]
            files = [content for path in paths if (content := _content(store, path)) is not None]
        states = [state for content in files if (state := self._opened_state(content, session)) is not None]
        if files and not states:
            raise StateUnusable(
                f"What {self.address} has of the session {session} cannot be decrypted.",
                hint="The session begins anew: log in again. Was the key of the server replaced?",
            )
        newest = max(states, key=lambda state: state.number, default=None)
        self._numbers[session] = newest.number if newest is not None else 0
        return newest

    def delete(self, session: str) -> None:
        """Delete what was saved of a session."""
        with _told("be changed", self.address):
            store, folder = self._open()
            for slot in range(SLOTS):
                _remove(store, self._path(folder, session, slot))
        self._numbers.pop(session, None)

    def delete_older(self, seconds: float) -> int:
        """Delete files that a server with this key wrote longer ago, and has not deleted; return how many."""
        deleted = 0
        with _told("be read", self.address):
            store, folder = self._open()
            for path in _files(store, folder):
                if time.time() - store.modified(path).timestamp() > seconds:
                    _remove(store, path)
                    deleted += 1
        return deleted

    def _open(self) -> tuple[Any, str]:
        """Return the file system and the folder of this server, which others that use the same store do not read."""
        if self._opened is None:
            store, root = _file_system(self._address)
            folder = f"{root.rstrip('/')}/{self._cipher.digest('folder')}"
            if _is_local(store):
                make_private_folder(Path(folder))
            else:
                # Without the folders above it: of a bucket that is misspelt another would be made.
                with contextlib.suppress(FileExistsError):
                    store.mkdir(folder, create_parents=False)
            self._opened = store, folder
        return self._opened

    def _path(self, folder: str, session: str, slot: int) -> str:
        return f"{folder}/{self._cipher.digest(session)}-{slot}{ENDING}"

    def _opened_state(self, content: bytes, session: str) -> StoredState | None:
        """Decrypt a file; None if it is not whole, as when a write broke off."""
        try:
            plain = self._cipher.decrypt(content.removeprefix(FORMAT), _label(session))
        except StateUnusable:
            return None
        header, _, state = plain.partition(b"\n")
        return StoredState(content=state, **json.loads(header))


@contextlib.contextmanager
def _told(what: str, address: str) -> Generator[None]:
    """Raise StateUnusable for whatever a store raises: each kind of store has errors of its own."""
    try:
        yield
    except RoveError:
        raise
    except Exception as error:
        raise StateUnusable(
            f"The store {address} cannot {what}: {type(error).__name__}: {error}.",
            hint="Sessions go on, but what is not saved is lost with their node. Repair the store, or set another "
            "with --cluster-store.",
        ) from error


def _file_system(address: str) -> tuple[Any, str]:
    """Return the file system of an address and the path in it. Raises InvalidSettings if its package is missing."""
    try:
        fsspec = import_module("fsspec")
        # Listings are not kept, as other processes write to the store as well.
        store, root = fsspec.core.url_to_fs(address, use_listings_cache=False)
    except ImportError as error:
        raise InvalidSettings(
            f"The store of states needs a package that is not installed: {error}.",
            hint="pip install 'rove[cluster]', and for S3 s3fs, for Google Cloud Storage gcsfs.",
        ) from error
    except ValueError as error:
        raise InvalidSettings(
            f"`cluster.store` is no address that fsspec knows: {error}.", hint="Use a folder, or s3://bucket/folder."
        ) from error
    return store, str(root)


def _is_local(store: Any) -> bool:
    protocols = store.protocol if isinstance(store.protocol, tuple) else (store.protocol,)
    return "file" in protocols


def _content(store: Any, path: str) -> bytes | None:
    try:
        content: bytes = store.cat_file(path)
    except FileNotFoundError:
        return None
    return content


def _remove(store: Any, path: str) -> None:
    try:
        store.rm_file(path)
    except FileNotFoundError:
        return


def _files(store: Any, folder: str) -> Iterator[str]:
    yield from (path for path in store.find(folder) if path.endswith(ENDING))


def _label(session: str) -> bytes:
    """Return what binds a file to its session: one that was copied over another's cannot be decrypted."""
    return FORMAT + session.encode("utf-8", "surrogatepass")
