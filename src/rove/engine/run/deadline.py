"""Until when an action must have answered, and whose doing it is if it has not."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable
from typing import TypeVar

from rove.advice import Advice
from rove.browser.failures import BrowserError
from rove.browser.tab import Tab
from rove.errors import BrowserUnavailable, DeadlineExceeded, RoveError

R = TypeVar("R")
LOSS_NOTICE_SECONDS = 0.3
LEAVE_IT = "Wait and try again, or leave the page with {navigate}."
# Kept of every deadline, to find out why it was missed.
RESERVE = 0.3


class Deadline:
    """The time of one action. A step of a batch has time of its own, but never more than the batch has left."""

    def __init__(self, seconds: float, again: str, whole: Deadline | None = None) -> None:
        self._again = again
        self._whole = whole
        self.seconds: float = seconds
        self.moment: float = time.monotonic() + seconds
        if whole is not None and whole.moment < self.moment:
            self.seconds, self.moment = whole.seconds, whole.moment
        # Set when the browser is gone, once there is one.
        self.lost: asyncio.Event | None = None

    def part(self, seconds: float) -> Deadline:
        """Return the deadline of a step that takes its time from this one."""
        return Deadline(seconds, self._again, self)

    def extend(self, seconds: float) -> None:
        """Do not count time that is not the action's: starting a browser, waiting for a person's answer."""
        self.moment += seconds
        if self._whole is not None:
            self._whole.extend(seconds)

    async def enforce_on(self, tab: Tab, work: Awaitable[R], aim: str) -> R:
        """Have it done in time, or told whose doing it is that it was not."""
        try:
            return await self.enforce(work, self.reserve, aim)
        except DeadlineExceeded as error:
            raise await self.with_cause(tab, error) from None

    @property
    def reserve(self) -> float:
        return min(RESERVE, self.seconds / 10)

    async def with_cause(self, tab: Tab, error: DeadlineExceeded) -> DeadlineExceeded:
        """Find out whether it is the page's own doing that time ran out."""
        tab.is_unresponsive = not await tab.page.answers_within(self.reserve)
        if server := tab.page.requests.silent_server:
            tab.is_unresponsive = False
            hint = Advice(
                "{server} has not answered: try again later, or allow more time with `timeout`.", server=server
            )
            return DeadlineExceeded(error.message, hint=hint)
        if not tab.is_unresponsive:
            return error
        reason = f"{error.message}: the page is busy and lets nothing else run"
        return DeadlineExceeded(reason, hint=LEAVE_IT)

    async def enforce(self, work: Awaitable[R], reserve: float = 0, aim: str = "an answer") -> R:
        """What comes of it, if it comes in time; else why not, in our words."""
        try:
            async with asyncio.timeout(max(self.moment - reserve - time.monotonic(), 0)):
                return await work
        except TimeoutError:
            raise DeadlineExceeded(f"Timeout after {self.seconds:g}s waiting for {aim}") from None
        except BrowserError as error:
            raise await self._translated(error) from error

    async def _translated(self, error: Exception) -> RoveError:
        """What the browser refused, in our words; that it is gone may take a moment to be known."""
        if self.lost is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.lost.wait(), LOSS_NOTICE_SECONDS)
            if self.lost.is_set():
                gone = "The browser went away in the middle of this."
                return BrowserUnavailable(gone, hint=f"Call again: {self._again}.", retry_after=0)
        return RoveError(f"The browser refused: {str(error).splitlines()[0]}", hint="Look with {snapshot}.")
