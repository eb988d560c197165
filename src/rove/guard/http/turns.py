"""Shares the time of an event loop fairly between sessions, however much work the servers of one of them cause.

The loop calls every connection that has received bytes. If they were all handled at once, a session with a hundred busy
connections would delay the others by a hundred times the work of one. So the work of one pass of the loop is limited:
what is left over waits in a queue for each session, and the queues are served in turn.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

# The work of one pass of the event loop.
TURN_SECONDS = 0.002

Work = Callable[[], None]


class Turns:
    """The queues of all sessions, and the time that the current pass has used."""

    def __init__(self) -> None:
        self._waiting: deque[SessionTurns] = deque()
        self._used = 0.0
        self._is_scheduled = False

    def for_session(self) -> SessionTurns:
        """Return the queue of one session."""
        return SessionTurns(self)

    @property
    def is_over(self) -> bool:
        """Whether the work of this pass is done, and further work has to wait."""
        return self._used >= TURN_SECONDS

    def charge(self, seconds: float) -> None:
        """Count the time of work that was done."""
        self._used += seconds
        self._schedule()

    def add(self, session: SessionTurns) -> None:
        """Serve a session whose queue was empty, after those that wait already."""
        self._waiting.append(session)
        self._schedule()

    def _schedule(self) -> None:
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_soon(self._begin_turn)

    def _begin_turn(self) -> None:
        self._is_scheduled, self._used = False, 0.0
        while self._waiting and not self.is_over:
            self._serve(self._waiting.popleft())
        if self._waiting:
            self._schedule()

    def _serve(self, session: SessionTurns) -> None:
        began = time.perf_counter()
        work = session.queue.popleft()
        if session.queue:
            self._waiting.append(session)
        try:
            work()
        finally:
            self.charge(time.perf_counter() - began)


class SessionTurns:
    """The work of one session that waits for a later pass of the event loop."""

    def __init__(self, turns: Turns) -> None:
        self.queue: deque[Work] = deque()
        self._turns = turns

    @property
    def is_over(self) -> bool:
        return self._turns.is_over

    def charge(self, seconds: float) -> None:
        self._turns.charge(seconds)

    def wait(self, work: Work) -> None:
        """Do the work in a later pass."""
        self.queue.append(work)
        if len(self.queue) == 1:
            self._turns.add(self)
