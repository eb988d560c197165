"""One action at a time per tab, with a bounded wait, and an end to it when a dialog opens or the page crashes."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable
from typing import TYPE_CHECKING, TypeVar

from rove.action import Effect
from rove.errors import DeadlineExceeded, DialogOpen, PageCrashed
from rove.tasks import Interrupted, Interruption

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab
    from rove.engine.run.deadline import Deadline

R = TypeVar("R")
# Seconds that input has to end by itself once a dialog is open.
RELEASE_SECONDS = 0.3
MAY_BE_DONE = (
    "Answer it with {dialog}, then look with {snapshot}: it may be done, wholly or in part. "
    "Call again only for what is not."
)
# Seconds that the browser may take to close a dialog once it is dismissed.
DISMISSAL_SECONDS = 0.5


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
