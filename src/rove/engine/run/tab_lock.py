"""A tab's turn: one action at a time, none held up for ever by another or by a dialog."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from typing import Any, TypeVar

from rove.action import Effect
from rove.chromium.page.tab import Tab
from rove.errors import DeadlineExceeded, DialogOpen, PageCrashed
from rove.outcome import origin_in

R = TypeVar("R")
LETTING_GO = 0.3
CLEARING_AWAY = 0.1


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
        self._tab.give(self._deadline)
        self._tab.set_acting(self._effect in (Effect.ACT, Effect.SCRIPT))

    async def __aexit__(self, *_: object) -> None:
        self._tab.give(None)
        self._tab.set_acting(False)
        self._tab.lock.release()


async def unless_dialog(tab: Tab, work: Awaitable[R]) -> R:
    """Do the work, unless a dialog opens that it would wait for."""
    working = asyncio.ensure_future(unless_crashed(tab, work))
    opening = asyncio.ensure_future(tab.dialogs.opening())
    try:
        await asyncio.wait({working, opening}, return_when=asyncio.FIRST_COMPLETED)
        # Hands let go by themselves when a dialog opens; only what needs an answer of the page does not.
        await asyncio.wait({working}, timeout=LETTING_GO)
        if working.done():
            return working.result()
        error = DialogOpen(f"The page opened its {opening.result()} before there was a result.")
        error.origin = origin_in(tab.url)
        raise error
    finally:
        opening.cancel()
        await _given_up(working)


async def unless_crashed(tab: Tab, work: Awaitable[R]) -> R:
    """Do the work, unless the page dies, as nobody would answer any more."""
    working = asyncio.ensure_future(work)
    crashing = asyncio.ensure_future(tab.crashed.wait())
    try:
        await asyncio.wait({working, crashing}, return_when=asyncio.FIRST_COMPLETED)
        if crashing.done() and not working.done():
            raise PageCrashed(f"The page crashed: {tab.url}")
        return await working
    finally:
        crashing.cancel()
        await _given_up(working)


async def _given_up(work: asyncio.Future[Any]) -> None:
    """Break it off, and give it a moment to clear away what it had begun."""
    if not work.done():
        work.cancel()
        await asyncio.wait({work}, timeout=CLEARING_AWAY)
