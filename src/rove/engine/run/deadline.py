"""The time until which an action must have answered, and the reason if it has not."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable
from typing import TYPE_CHECKING, TypeVar

from rove.action import AnyAction, CompositeAction, Effect
from rove.browser.failures import BrowserError
from rove.errors import BrowserUnavailable, DeadlineExceeded, RoveError

if TYPE_CHECKING:
    from rove.browser.context import BrowserLoss
    from rove.browser.shared.tab import Tab
    from rove.settings.tree import Settings

R = TypeVar("R")
# Seconds to wait for the news that the browser died, after a command to it has failed.
LOSS_NOTICE_SECONDS = 2.0
# At most this many seconds of every deadline are kept to find out why it was missed.
MAX_RESERVE = 0.3
# A page that is not busy answers within this many seconds, also on a machine that is. A very short timeout keeps less.
MIN_PROBE = 0.2
# Seconds that a page which did not answer the last call has to answer the next.
STUCK_SECONDS = 3.0
PAGE_LOAD = "page load"
SILENT_SERVER_HINT = "The server has not answered: try again later. `timeout` allows more time."
NEXT_PAGE_HINT = "Another page is being loaded, whose server has not answered yet: call again later. Or {navigate}."
BUSY_PAGE_HINT = "Wait and try again, or leave the page with {navigate}."


def default_seconds(action: AnyAction, settings: Settings) -> float:
    """Return the seconds for an action if the caller gave none; those of a batch are the sum of its steps'."""
    if isinstance(action, CompositeAction):
        steps = (default_seconds(each, settings) for each in action.actions)
        return (max if action.shares_time else sum)(steps) + action.takes
    return settings.deadlines.action + action.takes


def awaited(action: AnyAction) -> str:
    """Return what a timeout waited for, in the words of its error."""
    return PAGE_LOAD if action.effect is Effect.NAVIGATE else action.verb.replace("_", " ")


class Deadline:
    """The time of one action. A step of a batch has time of its own, but never more than the batch has left.

    `recovery`: what happens at the next call if the browser dies, for the hint of that error.
    """

    def __init__(self, seconds: float, recovery: str, parent: Deadline | None = None) -> None:
        self._recovery = recovery
        self._parent = parent
        self.seconds: float = seconds
        self.moment: float = time.monotonic() + seconds
        if parent is not None and parent.moment < self.moment:
            self.seconds, self.moment = parent.seconds, parent.moment
        # Set when the browser dies or freezes. None until the action has a browser.
        self.lost: BrowserLoss | None = None

    def for_step(self, seconds: float) -> Deadline:
        """Return the deadline of a step that takes its time from this one."""
        return Deadline(seconds, self._recovery, self)

    def extend(self, seconds: float) -> None:
        """Do not count time that is not the action's: starting a browser, waiting for a person's answer."""
        self.moment += seconds
        if self._parent is not None:
            self._parent.extend(seconds)

    @property
    def reserve(self) -> float:
        """Seconds to keep for finding out why the deadline was missed."""
        return min(MAX_RESERVE, self.seconds / 10)

    async def limit_on_tab(self, tab: Tab, work: Awaitable[R], awaited: str) -> R:
        """Return the result of `work` on a tab. Raises DeadlineExceeded, with the reason, if it takes too long."""
        try:
            return await self.limit(work, self.reserve, awaited)
        except DeadlineExceeded as error:
            raise await self.add_reason(tab, error, is_load=awaited == PAGE_LOAD) from None

    async def limit(self, work: Awaitable[R], reserve: float = 0, awaited: str = "an answer") -> R:
        """Return the result of `work`. Raises DeadlineExceeded, or an error of ours for one of the browser."""
        try:
            async with asyncio.timeout(max(self.moment - reserve - time.monotonic(), 0)):
                return await work
        except TimeoutError:
            raise DeadlineExceeded(f"Timeout after {self.seconds:g}s waiting for {awaited}") from None
        except BrowserError as error:
            raise await self._convert(error) from error

    async def refuse_if_stuck(self, tab: Tab, patience: float) -> None:
        """Raise DeadlineExceeded soon if a page that did not answer the last call does not answer this one either.

        `patience`: seconds that the caller is ready to wait.
        """
        if not tab.is_unresponsive:
            return
        left = self.moment - self.reserve - time.monotonic()
        if not await tab.page.answers_within(max(min(STUCK_SECONDS + patience, left), MIN_PROBE)):
            raise DeadlineExceeded("The page is still busy and lets nothing else run.", hint=BUSY_PAGE_HINT)
        tab.is_unresponsive = False

    async def add_reason(self, tab: Tab, error: DeadlineExceeded, is_load: bool = False) -> DeadlineExceeded:
        """Return the error with its reason, where it is a server that does not answer or a page that is busy."""
        tab.is_unresponsive = not await tab.page.answers_within(max(self.reserve, MIN_PROBE))
        if tab.page.requests.silent_server:
            tab.is_unresponsive = False
            return DeadlineExceeded(*error.parts, hint=SILENT_SERVER_HINT if is_load else NEXT_PAGE_HINT)
        if not tab.is_unresponsive:
            return error
        reason = ": the page is busy and lets nothing else run"
        return DeadlineExceeded(*error.parts, reason, hint=BUSY_PAGE_HINT)

    async def _convert(self, error: BrowserError) -> RoveError:
        """Return an error of ours for one of the browser. That the browser died may be known a moment later."""
        if self.lost is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.lost.wait(), LOSS_NOTICE_SECONDS)
            if self.lost.is_set():
                message = f"The browser {self.lost.reason} during this call."
                return BrowserUnavailable(message, hint=f"Call again: {self._recovery}.", retry_after=0)
        return RoveError(f"The browser refused: {str(error).splitlines()[0]}", hint="Look with {snapshot}.")
