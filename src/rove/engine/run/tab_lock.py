"""One action at a time per tab, with a bounded wait, and an end to it when a dialog opens or the page crashes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from typing import TYPE_CHECKING, TypeVar

from rove.action import Effect
from rove.errors import DeadlineExceeded, DialogOpen, PageCrashed
from rove.outcome import origin_in
from rove.tasks import Interrupted, race

if TYPE_CHECKING:
    from rove.browser.tab import Tab

R = TypeVar("R")
# Seconds that input has to end by itself once a dialog is open.
RELEASE_SECONDS = 0.3


class TabLock:
    """Locks a tab for one action. Raises DeadlineExceeded if other calls hold it until the deadline."""

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
    """Return the result of `work`. Raises DialogOpen if a dialog opens, since the work would wait for its answer."""
    try:
        # Input ends by itself when a dialog opens. A command that the page has to answer does not.
        return await race(unless_crashed(tab, work), tab.page.dialogs.wait_until_open(), grace=RELEASE_SECONDS)
    except Interrupted as interrupted:
        error = DialogOpen(f"The page opened its {interrupted.result} before there was a result.")
        error.origin = origin_in(tab.url)
        raise error from None


async def unless_crashed(tab: Tab, work: Awaitable[R]) -> R:
    """Return the result of `work`. Raises PageCrashed if the page crashes, since it would never answer."""
    try:
        return await race(work, tab.page.wait_for_crash())
    except Interrupted:
        raise PageCrashed(f"The page crashed: {tab.url}") from None
