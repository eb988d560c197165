"""Waiting: for text, an element, an address, a load state or a time."""

from __future__ import annotations

import asyncio
import time
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Literal

from rove.action import Effect, TabAction, action, arg
from rove.errors import DeadlineExceeded, InvalidArguments
from rove.outcome import Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.tab import Tab

LOOK_AGAIN = 0.25
# Seconds before the call's deadline at which to stop, so that the error can still say what was missing.
GIVING_UP = 0.6


@dataclass(frozen=True)
class Waited(Result):
    seconds: float

    def __str__(self) -> str:
        return f"Waited {self.seconds:g} s."


@action(Effect.READ, observes=True)
class Wait(TabAction[Waited]):
    """Wait until all that is given holds."""

    text: str | None = arg("Text that appears.", default=None)
    gone: str | None = arg("Text that disappears.", default=None)
    selector: str | None = arg("CSS selector that becomes visible.", default=None)
    url: str | None = arg("Part of the URL, or a pattern with *.", default=None)
    load: Literal["DOMContentLoaded", "load"] | None = arg("Load state.", default=None)
    seconds: float | None = arg("A time, if nothing else is given; else the most to wait.", default=None, gt=0, le=60)

    @property
    def takes(self) -> float:
        return self.seconds or 0.0

    async def perform(self, tab: Tab) -> Waited:
        began = time.monotonic()
        if not any((self.text, self.gone, self.selector, self.url, self.load)):
            if self.seconds is None:
                raise InvalidArguments("Say what to wait for: text, gone, selector, url, load or seconds.")
            await asyncio.sleep(self.seconds)
        else:
            longest = tab.page.time.left - min(GIVING_UP, tab.page.time.left / 4)
            await self._until(tab, min(self.seconds or longest, longest))
        return Waited(round(time.monotonic() - began, 3))

    async def _until(self, tab: Tab, seconds: float) -> None:
        missing: str | None = "the page to answer"
        try:
            async with asyncio.timeout(seconds):
                while missing := await self._missing(tab):
                    await tab.wait_for_change(LOOK_AGAIN)
        except TimeoutError:
            # The URL of the page is in the message.
            raise DeadlineExceeded(f"Still waiting for {missing}.", quotes_page=self.url is not None) from None

    async def _missing(self, tab: Tab) -> str | None:
        if self.load and not tab.page.load_state.has_reached(self.load):
            return f"the page to reach {self.load}"
        if self.url and not (fnmatchcase(tab.url, self.url) or ("*" not in self.url and self.url in tab.url)):
            return f"the URL to match {self.url} (it is {tab.url})"
        if self.text and not await tab.shows_text(self.text):
            return f"the text {self.text!r} to appear"
        if self.gone and await tab.shows_text(self.gone):
            return f"the text {self.gone!r} to disappear"
        if self.selector and not await tab.shows_selector(self.selector):
            return f"{self.selector} to become visible"
        return None
