"""Cores that share their time equally among all that runs on them."""

from __future__ import annotations

import asyncio
import heapq
import itertools

# Of the cores, at least this share is left to calls however busy pages are by themselves: the system shares them too.
LEAST_SHARE = 0.25
# Rounding of the clock: work of less than this is done.
NOTHING = 1e-9


class NodeGone(Exception):
    """The node died while something ran on it."""


class Processors:
    """The cores of a machine. One piece of work takes one core at most, and less when there are more pieces than cores.

    `background`: cores that the pages take by themselves. `speed`: 1 is the machine that was measured.
    """

    def __init__(self, cores: float, speed: float = 1.0) -> None:
        self.cores = cores
        self.speed = speed
        self.background = 0.0
        self.work_done = 0.0
        self._running: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = itertools.count()
        # How much work each piece that runs all the time would have had done by now.
        self._progress = 0.0
        self._last = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def running(self) -> int:
        """How many pieces of work run now."""
        return len(self._running)

    async def work(self, seconds: float) -> None:
        """Return when so many seconds of processor time have been spent. Raises NodeGone."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._advance()
        self.work_done += seconds
        heapq.heappush(self._running, (self._progress + seconds, next(self._numbers), done))
        self._set_timer()
        await done

    def change(self, background: float) -> None:
        """Note that pages take more cores by themselves, or less."""
        self._advance()
        self.background = max(self.background + background, 0.0)
        self._set_timer()

    def fail(self) -> None:
        """End all work, as the machine is gone."""
        if self._timer is not None:
            self._timer.cancel()
        running, self._running = self._running, []
        for _, _, done in running:
            if not done.done():
                done.set_exception(NodeGone())

    def _rate(self) -> float:
        free = max(self.cores - self.background, self.cores * LEAST_SHARE)
        return self.speed * min(1.0, free / max(len(self._running), 1))

    def _advance(self) -> None:
        time = asyncio.get_running_loop().time()
        self._progress += (time - self._last) * self._rate()
        self._last = time

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._running:
            left = max(self._running[0][0] - self._progress, 0.0) / self._rate()
            self._timer = asyncio.get_running_loop().call_later(left, self._finish)

    def _finish(self) -> None:
        self._advance()
        while self._running and self._running[0][0] <= self._progress + NOTHING:
            _, _, done = heapq.heappop(self._running)
            if not done.done():  # its agent may have gone
                done.set_result(None)
        self._timer = None
        self._set_timer()
