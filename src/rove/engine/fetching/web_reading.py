"""The web as one call reads it: over HTTP first, then in the browser where that does not do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeVar

from rove.browser.failures import host_and_port, navigation_error
from rove.engine.fetching.browser_page import BrowserReading, ShownPage
from rove.engine.fetching.http_errors import failure_error, http_error, robots_error, status_error
from rove.engine.fetching.redirect_check import RedirectCheck
from rove.engine.run.session_view import SessionView, WebCall
from rove.errors import Blocked, RoveError
from rove.fetching.document import WebDocument
from rove.fetching.http.address import canonical
from rove.fetching.http.answer import HttpAnswer, HttpFailure, status_text
from rove.fetching.http.client import RequestLimits
from rove.fetching.http.redirects import HttpReader, TooManyRedirects
from rove.fetching.http.robots import Robots
from rove.fetching.signs.escalation import Escalation, find_escalation
from rove.fetching.web_access import BrowserUse
from rove.guard.wrapping.invisible import count_invisible
from rove.proxy_headers import FAILURE_HEADER, REFUSED_HEADER
from rove.settings.tree import Settings

T = TypeVar("T")
# What the proxy tells of a server that took the request and closed the connection.
HUNG_UP = frozenset({"reset", "empty", "short"})
AS_ASKED = Escalation("as asked")
CLOSED = Escalation("the server closed the connection without an answer, as some do to programs")


class Web(Protocol):
    """What a session keeps for all calls."""

    @property
    def has_profile(self) -> bool: ...
    @property
    def robots(self) -> Robots: ...
    async def reader(self) -> HttpReader: ...
    async def headers(self) -> dict[str, str]: ...
    @property
    def is_offline(self) -> bool: ...
    @property
    def has_credentials(self) -> bool: ...


class WebReading:
    """Reads addresses within the deadline, the guard and the policy of one call."""

    def __init__(self, session: SessionView, web: Web, call: WebCall) -> None:
        self._session = session
        self._web = web
        self._call = call
        self._check = RedirectCheck(session, call)

    @property
    def settings(self) -> Settings:
        return self._session.settings

    def count_invisible(self, text: str) -> int:
        return count_invisible(text)

    async def read(self, url: str, browser: BrowserUse) -> WebDocument:
        """Return what is at an address, after redirects. Raises RoveError."""
        # Once for all that follows: other spellings of an address are read differently by different parsers.
        return await self._read(canonical(url) or url, browser)

    async def _read(self, url: str, browser: BrowserUse) -> WebDocument:
        await self._check(url)
        if self._web.is_offline:
            raise navigation_error("net::ERR_INTERNET_DISCONNECTED", url)
        if browser == "always":
            return await self._read_in_browser(url, AS_ASKED)
        if self._web.has_profile and not self._session.has_pages:
            await self._call.open_context()  # the session's cookies are in the profile
        answer, escalation = await self._read_over_http(url)
        if escalation is not None and browser == "auto":
            return await self._read_in_browser(answer.url if answer else url, escalation)
        assert answer is not None or escalation is not None
        if answer is None:
            raise failure_error(HttpFailure("closed", url))
        if escalation is not None and escalation.wall:
            raise _blocked(answer.url, answer.status, escalation.wall, "Allow the browser with `browser` auto.")
        if answer.is_error:
            raise await asyncio.to_thread(status_error, answer)
        self._call.entry.url = answer.url
        unused = escalation.reason if escalation is not None else ""
        return WebDocument(answer.url, answer.status, answer, hops=answer.hops, unused=unused)

    async def _read_over_http(self, url: str) -> tuple[HttpAnswer | None, Escalation | None]:
        """Return the answer over HTTP, and why the browser should be asked instead, if it should."""
        began = time.monotonic()
        try:
            answer = await self._get(url)
        except TooManyRedirects as loop:
            raise navigation_error("net::ERR_TOO_MANY_REDIRECTS", loop.url, loop.hops) from loop
        except HttpFailure as failure:
            network = self._session.network
            if failure.kind == "closed" and network.proxy_end(began) is None:
                return None, CLOSED
            network.raise_failure(failure.url, began)
            raise failure_error(failure) from failure
        if answer.headers.get(FAILURE_HEADER.lower()) in HUNG_UP:
            return None, CLOSED
        # The proxy answers for a server that it does not connect to.
        if answer.headers.get(REFUSED_HEADER.lower()) or answer.headers.get(FAILURE_HEADER.lower()):
            self._session.network.raise_failure(answer.url, began)
        escalation = await asyncio.to_thread(find_escalation, answer)
        if escalation is None and answer.status == 401 and self._web.has_credentials:
            escalation = Escalation("the server asks for a password, which the session has")
        return answer, escalation

    async def _get(self, url: str) -> HttpAnswer:
        reader, headers = await self._web.reader(), await self._web.headers()
        check = self._check_with_robots(reader, headers) if self.settings.fetching.robots else self._check
        return await self._within(reader.read(url, headers, self._limits(), check))

    def _check_with_robots(self, reader: HttpReader, headers: Mapping[str, str]) -> Callable[[str], Awaitable[None]]:
        async def check(url: str) -> None:
            await self._check(url)
            await self._refuse_by_robots(url, reader, headers)

        return check

    async def _refuse_by_robots(self, url: str, reader: HttpReader, headers: Mapping[str, str]) -> None:
        async def fetch(address: str) -> HttpAnswer:
            return await reader.read(address, headers, self._limits(), self._check)

        refusal = await self._web.robots.refusal(url, fetch)
        if refusal is not None:
            raise robots_error(url, refusal)

    async def _read_in_browser(self, url: str, escalation: Escalation) -> WebDocument:
        self._call.report(f"Reading with the browser: {escalation.reason}...")
        await self._check_in_browser(url)
        context = await self._call.open_context()
        session = self._session
        reading = BrowserReading(context, session.network, session.secrets, self._call.deadline)
        try:
            shown = await reading.read(url)
            await self._check_in_browser(shown.url)
            self._refuse_wall(shown)
        except RoveError as error:
            error.notice = error.notice or f"Tried with the browser: {escalation.reason}."
            raise
        self._call.entry.url = shown.url
        return WebDocument(shown.url, shown.status, shown.file, shown.source, escalation.reason, file=shown.path)

    async def _check_in_browser(self, url: str) -> None:
        """Raise if an address may not be read: the one to open, and the one that a script has led to."""
        await self._check(url)
        if self.settings.fetching.robots:
            await self._refuse_by_robots(url, await self._web.reader(), await self._web.headers())

    def _refuse_wall(self, shown: ShownPage) -> None:
        """Raise if what the browser shows is still not the page: a check for robots, or an error."""
        if shown.wall is not None:
            hint = (
                "Ask a person to pass it with {handoff}, in a tab at this address; then call again. Do not repeat it."
            )
            raise _blocked(shown.url, shown.status, shown.wall, hint)
        if shown.status >= 400:
            raise http_error(shown.url, shown.status)

    def _limits(self) -> RequestLimits:
        fetching = self.settings.fetching
        # A part that has arrived by then is still to be read within the time of the call.
        left = max((self._call.deadline.moment - time.monotonic()) * 0.9, 0.01)
        return RequestLimits(fetching.megabytes * 2**20, min(fetching.seconds, left), min(fetching.silence, left))

    async def _within(self, work: Awaitable[T]) -> T:
        return await self._call.deadline.limit(work)


def _blocked(url: str, status: int, wall: str, hint: str) -> Blocked:
    said = f"{host_and_port(url)} shows a check for robots instead of the page: {wall} ({status_text(status)})."
    error = Blocked(said, hint=hint)
    error.status = status
    return error
