"""An asyncio event loop whose clock jumps to the next timer, so that hours of a cluster pass in seconds.

The code under test, `rove.cluster.placement`, consists of coroutines, which a simulator with processes of its own,
such as SimPy, cannot run. In this loop they run unchanged.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

R = TypeVar("R")


class NothingHappens(Exception):
    """Every task waits for another, and no timer is set."""


class _NoWaiting(selectors.SelectSelector):
    """Waits for nothing: it moves the clock to the moment until which it was asked to wait."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise NothingHappens("every task waits, and no timer is set")
        self.now += max(timeout, 0.0)
        return []


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """An event loop that is never idle. It knows no files, no threads and no processes."""

    def __init__(self) -> None:
        self._virtual = _NoWaiting()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._virtual.now


def run(work: Coroutine[Any, Any, R]) -> R:
    """Run a coroutine in virtual time."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(work)


def now() -> float:
    """Return the seconds since the simulation began."""
    return asyncio.get_running_loop().time()
