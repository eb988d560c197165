"""The time that an action has, and the tab that it has to itself meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable
from typing import TYPE_CHECKING, TypeVar

from rove.action import AnyAction, CompositeAction, Effect
from rove.browser.failures import BrowserError
from rove.errors import BrowserUnavailable, DeadlineExceeded, DialogOpen, PageCrashed, RoveError
from rove.tasks import Interrupted, Interruption

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
# Seconds that input has to end by itself once a dialog is open.
RELEASE_SECONDS = 0.3
MAY_BE_DONE = (
    "Answer it with {dialog}, then look with {snapshot}: it may be done, wholly or in part. "
    "Call again only for what is not."
)
# Seconds that the browser may take to close a dialog once it is dismissed.
DISMISSAL_SECONDS = 0.5


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


class TabHold:
    """The tab that an action made of others keeps locked between them, so that no other call acts on it meanwhile."""

    def __init__(self) -> None:
        self._tab: Tab | None = None
        self._is_keeping = False

    def __enter__(self) -> None:
        self._is_keeping = True

    def __exit__(self, *_: object) -> None:
        self._is_keeping = False
        self.release()

    def has(self, tab: Tab) -> bool:
        """Return whether a tab is locked by this hold."""
        return self._tab is tab

    def take_over(self, tab: Tab) -> None:
        """Keep a locked tab until another is needed; unlock it at once if nothing is to be kept."""
        if self._is_keeping:
            self._tab = tab
        else:
            tab.lock.release()

    def release(self) -> None:
        """Unlock the tab, as while a person is asked."""
        tab, self._tab = self._tab, None
        if tab is not None:
            tab.lock.release()


class TabLock:
    """Locks a tab for one action. Raises DeadlineExceeded if other calls hold it until the deadline."""

    def __init__(self, tab: Tab, deadline: Deadline, effect: Effect, hold: TabHold | None = None) -> None:
        self._tab = tab
        self._deadline, self._seconds = deadline.moment, deadline.seconds
        self._effect = effect
        self._hold = hold or TabHold()

    async def __aenter__(self) -> None:
        if not self._hold.has(self._tab):
            # Never two tabs at once: two calls could each wait for the tab of the other.
            self._hold.release()
            await self._acquire()
        self._tab.begin_action(self._deadline, self._seconds, self._effect in (Effect.ACT, Effect.SCRIPT))

    async def _acquire(self) -> None:
        if not self._tab.lock.locked():
            await self._tab.lock.acquire()  # which is at once
            return
        try:
            async with asyncio.timeout(max(self._deadline - time.monotonic(), 0)):
                await self._tab.lock.acquire()
        except TimeoutError:
            raise DeadlineExceeded(
                f"{self._tab.id} was busy with another call all the time.",
                hint="Wait for that call, or use another tab.",
            ) from None

    async def __aexit__(self, *_: object) -> None:
        self._tab.end_action()
        if not self._hold.has(self._tab):
            self._hold.take_over(self._tab)


async def refuse_dialog(tab: Tab, can_answer: bool) -> None:
    """Raise DialogOpen if a dialog is open. A caller that cannot answer it waits until it is dismissed."""
    if not can_answer:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(tab.settings.deadlines.dialog + DISMISSAL_SECONDS):
                await tab.page.dialogs.wait_until_closed()
    tab.page.dialogs.raise_if_open()


async def unless_dialog(tab: Tab, work: Awaitable[R], acts: bool = False) -> R:
    """Return the result of `work`. Raises DialogOpen if a dialog opens, since the work would wait for its answer.

    `acts`: the work may have had its effect by then, so that it must not be repeated unseen.
    """
    try:
        # Input ends by itself when a dialog opens. A command that the page has to answer does not.
        with Interruption(tab.page.dialogs.opened, tab.page.crashed, grace=RELEASE_SECONDS):
            return await work
    except Interrupted as interrupted:
        if interrupted.index == 1:
            raise PageCrashed("The page crashed: ", tab.url) from None
        dialog = tab.page.dialogs.latest
        message = ("The page opened a dialog before there was a result: ", dialog.told)
        raise DialogOpen(*message, hint=MAY_BE_DONE if acts else None, retryable=not acts) from None


async def unless_crashed(tab: Tab, work: Awaitable[R]) -> R:
    """Return the result of `work`. Raises PageCrashed if the page crashes, since it would never answer."""
    try:
        with Interruption(tab.page.crashed):
            return await work
    except Interrupted:
        raise PageCrashed("The page crashed: ", tab.url) from None
