"""One address followed to its answer: redirects one by one, each checked, with cookies and the session's cache."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from rove.fetching.http.address import canonical
from rove.fetching.http.answer import HttpAnswer, HttpFailure
from rove.fetching.http.cache import HttpCache, Stored
from rove.fetching.http.charset import text_of
from rove.fetching.http.client import HttpClient, RequestLimits
from rove.fetching.http.cookies import Cookie, accepted_cookies, cookie_header, not_overwriting, site_of
from rove.fetching.page_facts import page_facts

MOST_REDIRECTS = 10
# A page that leads elsewhere within so many seconds, and has so little text, is a redirect.
SOON = 5.0
LITTLE_TEXT = 400
# Raises if the address may not be read.
Check = Callable[[str], Awaitable[None]]


class TooManyRedirects(Exception):
    """An address that leads from one to another. `hops`: those that were followed."""

    def __init__(self, url: str, hops: Sequence[str]) -> None:
        super().__init__(url)
        self.url = url
        self.hops = tuple(hops)


class CookieStore(Protocol):
    """The cookies of a session."""

    async def all(self) -> Sequence[Cookie]: ...
    async def add(self, cookies: Sequence[Cookie], /) -> None:
        """Keep cookies that a server has set; one that has expired deletes an earlier one."""


class HttpReader:
    """Reads addresses over HTTP with the cookies and the cache of one session."""

    def __init__(self, client: HttpClient, cookies: CookieStore, cache: HttpCache | None) -> None:
        self._client = client
        self._cookies = cookies
        self._cache = cache

    async def read(self, url: str, headers: Mapping[str, str], limits: RequestLimits, check: Check) -> HttpAnswer:
        """Return the answer at an address, after redirects. `check` is asked before each request.

        Raises HttpFailure, TooManyRedirects and what `check` raises.
        """
        hops: list[str] = []
        deadline = time.monotonic() + limits.seconds
        while True:
            await check(url)
            left = replace(limits, seconds=max(deadline - time.monotonic(), 0.001))
            answer = await self._ask(url, headers, left, _is_cross_site([*hops, url]))
            # In a thread, as a long page takes a while.
            following = await asyncio.to_thread(_following, answer)
            if following is None:
                return replace(answer, hops=tuple(hops))
            hops.append(url)
            if len(hops) > MOST_REDIRECTS:
                raise TooManyRedirects(url, hops)
            url = following

    async def _ask(
        self, url: str, headers: Mapping[str, str], limits: RequestLimits, is_cross_site: bool
    ) -> HttpAnswer:
        cookie = cookie_header(await self._cookies.all(), url, is_cross_site, time.time())
        sent = {**headers, **({"Cookie": cookie} if cookie else {})}
        stored = self._cache.find(url, sent) if self._cache is not None else None
        if stored is not None and stored.is_fresh(now := time.time()):
            return replace(stored.answer, age=stored.age(now))
        asked = time.time()
        answer = await self._client.get(url, {**sent, **(stored.validators if stored else {})}, limits)
        if accepted := accepted_cookies(answer.headers.all("set-cookie"), url, time.time()):
            await self._cookies.add(not_overwriting(accepted, await self._cookies.all(), url))
        return self._remembered(answer, stored, sent, asked)

    def _remembered(
        self, answer: HttpAnswer, stored: Stored | None, sent: Mapping[str, str], asked: float
    ) -> HttpAnswer:
        """Store an answer for later, or return the stored one that the server says is still right."""
        if self._cache is None:
            return answer
        if answer.status == 304 and stored is not None:
            renewed = self._cache.renew(stored, answer, sent, asked)
            return replace(renewed, age=stored.age(time.time()), is_revalidated=True)
        self._cache.keep(answer, sent, asked)
        return answer


def _following(answer: HttpAnswer) -> str | None:
    """Return the address that an answer leads to; None if it is the end."""
    if answer.location is not None:
        return _resolved(answer.url, answer.location)
    if not answer.media_type.endswith("html") or b"http-equiv" not in answer.body[:50_000].lower():
        return None
    facts = page_facts(text_of(answer), answer.url)
    if facts.refresh is None or len(facts.text) > LITTLE_TEXT or facts.has_scripts:
        return None
    seconds, address = facts.refresh
    is_elsewhere = address.partition("#")[0] != answer.url.partition("#")[0]
    return _resolved(answer.url, address) if seconds <= SOON and is_elsewhere else None


def _resolved(base: str, address: str) -> str:
    """Return an address in full, as a browser reads it. Raises HttpFailure if it is not one."""
    resolved = canonical(address, base)
    if resolved is None:
        raise HttpFailure("malformed", base, "invalid redirect")
    return resolved


def _is_cross_site(chain: Sequence[str]) -> bool:
    return len({site_of(url) for url in chain}) > 1 if len(chain) > 1 else False
