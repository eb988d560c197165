"""One GET over HTTP/1.1 or HTTP/2 through the proxy of a session, its redirects, and the session's cache.

There is no guess at how long an answer without such words stays fresh: it is asked for again, with its validators.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from rove.content.http.answer import (
    FailureKind,
    Headers,
    HttpAnswer,
    HttpFailure,
    canonical,
    is_number,
    lower_case,
    moment_of,
    request_url,
    text_of,
)
from rove.content.http.browser_needed import page_facts
from rove.content.http.cookies import Cookie, accepted_cookies, cookie_header, not_overwriting, site_of
from rove.records import dataclass

if TYPE_CHECKING:
    from httpx2 import AsyncHTTPTransport, Response

STORABLE = frozenset({200, 203, 300, 301, 302, 307, 308, 404, 410})
# Headers of a stored answer that a newer one, which has no body, must not replace (RFC 9111, 3.2).
OF_THE_BODY = ("content-length", "content-encoding", "content-type", "content-range", "transfer-encoding")
MOST_VARIANTS = 4
ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ENCODINGS = "gzip, deflate, br, zstd"
# Connections that are kept open for the next request.
KEPT_CONNECTIONS = 8
KEEP_SECONDS = 20.0
MOST_REDIRECTS = 10
# A page that leads elsewhere within so many seconds, and has so little text, is a redirect.
SOON = 5.0
LITTLE_TEXT = 400
# Raises if the address may not be read.
Check = Callable[[str], Awaitable[None]]


@dataclass(frozen=True)
class Stored:
    """An answer, the request headers that it depends on, and when it was asked for and received."""

    answer: HttpAnswer
    selecting: tuple[tuple[str, str], ...]
    asked: float
    received: float

    def age(self, now: float) -> float:
        """Return for how many seconds it has existed, here and in caches on its way (RFC 9111, 4.2.3)."""
        date = _moment(self.answer.headers, "date")
        apparent = max(self.received - date, 0.0) if date is not None else 0.0
        told = self.answer.headers.get("age").partition(",")[0].strip()
        corrected = (float(told) if is_number(told) else 0.0) + self.received - self.asked
        return max(apparent, corrected) + now - self.received

    def is_fresh(self, now: float) -> bool:
        return "no-cache" not in directives(self.answer.headers) and self.age(now) < lifetime(self.answer.headers)

    def is_for(self, headers: Mapping[str, str]) -> bool:
        """Whether a request has the headers that the answer depends on."""
        return self.selecting == _selecting(self.answer.headers, headers)

    @property
    def validators(self) -> dict[str, str]:
        """The headers that ask the server whether it has changed."""
        tag, modified = self.answer.headers.get("etag"), self.answer.headers.get("last-modified")
        asked = {"If-None-Match": tag} if tag else {}
        return asked | ({"If-Modified-Since": modified} if modified else {})

    @property
    def size(self) -> int:
        return len(self.answer.body) + sum(len(name) + len(value) for name, value in self.answer.headers) + 500


class HttpCache:
    """Answers by their addresses, the most recently used last. `most`: bytes that it may hold."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._stored: OrderedDict[str, list[Stored]] = OrderedDict()
        self.size = 0

    def find(self, url: str, headers: Mapping[str, str]) -> Stored | None:
        """Return the stored answer to a request, fresh or not."""
        found = next((each for each in self._stored.get(url, ()) if each.is_for(headers)), None)
        if found is not None:
            self._stored.move_to_end(url)
        return found

    def keep(self, answer: HttpAnswer, headers: Mapping[str, str], asked: float) -> None:
        """Store an answer, if it may be stored and would be of any use. What is stored for the request is replaced."""
        stored = Stored(answer, _selecting(answer.headers, headers), asked, time.time())
        self._drop(answer.url, headers)
        if _may_be_stored(answer) and stored.size <= self._most and (stored.validators or lifetime(answer.headers) > 0):
            variants = self._stored.setdefault(answer.url, [])
            variants.append(stored)
            self.size += stored.size
            if len(variants) > MOST_VARIANTS:
                self.size -= variants.pop(0).size
            self._stored.move_to_end(answer.url)
        while self.size > self._most:
            _, oldest = self._stored.popitem(last=False)
            self.size -= sum(each.size for each in oldest)

    def renew(self, stored: Stored, newer: HttpAnswer, headers: Mapping[str, str], asked: float) -> HttpAnswer:
        """Return a stored answer that the server has said is still right (304), and store it with its newer headers."""
        updates = Headers(tuple(field for field in newer.headers if field[0] not in OF_THE_BODY))
        renewed = replace(stored.answer, headers=stored.answer.headers.replaced(updates))
        self.keep(renewed, headers, asked)
        return renewed

    def _drop(self, url: str, headers: Mapping[str, str]) -> None:
        variants = self._stored.get(url, [])
        dropped = [each for each in variants if each.is_for(headers)]
        self.size -= sum(each.size for each in dropped)
        kept = [each for each in variants if each not in dropped]
        if kept:
            self._stored[url] = kept
        else:
            self._stored.pop(url, None)


