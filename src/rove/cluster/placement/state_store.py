"""The states of sessions in a place that outlives their nodes, saved as they change at a bounded rate."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit, urlunsplit

from rove.errors import InvalidSettings, RoveError, StateUnusable
from rove.records import dataclass
from rove.settings.tree import Settings
from rove.storage.private_files import make_private_folder
from rove.storage.saved_states import ENDING, FOLDER, StateCipher
from rove.tasks import BackgroundTasks

log = logging.getLogger(__name__)

# Begins every file, so that a later format can be told from this one.
FORMAT = b"rove-session-1\n"
# Each state is written over the older of two files, so that a write that breaks off never damages the newer one: most
# stores cannot replace a file at once.
SLOTS = 2
DEFAULT_FOLDER = "cluster"
P = ParamSpec("P")
R = TypeVar("R")
# Files that are written at once: a store that takes 0.1 s for each, as many do, keeps up with 150 saves a second.
WRITERS = 32
# Seconds until a failed write is tried again, doubled up to the second.
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
# Seconds that the last writes have when the server ends.
LAST_SECONDS = 5.0
# A server that was killed leaves the states of its sessions behind; they are deleted after this long.
KEEP_SECONDS = 7 * 24 * 3600.0


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


@dataclass(frozen=True)
class StoreFacts:
    """How the store is. `unsaved`: sessions whose last state is not there yet; `problem`: why, since when."""

    address: str
    saved: int
    unsaved: int
    problem: str = ""
    since: float = 0.0


class _Entry:
    """What the store has of one session, and what is still to be done for it."""

    def __init__(self) -> None:
        # The state to write next, and the one that is being written.
        self.pending: bytes | None = None
        self.writing: bytes | None = None
        self.is_saved = False
        # Whether what was saved before is to be deleted, which comes before any write.
        self.deletes = False
        self.worker: asyncio.Task[None] | None = None
        # Set when the worker must not wait any longer.
        self.hurry = asyncio.Event()

    @property
    def is_unsaved(self) -> bool:
        return self.pending is not None or self.writing is not None

    @property
    def has_work(self) -> bool:
        return self.deletes or self.pending is not None


class StateSaver:
    """Keeps the last state of each session in the store, from the first `save` to `forget`.

    One worker for each session, so that an older state never comes after a newer one.
    """

    def __init__(self, store: SessionStateStore, seconds: float) -> None:
        """`seconds`: least time between two writes for one session."""
        self._store = store
        self._seconds = seconds
        self._entries: dict[str, _Entry] = {}
        self._tasks = BackgroundTasks("the store of states")
        self._threads = ThreadPoolExecutor(WRITERS, "state-store")
        self._problem = ""
        self._since = 0.0
        self._is_closing = False

    def start(self) -> None:
        """Delete, in the background, what servers that were killed have left behind."""
        self._tasks.start(self._delete_leftovers())

    @property
    def facts(self) -> StoreFacts:
        """How the store is."""
        entries = self._entries.values()
        saved, unsaved = sum(entry.is_saved for entry in entries), sum(entry.is_unsaved for entry in entries)
        return StoreFacts(self._store.address, saved, unsaved, self._problem, self._since)

    def save(self, session: str, content: bytes) -> None:
        """Save a state soon; one that has not been written yet is replaced by it."""
        entry = self._entries.setdefault(session, _Entry())
        entry.pending = content
        self._wake(session, entry)

    async def latest(self, session: str) -> bytes | None:
        """Return the last state of an open session, written or not; None if there is none. Raises StateUnusable."""
        entry = self._entries.get(session)
        if entry is None:
            return None  # what another session of that name may have left is not for this one
        if entry.is_unsaved or not entry.is_saved:
            return entry.pending if entry.pending is not None else entry.writing
        stored = await self._in_thread(self._store.read, session)
        return stored.content if stored is not None else None

    def forget(self, session: str) -> None:
        """Delete the state of a session soon, as it was closed."""
        if (entry := self._entries.get(session)) is not None:
            entry.pending = entry.writing = None
            entry.is_saved, entry.deletes = False, True
            entry.hurry.set()
            self._wake(session, entry)

    async def close(self) -> None:
        """Write and delete what is still to be, for a bounded time."""
        self._is_closing = True
        for entry in self._entries.values():
            entry.hurry.set()
        await self._tasks.finish(LAST_SECONDS)
        await self._tasks.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _wake(self, session: str, entry: _Entry) -> None:
        if entry.worker is None:
            entry.worker = self._tasks.start(self._work(session, entry))

    async def _work(self, session: str, entry: _Entry) -> None:
        """Do what there is to do for a session, and pause between two writes or after a failure."""
        failure_pause = FIRST_PAUSE
        while entry.has_work:
            entry.hurry.clear()
            began = time.monotonic()
            if await self._did_next(session, entry):
                failure_pause = FIRST_PAUSE
                await self._pause(entry, began + self._seconds - time.monotonic())
            elif self._is_closing:
                break
            else:
                await self._pause(entry, failure_pause)
                failure_pause = min(failure_pause * 2, LONGEST_PAUSE)
        entry.worker = None
        if not entry.is_saved and not entry.has_work:
            self._entries.pop(session, None)

    async def _did_next(self, session: str, entry: _Entry) -> bool:
        """Delete or write; return whether that worked."""
        content, is_delete = entry.pending, entry.deletes
        try:
            if is_delete:
                await self._in_thread(self._store.delete, session)
                entry.deletes = False
            elif content is not None:
                entry.writing, entry.pending = content, None
                await self._in_thread(self._store.write, session, content)
                entry.is_saved = not entry.deletes
        except RoveError as error:
            self._note(session, error.message)
            if entry.pending is None and not entry.deletes:
                entry.pending = content
            return False
        finally:
            entry.writing = None
        self._note(session, "")
        return True

    async def _pause(self, entry: _Entry, seconds: float) -> None:
        if seconds > 0 and not self._is_closing:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(entry.hurry.wait(), seconds)

    def _note(self, session: str, problem: str) -> None:
        """Keep the last problem, and since when there is one; log when it comes and goes."""
        if problem and not self._problem:
            self._since = time.time()
            log.warning("the state of session %s is not saved: %s", session, problem)
        elif self._problem and not problem:
            log.warning("states of sessions are saved again")
        self._problem = problem

    async def _delete_leftovers(self) -> None:
        try:
            if count := await self._in_thread(self._store.delete_older, KEEP_SECONDS):
                log.info("%d state(s) of sessions that have ended were deleted", count)
        except RoveError as error:
            self._note("", error.message)

    async def _in_thread(self, work: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(work, *arguments, **named))
