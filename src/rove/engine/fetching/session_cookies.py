"""The cookies of a session, for requests over HTTP: those of its browser, also while it has none open."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rove.browser.failures import BrowserError

if TYPE_CHECKING:
    from rove.browser.shared.context import Context
    from rove.fetching.http.cookies import Cookie


class SessionCookies:
    """Reads cookies from the browser and sets them there.

    While no browser context is open, what servers set is kept here and given to the next context.
    `saved`: the cookies that the next context will be opened with.
    """

    def __init__(self, context: Callable[[], Context | None], saved: Callable[[], Sequence[Cookie]]) -> None:
        self._find_context = context
        self._saved = saved
        self._waiting: list[Cookie] = []

    async def all(self) -> Sequence[Cookie]:
        context = self._find_context()
        if context is not None:
            try:
                return await context.cookies.all()
            except BrowserError:
                pass  # the browser has just died: its cookies are as they were last saved
        from rove.fetching.http.cookies import merged

        return merged(self._saved(), self._waiting)

    async def add(self, cookies: Sequence[Cookie]) -> None:
        """Keep cookies that a server has set; one that has expired deletes an earlier one."""
        if not cookies:
            return
        context = self._find_context()
        if context is not None:
            await _give(context, cookies)
            return
        from rove.fetching.http.cookies import merged

        self._waiting = merged(self._waiting, cookies)

    async def give_to(self, context: Context) -> None:
        """Set the cookies that servers have set while there was no browser context."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            await _give(context, waiting)


async def _give(context: Context, cookies: Sequence[Cookie]) -> None:
    from rove.fetching.http.cookies import is_expired

    now = time.time()
    # A moment in the past deletes a cookie; 0 would be taken for none.
    await context.cookies.add([{**each, "expires": 1} if is_expired(each, now) else each for each in cookies])
