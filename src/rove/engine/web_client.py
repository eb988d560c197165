"""What a session keeps for reading addresses: the HTTP client, its cache, its cookies, rules of robots.txt."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

from rove.browser.engines import load_engine
from rove.browser.failures import BrowserError
from rove.engine.run_request import SessionView, WebCall
from rove.settings.tree import Settings

if TYPE_CHECKING:
    from rove.browser.shared.context import Context
    from rove.content.http.client import HttpCache, HttpClient, HttpReader
    from rove.content.http.cookies import Cookie
    from rove.content.http.robots import Robots
    from rove.engine.web_reading import WebReading

# The languages that Chromium asks for by itself.
LANGUAGES = "en-US,en;q=0.9"


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
        from rove.content.http.cookies import merged

        return merged(self._saved(), self._waiting)

    async def add(self, cookies: Sequence[Cookie]) -> None:
        """Keep cookies that a server has set; one that has expired deletes an earlier one."""
        if not cookies:
            return
        context = self._find_context()
        if context is not None:
            await _give(context, cookies)
            return
        from rove.content.http.cookies import merged

        self._waiting = merged(self._waiting, cookies)

    async def give_to(self, context: Context) -> None:
        """Set the cookies that servers have set while there was no browser context."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            await _give(context, waiting)


async def _give(context: Context, cookies: Sequence[Cookie]) -> None:
    from rove.content.http.cookies import is_expired

    now = time.time()
    # A moment in the past deletes a cookie; 0 would be taken for none.
    await context.cookies.add([{**each, "expires": 1} if is_expired(each, now) else each for each in cookies])


class SessionWeb:
    """Opens the web for the calls of one session. Nothing is imported or made before the first call."""

    def __init__(
        self,
        session: SessionView,
        context: Callable[[], Context | None],
        saved_cookies: Callable[[], Sequence[Cookie]],
        has_profile: bool,
    ) -> None:
        """`has_profile`: the session's cookies are in the files of a browser, which alone can read them."""
        self._session = session
        self._find_context = context
        self.has_profile = has_profile
        self.cookies = SessionCookies(context, saved_cookies)
        self._client: HttpClient | None = None

    @property
    def robots(self) -> Robots:
        return self._robots

    @cached_property
    def _robots(self) -> Robots:
        from rove.content.http.robots import Robots

        return Robots()

    @cached_property
    def _cache(self) -> HttpCache | None:
        from rove.content.http.client import HttpCache

        megabytes = self._session.settings.fetching.cache_megabytes
        return HttpCache(megabytes * 2**20) if megabytes else None

    def for_call(self, call: WebCall) -> WebReading:
        """Return the web as one call sees it."""
        from rove.engine.web_reading import WebReading

        return WebReading(self._session, self, call)

    async def reader(self) -> HttpReader:
        """Return what reads addresses over HTTP, once the session's proxy accepts requests."""
        from rove.content.http.client import HttpClient, HttpReader

        proxy, ready = self._session.network.open()
        await ready
        if self._client is None:
            self._client = HttpClient(proxy)
        return HttpReader(self._client, self.cookies, self._cache)

    async def headers(self) -> dict[str, str]:
        """Return the headers by which servers know the session's browser."""
        context = self._find_context()
        if context is None:
            settings = self._session.settings
            return {"User-Agent": await asyncio.to_thread(_user_agent, settings), "Accept-Language": LANGUAGES}
        locale = context.overrides.emulation.locale
        return {"User-Agent": await context.user_agent(), "Accept-Language": locale or LANGUAGES}

    @property
    def is_offline(self) -> bool:
        """Whether the session was taken offline."""
        context = self._find_context()
        return context is not None and context.shared_state.is_offline

    @property
    def has_credentials(self) -> bool:
        """Whether the session has passwords for servers that ask for one."""
        context = self._find_context()
        return context is not None and bool(context.overrides.credentials)

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()


@cache
def _user_agent(settings: Settings) -> str:
    """Return the user agent of the browser that the settings choose. To ask its version takes a tenth of a second."""
    return load_engine(settings.engine).user_agent(settings)
