"""Where the entries of a session's journal are kept: in its ledger, or in another `JournalStore`.

An action that cannot be recorded is not run. Its entry is written when it is over. If that fails, the caller gets an
error, the entry is kept in memory, and no other action runs until it has been written. When an action begins, a file
beside the journal says so: if the process is killed meanwhile, the next process that opens the journal records it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Protocol

from rove.ledger.files import PATIENCE, LedgerFiles, LockHeld
from rove.ledger.open_entries import OpenEntries
from rove.ledger.writer import Ledger
from rove.settings.tree import Journaling

log = logging.getLogger(__name__)
KILLED = "the process was killed in the middle of it"
KILOBYTE = 1024


class Unwritable(OSError):
    """A journal cannot be written; `sentence` says which, and why."""

    @property
    def sentence(self) -> str:
        return str(self.strerror)


class JournalStore(Protocol):
    """Keeps entries, as JSON data without secrets. Raises Unwritable."""

    async def begin(self, facts: dict[str, Any], /) -> int:
        """Make sure that an action can be recorded, and note that it begins; return the number to end it by."""
        ...

    async def end(self, number: int | None, facts: dict[str, Any], /) -> None:
        """Keep an entry for good. `number`: that of the action which is over, if it tells of one."""

    async def close(self) -> None:
        """Keep what is not kept yet. An action that ends later, as the one that closes a session, is kept too."""


class LedgerStore:
    """Appends to `sessions/<name>.jsonl`, readable by its owner only."""

    def __init__(self, folder: Path, session: str, settings: Journaling) -> None:
        self._files = LedgerFiles(folder, session)
        self._ledger = Ledger(self._files, settings.file_megabytes * KILOBYTE * KILOBYTE, settings.keep_files)
        # Entries that are not written yet, each with the number under which its action has begun.
        self._unwritten: list[tuple[int | None, dict[str, Any]]] = []
        self._open_entries = OpenEntries(self._files)
        self._has_recorded_killed = False
        self._is_closed = False
        # Held while the files are used, as a thread may use them.
        self._lock = asyncio.Lock()

    async def begin(self, facts: dict[str, Any], /) -> int:
        try:
            await self._acquire()
            try:
                await self._write_all()
                self._ledger.ready()
                await self._record_killed()
                return self._open_entries.begin(facts)
            finally:
                self._lock.release()
        except OSError as error:
            raise self._unwritable(error) from error

    async def end(self, number: int | None, facts: dict[str, Any], /) -> None:
        self._unwritten.append((number, facts))
        try:
            await self._write_in_turn()
        except OSError as error:
            raise self._unwritable(error) from error

    async def close(self) -> None:
        async with self._lock:
            self._is_closed = True
            try:
                await self._write_all()
            except OSError as error:
                log.error("%s; %d action(s) are not in it", self._unwritable(error).sentence, len(self._unwritten))
            self._close_files()

    def _close_files(self) -> None:
        if self._open_entries.is_empty:  # else the file stays locked, as this process lives
            self._open_entries.close()
        self._ledger.close()

    async def _acquire(self) -> None:
        """Wait to use the files alone. Raises LockHeld if an entry before this one waits too long for its turn."""
        if not self._lock.locked():
            await self._lock.acquire()
            return
        try:
            async with asyncio.timeout(PATIENCE):
                await self._lock.acquire()
        except TimeoutError:
            raise LockHeld from None

    async def _record_killed(self) -> None:
        """Record the actions of processes that were killed while they ran."""
        if self._has_recorded_killed:
            return
        for facts in self._open_entries.take_over():
            # What a process was killed while noting cannot be read, and does not say whose it is.
            whose = {"session": self._files.name}
            self._unwritten.append((None, {**whose, **facts, "outcome": "broken off", "error": KILLED}))
        self._has_recorded_killed = True
        await self._write_all()

    async def _write_in_turn(self) -> None:
        await self._acquire()
        try:
            await self._write_all()
        finally:
            if self._is_closed:
                self._close_files()
            self._lock.release()

    async def _write_all(self) -> None:
        """Write the entries that are not written yet, oldest first.

        This takes microseconds. If another process holds the lock, a thread waits for it instead of the event loop.
        """
        while self._unwritten:
            try:
                self._write_oldest(patience=0)
            except LockHeld:
                await _wait_uninterrupted(asyncio.to_thread(self._write_oldest, PATIENCE))

    def _write_oldest(self, patience: float) -> None:
        number, facts = self._unwritten[0]
        self._ledger.append(facts, patience)
        del self._unwritten[0]
        if number is not None:
            self._open_entries.end(number)

    def _unwritable(self, error: OSError) -> Unwritable:
        return Unwritable(
            error.errno, f"the journal {self._files.current} cannot be written: {error.strerror or error}"
        )


async def _wait_uninterrupted(work: Coroutine[Any, Any, None]) -> None:
    """Wait for work to end, also when the caller is cancelled meanwhile: a thread cannot be cancelled."""
    working = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not working.done():
        try:
            await asyncio.wait({working})
        except asyncio.CancelledError as error:
            cancelled = error
    failed = working.exception()
    if cancelled is not None:
        raise cancelled
    if failed is not None:
        raise failed
