"""Waiting for a text, an element, an address, a load state or a time, and expecting the page to be so."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, ClassVar, Literal

from rove.action import Effect, TabAction, Target, action, arg
from rove.advice import close_lines
from rove.errors import DeadlineExceeded, ElementNotFound, ExpectationFailed, InvalidArguments, ScriptFailed
from rove.outcome import Result
from rove.page_text import Own
from rove.records import dataclass
from rove.snapshot.budget import clipped
from rove.snapshot.tree import DIALOGS, HEADING, MESSAGES, REF_PLACE, UNSEEN, Row, role_of

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

LOOK_AGAIN = 0.25
# Seconds before the call's deadline at which to stop, so that the error can still say what was missing.
GIVING_UP = 0.8
# Seconds for a last look at the page, to say what it shows instead.
LOOK_AT_END = 1.0
MOST_COMPARED = 500
MOST_LINES = 3
LONGEST_LINE = 100


@dataclass(frozen=True)
class Waited(Result):
    seconds: float

    def __str__(self) -> str:
        return f"Waited {self.seconds:g} s."


@action(Effect.READ, observes=True, recorded=True)
class Wait(TabAction[Waited]):
    """Wait until all that is given holds."""

    text: str | None = arg("Text that appears.", default=None)
    gone: str | None = arg("Text that disappears.", default=None)
    selector: str | None = arg("CSS selector that becomes visible.", default=None)
    url: str | None = arg("Part of the URL, or a pattern with *.", default=None)
    load: Literal["DOMContentLoaded", "load"] | None = arg("Load state.", default=None)
    navigation: bool = arg("Another page than before the last act.", default=False, rare=True)
    seconds: float | None = arg("A time, if nothing else is given; else the most to wait.", default=None, gt=0, le=60)

    @property
    def takes(self) -> float:
        return self.seconds or 0.0

    async def perform(self, tab: Tab) -> Waited:
        began = time.monotonic()
        if not any((self.text, self.gone, self.selector, self.url, self.load, self.navigation)):
            if self.seconds is None:
                raise InvalidArguments(
                    "Say what to wait for.", hint="Give `text`, `gone`, `selector`, `url`, `load` or `seconds`."
                )
            await asyncio.sleep(self.seconds)
        else:
            longest = tab.page.time.left - min(GIVING_UP, tab.page.time.left / 4)
            await self._until(tab, min(self.seconds or longest, longest))
            tab.page.load_state.mark_seen()
        return Waited(round(time.monotonic() - began, 3))

    async def _until(self, tab: Tab, seconds: float) -> None:
        missing: tuple[str, ...] = ("the page did not answer",)
        try:
            async with asyncio.timeout(seconds):
                while missing := await self._missing(tab):
                    await tab.wait_for_change(LOOK_AGAIN)
        except TimeoutError:
            seen = await self._seen_instead(tab)
            # What was asked for, not what is left of it for waiting: some of the time goes into the answer.
            asked = min(self.seconds or tab.page.time.allowed, tab.page.time.allowed)
            raise DeadlineExceeded(f"Timed out after {asked:g} s: ", *missing, ".", *seen) from None

    async def _missing(self, tab: Tab) -> tuple[str, ...]:
        """Return what is not there yet, as parts of a message; nothing if all is there."""
        if self.navigation and not (load_state := tab.page.load_state).has_navigated:
            return ("no other page was loaded" if not load_state.is_navigating else "the next page did not load",)
        if self.load and not tab.page.load_state.has_reached(self.load):
            return (f"the page did not reach {self.load}",)
        url = tab.url.around(tab.redact(tab.url))  # a wait must not tell what a secret in the URL begins with
        if self.url and not (fnmatchcase(url, self.url) or ("*" not in self.url and self.url in url)):
            return (f"the URL did not come to match {self.url}; it is ", url)
        if self.text and not await tab.shows_text(self.text):
            return (f"the text {self.text!r} did not appear",)
        if self.gone and await tab.shows_text(self.gone):
            return (f"the text {self.gone!r} did not disappear",)
        if self.selector and not await tab.shows_selector(self.selector):
            return (f"{self.selector} did not become visible",)
        return ()

    async def _seen_instead(self, tab: Tab) -> tuple[str, ...]:
        """Return what the page shows instead, as parts of a message, as far as it answers at once."""
        try:
            async with asyncio.timeout(min(LOOK_AT_END, tab.page.time.left / 4)):
                if self.gone and await tab.shows_text(self.gone):
                    return await self._where(tab, self.gone)
                shown = _telling_lines((await tab.observer.take_snapshot()).rows, self.text)
        except (TimeoutError, ScriptFailed):
            return ()  # the page is busy or is being replaced
        return (" The page shows: ", tab.url.around("; ".join(shown)), ".") if shown else ()

    async def _where(self, tab: Tab, text: str) -> tuple[str, ...]:
        _, found = await tab.find({"text": text}, 1)
        return (" It is in ", found[0]["line"], ".") if found else ()


def _telling_lines(rows: Sequence[Row], text: str | None) -> list[str]:
    """Return the lines of a page that say most about a wait in vain: what is like the text, messages, headings."""
    seen = [row for row in rows if not row.flags & UNSEEN and not row.origin]
    like = close_lines(text, [row.line for row in seen[:MOST_COMPARED]]) if text else []
    said = [row.line for role in (DIALOGS | MESSAGES, {HEADING}) for row in seen if role_of(row) in role]
    lines = dict.fromkeys(line.replace(REF_PLACE, "") for line in (*like, *said))
    return [clipped(line, LONGEST_LINE) for line in list(lines)[:MOST_LINES]]


@dataclass(frozen=True)
class Expected(Result):
    """What held, in the words of the caller."""

    held: tuple[Own, ...]

    def __str__(self) -> str:
        return f"As expected: {'; '.join(self.held)}."


@action(Effect.READ, group="recordings", recorded=True)
class Expect(TabAction[Expected]):
    """Fail unless all that is given holds, or comes to hold in time. Recordings have it as an assertion."""

    # An assertion that is made to fit a page asserts nothing.
    finds_again: ClassVar[bool] = False

    text: str | None = arg("Text that the page shows.", default=None)
    gone: str | None = arg("Text that it does not show.", default=None)
    url: str | None = arg("Part of the URL, or a pattern with *.", default=None)
    target: Target | None = arg("Element that is there; with `count`, so many of them.", default=None)
    count: int | None = arg("How many elements the target means; 0 for none.", default=None, ge=0)
    seconds: float = arg("Most seconds to wait for it.", default=5, ge=0, le=60)

    @property
    def takes(self) -> float:
        return self.seconds

    def complete(self) -> None:
        """Refuse an expectation of nothing."""
        if self.count is not None and self.target is None:
            raise InvalidArguments("`target` is missing: say what to count.")
        if not any((self.text, self.gone, self.url, self.target)):
            raise InvalidArguments("Say what to expect: text, gone, url or target.")

    async def perform(self, tab: Tab) -> Expected:
        missing: tuple[str, ...] = ("the page did not answer",)
        try:
            async with asyncio.timeout(max(self.seconds, LOOK_AGAIN)):
                while missing := await self._missing(tab):
                    await tab.wait_for_change(LOOK_AGAIN)
        except TimeoutError:
            raise ExpectationFailed("Not as expected: ", *missing, ".") from None
        return Expected(tuple(map(Own, self._words())))

    def _words(self) -> list[str]:
        told = [f"the text {self.text!r}" if self.text else "", f"no text {self.gone!r}" if self.gone else ""]
        told.append(f"the URL {self.url}" if self.url else "")
        if self.target:
            told.append(self.target if self.count is None else f"{self.count} × {self.target}")
        return [each for each in told if each]

    async def _missing(self, tab: Tab) -> tuple[str, ...]:
        """Return what does not hold, as parts of a message; nothing if all does."""
        url = tab.url.around(tab.redact(tab.url))  # an expectation must not tell what a secret in the URL begins with
        if self.url and not (fnmatchcase(url, self.url) or ("*" not in self.url and self.url in url)):
            return (f"the URL does not match {self.url}; it is ", url)
        if self.text and not await tab.shows_text(self.text):
            return (f"the text {self.text!r} is not shown",)
        if self.gone and await tab.shows_text(self.gone):
            return (f"the text {self.gone!r} is shown",)
        return await self._miscounted(tab) if self.target else ()

    async def _miscounted(self, tab: Tab) -> tuple[str, ...]:
        found = 0
        with contextlib.suppress(ElementNotFound):  # that is none
            found = len(await tab.resolve_all(self.target or "", wait=False))
        if self.count is None:
            return () if found else (f"there is no {self.target}",)
        return () if found == self.count else (f"there are {found} of {self.target}, not {self.count}",)