def directives(headers: Headers) -> dict[str, str]:
    """Return what `Cache-Control` says, with names in lower case."""
    said: dict[str, str] = {}
    for name, _, value in (part.partition("=") for part in headers.get("cache-control").split(",")):
        if name.strip():
            # Of a directive that is there twice the first counts (RFC 9111, 4.2.1).
            said.setdefault(name.strip().lower(), value.strip().strip('"'))
    return said


def lifetime(headers: Headers) -> float:
    """Return for how many seconds an answer stays fresh, as its server says; 0 if it does not say."""
    said = directives(headers)
    if "max-age" in said:
        return float(said["max-age"]) if is_number(said["max-age"]) else 0.0
    if "expires" not in headers:
        return 0.0
    expires, date = _moment(headers, "expires"), _moment(headers, "date")
    return max(expires - (date if date is not None else time.time()), 0.0) if expires is not None else 0.0


def _may_be_stored(answer: HttpAnswer) -> bool:
    """Whether it is complete, its status is understood, and the server does not forbid it."""
    is_whole = answer.status in STORABLE and not answer.is_cut
    return is_whole and "no-store" not in directives(answer.headers) and answer.headers.get("vary").strip() != "*"


def _selecting(answer: Headers, request: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the headers of a request that `Vary` of the answer names."""
    given = {name.lower(): value for name, value in request.items()}
    names = sorted(name.strip().lower() for name in answer.get("vary").split(",") if name.strip())
    return tuple((name, given.get(name, "")) for name in names)


def _moment(headers: Headers, name: str) -> float | None:
    value = headers.get(name)
    return moment_of(value) if value else None


@dataclass(frozen=True)
class RequestLimits:
    """How much and for how long: bytes after unpacking, seconds for the whole, seconds in which nothing arrives."""

    bytes: int
    seconds: float
    silence: float


class HttpClient:
    """Sends requests through one proxy, which resolves, checks and dials every address."""

    def __init__(self, proxy: str) -> None:
        self._proxy = proxy
        self._transport: AsyncHTTPTransport | None = None
        self._opening = asyncio.Lock()

    async def get(self, url: str, headers: Mapping[str, str], limits: RequestLimits) -> HttpAnswer:
        """Return what the server answers to one request. Raises HttpFailure."""
        transport = await self._open()
        arrived = Arrived(url)
        try:
            async with asyncio.timeout(limits.seconds):
                await _send(transport, headers, limits, arrived)
        except TimeoutError:
            allowed = f"{max(round(limits.seconds, 1), 0.1):g} s"
            arrived.stop(f"it took longer than {allowed}", "timeout", allowed)
        return arrived.answer()

    async def close(self) -> None:
        transport, self._transport = self._transport, None
        if transport is not None:
            await transport.aclose()

    async def _open(self) -> AsyncHTTPTransport:
        async with self._opening:
            if self._transport is None:
                # In a thread, as importing the library takes longer than most requests.
                self._transport = await asyncio.to_thread(_transport, self._proxy)
            return self._transport


def _transport(proxy: str) -> AsyncHTTPTransport:
    from httpx2 import AsyncHTTPTransport, Limits

    limits = Limits(max_keepalive_connections=KEPT_CONNECTIONS, keepalive_expiry=KEEP_SECONDS)
    # It trusts the certificates that this machine trusts. Of the environment it reads only where these are.
    return AsyncHTTPTransport(http2=True, limits=limits, proxy=proxy)


async def _send(
    transport: AsyncHTTPTransport, headers: Mapping[str, str], limits: RequestLimits, arrived: Arrived
) -> None:
    """Ask for an address and keep what arrives. Raises HttpFailure if none of the page does."""
    import httpx2

    # Each character of a header stands for a byte, as in those of answers.
    named = {"Accept": ACCEPT, "Accept-Encoding": ENCODINGS, **headers}
    given = [(name.encode("ascii"), value.encode("latin-1", "replace")) for name, value in named.items()]
    timeout = dict.fromkeys(("connect", "read", "write", "pool"), limits.silence)
    request = httpx2.Request("GET", request_url(arrived.url), headers=given, extensions={"timeout": timeout})
    try:
        arrived.response = response = await transport.handle_async_request(request)
        response.request = request
        try:
            async with contextlib.aclosing(response.aiter_bytes()) as parts:
                await arrived.read(parts, limits.bytes)
        finally:
            await response.aclose()
    except httpx2.TimeoutException:
        arrived.stop(f"the server sent nothing more for {limits.silence:g} s", "timeout", f"{limits.silence:g} s")
    except httpx2.DecodingError as error:
        arrived.stop("the rest cannot be decompressed", _kind(error), _reason(error))
    except httpx2.TransportError as error:
        arrived.stop("the server closed the connection before the end", _kind(error), _reason(error))


class Arrived:
    """What has arrived of one answer: all of it, or as much as did before the connection failed."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.response: Response | None = None
        self._body = bytearray()
        self._is_cut = False
        # Why the rest did not arrive.
        self._missing = ""

    async def read(self, parts: AsyncIterator[bytes], most: int) -> None:
        """Keep the first bytes of a body, as unpacked. Parts are at most a megabyte."""
        async for part in parts:
            self._body += part
            if len(self._body) > most:
                del self._body[most:]
                self._is_cut = True
                return
        if self.response is not None and not _is_unpacked(self.response):
            self._missing = "the compressed data has no end"

    def stop(self, missing: str, kind: FailureKind, reason: str) -> None:
        """Keep why the rest is missing. Raises HttpFailure if nothing has arrived."""
        if self.response is None or not self._body:
            raise HttpFailure(kind, self.url, reason) from None
        self._missing = missing

    def answer(self) -> HttpAnswer:
        response = self.response
        assert response is not None
        headers, is_cut = lower_case(response.headers.raw), self._is_cut or bool(self._missing)
        answer = HttpAnswer(self.url, response.status_code, headers, bytes(self._body), is_cut, _version(response))
        return replace(answer, missing=self._missing)


def _is_unpacked(response: Response) -> bool:
    """Whether compressed data came to its end. The library says so for zstd alone."""
    unpacking = getattr(getattr(response, "_decoder", None), "decompressor", None)
    unpacking = getattr(unpacking, "decompressor", unpacking)
    is_finished = getattr(unpacking, "is_finished", None)
    return bool(is_finished() if is_finished is not None else getattr(unpacking, "eof", True))


def _version(response: Response) -> str:
    return bytes(response.extensions.get("http_version", b"")).decode("ascii", "replace")


def _kind(error: Exception) -> FailureKind:
    import httpx2

    if _certificate_error(error) is not None:
        return "certificate"
    if isinstance(error, httpx2.DecodingError):
        return "malformed"
    if isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.WriteError):
        return "closed"
    return "unreachable"


def _reason(error: Exception) -> str:
    """Return why a certificate is refused, as OpenSSL numbers it; for other errors, their words."""
    refused = _certificate_error(error)
    return str(refused.verify_code) if refused is not None else str(error)


def _certificate_error(error: BaseException | None) -> ssl.SSLCertVerificationError | None:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, ssl.SSLCertVerificationError):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None


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
