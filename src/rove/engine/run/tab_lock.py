"""A tab's turn: one action at a time, none held up for ever by another or by a dialog."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from typing import TypeVar

from rove.action import Effect
from rove.browser.tab import Tab
from rove.errors import DeadlineExceeded, DialogOpen, PageCrashed
from rove.outcome import origin_in
from rove.tasks import Interrupted, race

R = TypeVar("R")
# Seconds that input has to end by itself once a dialog is open.
RELEASE_SECONDS = 0.3


class TabLock:
    """A tab's lock, waited for no longer than the call may take."""

    def __init__(self, tab: Tab, deadline: float, effect: Effect) -> None:
        self._tab = tab
        self._deadline = deadline
        self._effect = effect

    async def __aenter__(self) -> None:
        try:
            async with asyncio.timeout(max(self._deadline - time.monotonic(), 0)):
                await self._tab.lock.acquire()
        except TimeoutError:
            raise DeadlineExceeded(
                f"{self._tab.id} was busy with another call all the time.",
                hint="Wait for that call, or use another tab.",
            ) from None
        self._tab.begin_action(self._deadline, self._effect in (Effect.ACT, Effect.SCRIPT))

    async def __aexit__(self, *_: object) -> None:
        self._tab.end_action()
        self._tab.lock.release()


async def unless_dialog(tab: Tab, work: Awaitable[R]) -> R:
    """Do the work, unless a dialog opens that it would wait for."""
    try:
        # Input stops by itself when a dialog opens; only what needs an answer of the page does not.
        return await race(unless_crashed(tab, work), tab.page.dialogs.wait_until_open(), grace=RELEASE_SECONDS)
    except Interrupted as interrupted:
        error = DialogOpen(f"The page opened its {interrupted.result} before there was a result.")
        error.origin = origin_in(tab.url)
        raise error from None


async def unless_crashed(tab: Tab, work: Awaitable[R]) -> R:
    """Do the work, unless the page crashes, after which it would never answer."""
    try:
        return await race(work, tab.page.wait_for_crash())
    except Interrupted:
        raise PageCrashed(f"The page crashed: {tab.url}") from None
