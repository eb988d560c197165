"""Tasks that run beside a call, and work that another event may interrupt."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

log = logging.getLogger(__name__)

R = TypeVar("R")
# Seconds that cancelled work has to clean up before it is left to end by itself.
CLEANUP_SECONDS = 0.1
CLOSE_SECONDS = 1.0


class BackgroundTasks:
    """Owns tasks that no caller awaits: logs what fails, cancels and awaits the rest on close.

    `expected`: exceptions that are not logged, because they only say that the page or the browser is gone.
    """

    def __init__(self, owner: str, expected: tuple[type[Exception], ...] = ()) -> None:
        self._owner = owner
        self._expected = expected
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_closed = False

    def start(self, work: Coroutine[Any, Any, R]) -> asyncio.Task[R]:
        """Run `work` in the background. After `close` it is cancelled at once."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)
        if self._is_closed:
            task.cancel()
        return task

    def cancel(self) -> None:
        """Cancel every task without waiting, and accept no more."""
        self._is_closed = True
        for task in self._tasks:
            task.cancel()

    async def finish(self, seconds: float) -> None:
        """Wait until the tasks have ended by themselves, for at most so many seconds."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=seconds)

    async def close(self) -> None:
        """Cancel every task and wait until they have ended, for a bounded time."""
        self.cancel()
        current = asyncio.current_task()
        if others := [task for task in self._tasks if task is not current]:
            _, running = await asyncio.wait(others, timeout=CLOSE_SECONDS)
            for task in running:
                log.warning("A background task of %s does not end: %r", self._owner, task)

    def _finish(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if task.cancelled() or (error := task.exception()) is None:
            return
        if not isinstance(error, self._expected):
            log.error("A background task of %s failed", self._owner, exc_info=error)


async def result_of(task: asyncio.Task[R], gone: Exception) -> R:
    """Return the result of a task that its owner may cancel, or raise `gone` if the owner did.

    If the caller itself is cancelled, the task goes on.
    """
    await asyncio.wait({task})
    if task.cancelled():
        raise gone
    return task.result()


class Signal:
    """Wakes every waiter, and interrupts every block of an `Interruption`, each time it is sent.

    One that is held, as what it tells goes on, interrupts the blocks that begin until it is cleared, too.
    """

    def __init__(self) -> None:
        self._event = asyncio.Event()
        self._listeners: list[Callable[[], object]] = []
        self.is_held = False

    def send(self) -> None:
        """Wake those that wait now."""
        self._event.set()
        self._event = asyncio.Event()
        for listener in tuple(self._listeners):
            listener()

    def hold(self) -> None:
        """Send it, and keep it up until `clear`."""
        self.is_held = True
        self.send()

    def clear(self) -> None:
        """End what `hold` has begun."""
        self.is_held = False

    def wait(self) -> Coroutine[Any, Any, Any]:
        """Wait until it is sent the next time, counted from this call and not from when the result is awaited."""
        return self._event.wait()

    def listen(self, listener: Callable[[], object]) -> None:
        """Call `listener` each time it is sent."""
        self._listeners.append(listener)

    def unlisten(self, listener: Callable[[], object]) -> None:
        self._listeners.remove(listener)


class Interrupted(Exception):
    """Raised by `race` and `Interruption` when an interrupt came first.

    `index`: which of them it was. `result`: what the awaited interrupt returned.
    """

    def __init__(self, index: int, result: Any = None) -> None:
        super().__init__(f"interrupt {index}: {result!r}")
        self.index = index
        self.result = result


class Interruption:
    """A block that the first of some signals ends early: `Interrupted` is then raised in its place.

    The block runs in the task of its caller, which is cancelled as by `asyncio.timeout`, so that an action needs
    no further task for each thing that may end it. What the block awaits to clean up is cancelled too after a moment.
    `grace`: seconds that the block still has after a signal, for an answer that is already on its way. `when`: whether
    a signal ends the block.
    """

    def __init__(self, *signals: Signal, grace: float = 0.0, when: Callable[[], bool] | None = None) -> None:
        self._signals = signals
        self._grace = grace
        self._when = when
        self._index: int | None = None
        self._listeners: list[Callable[[], object]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._cancels = 0

    def __enter__(self) -> None:
        task = asyncio.current_task()
        assert task is not None, "not in a task"
        self._task, self._cancelling = task, task.cancelling()
        for index, signal in enumerate(self._signals):
            listener = partial(self._interrupt, index)
            signal.listen(listener)
            self._listeners.append(listener)
            if signal.is_held:
                listener()

    def _interrupt(self, index: int) -> None:
        if self._index is not None or (self._when is not None and not self._when()):
            return
        self._index = index
        # Never at once: a task that is cancelled while it runs would meet that at its next wait, be it after the block.
        self._timer = asyncio.get_running_loop().call_later(self._grace, self._cancel)

    def _cancel(self) -> None:
        self._cancels += 1
        self._task.cancel()
        self._timer = asyncio.get_running_loop().call_later(CLEANUP_SECONDS, self._cancel)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        for signal, listener in zip(self._signals, self._listeners, strict=True):
            signal.unlisten(listener)
        if self._index is None:
            return
        if self._timer is not None:
            self._timer.cancel()
        for _ in range(self._cancels):
            self._task.uncancel()
        if self._cancels and kind is asyncio.CancelledError and self._task.cancelling() <= self._cancelling:
            raise Interrupted(self._index) from error


async def race(work: Awaitable[R], *interrupts: Awaitable[Any], grace: float = 0.0) -> R:
    """Return the result of `work`, or raise `Interrupted` when one of `interrupts` is over first.

    `grace`: seconds that the work still has after an interrupt, for an answer that is already on its way.
    Whatever is not over at the end is cancelled.
    """
    working = asyncio.ensure_future(work)
    waiting = [asyncio.ensure_future(interrupt) for interrupt in interrupts]
    try:
        await asyncio.wait({working, *waiting}, return_when=asyncio.FIRST_COMPLETED)
        if grace and not working.done():
            await asyncio.wait({working}, timeout=grace)
        if working.done():
            return working.result()
        index = next(index for index, interrupt in enumerate(waiting) if interrupt.done())
        raise Interrupted(index, waiting[index].result())
    finally:
        for interrupt in waiting:
            interrupt.cancel()
        await cancelled(working)


async def cancelled(work: asyncio.Future[Any]) -> None:
    """Cancel `work` if it still runs, and give it a moment to clean up."""
    if work.done():
        return
    work.add_done_callback(_retrieve)
    work.cancel()
    await asyncio.wait({work}, timeout=CLEANUP_SECONDS)


def _retrieve(work: asyncio.Future[Any]) -> None:
    """Mark the exception of abandoned work as retrieved, so that asyncio does not log it."""
    if not work.cancelled():
        work.exception()
