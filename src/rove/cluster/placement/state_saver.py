"""Saves the states of sessions as they change, at a bounded rate, and goes on when the store fails."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from rove.cluster.placement.state_store import SessionStateStore
from rove.errors import RoveError
from rove.tasks import BackgroundTasks
from rove.validation.record import dataclass

log = logging.getLogger(__name__)
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
