"""Notices that the proxy process does not answer, while calls that may wait for it are under way."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Generator
from typing import Protocol

# How often the process is asked, in seconds.
_INTERVAL = 0.5
# A process that has not answered so many times in a row is ended. Times are counted, not seconds: if the whole machine
# was suspended, the process had no time to answer either.
_UNANSWERED_LIMIT = 8
# The same for one that has just been started, which takes long on a busy machine.
_STARTING_LIMIT = 40
# After so many, an error says that the process does not answer.
_UNANSWERED_DOUBT = 2


class WatchedProcess(Protocol):
    """The proxy process."""

    @property
    def has_answered(self) -> bool:
        """Whether it has answered since it was started."""
        ...

    def ping(self) -> asyncio.Future[None]: ...
    def receive(self) -> None: ...
    def kill(self) -> None: ...


class ProcessWatch:
    """Pings the process while calls run, and ends one that does not answer, so that another one is started."""

    def __init__(self) -> None:
        self._calls = 0
        self._process: WatchedProcess | None = None
        self._answer: asyncio.Future[None] | None = None
        self._unanswered = 0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_silent(self) -> bool:
        """Whether the process has been asked, and has not answered for a while."""
        return self._unanswered >= _UNANSWERED_DOUBT

    @contextlib.contextmanager
    def during_call(self) -> Generator[None]:
        """Watch the process within this block, if it runs."""
        self._calls += 1
        self._schedule()
        try:
            yield
        finally:
            self._calls -= 1

    def begin(self, process: WatchedProcess) -> None:
        """Watch a process from now on: it has just been started."""
        self._process, self._unanswered, self._answer = process, 0, None
        self._schedule()

    def close(self) -> None:
        self._process = None
        if self._timer is not None:
            self._timer.cancel()

    def _schedule(self) -> None:
        if self._calls and self._process is not None and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(_INTERVAL, self._ask)

    def _ask(self) -> None:
        self._timer = None
        process = self._process
        if process is None or not self._calls:
            return
        process.receive()  # this loop may have been busy, and the answer may be there
        if self._answer is None or self._answer.done():
            self._unanswered, self._answer = 0, process.ping()
        else:
            self._unanswered += 1
        if self._unanswered >= (_UNANSWERED_LIMIT if process.has_answered else _STARTING_LIMIT):
            self._unanswered = 0
            process.kill()
        self._schedule()
