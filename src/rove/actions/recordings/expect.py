"""Expectations: that the page shows a text, is at an address, or has so many elements."""

from __future__ import annotations

import asyncio
import contextlib
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, ClassVar

from rove.action import Effect, TabAction, Target, action, arg
from rove.errors import ElementNotFound, ExpectationFailed, InvalidArguments
from rove.outcome import Own, Result
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.browser.shared.tab import Tab

LOOK_AGAIN = 0.25


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
