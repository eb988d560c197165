"""One GET over HTTP/1.1 or HTTP/2, through the proxy of a session. Redirects and cookies are for the caller."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING

from rove.fetching.http.address import request_url
from rove.fetching.http.answer import FailureKind, HttpAnswer, HttpFailure, lower_case
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from httpx2 import AsyncHTTPTransport, Response

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
ENCODINGS = "gzip, deflate, br, zstd"
# Connections that are kept open for the next request.
KEPT_CONNECTIONS = 8
KEEP_SECONDS = 20.0


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
        try:
            async with asyncio.timeout(limits.seconds):
                return await _send(transport, url, headers, limits)
        except TimeoutError:
            raise HttpFailure("timeout", url, f"{limits.seconds:g} s") from None

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
    transport: AsyncHTTPTransport, url: str, headers: Mapping[str, str], limits: RequestLimits
) -> HttpAnswer:
    import httpx2

    # Each character of a header stands for a byte, as in those of answers.
    named = {"Accept": ACCEPT, "Accept-Encoding": ENCODINGS, **headers}
    given = [(name.encode("ascii"), value.encode("latin-1", "replace")) for name, value in named.items()]
    timeout = dict.fromkeys(("connect", "read", "write", "pool"), limits.silence)
    request = httpx2.Request("GET", request_url(url), headers=given, extensions={"timeout": timeout})
    try:
        response = await transport.handle_async_request(request)
        response.request = request
        try:
            async with contextlib.aclosing(response.aiter_bytes()) as parts:
                body, is_cut = await _read(parts, limits.bytes)
        finally:
            await response.aclose()
    except httpx2.TimeoutException as error:
        raise HttpFailure("timeout", url, f"{limits.silence:g} s") from error
    except (httpx2.TransportError, httpx2.DecodingError) as error:
        raise HttpFailure(_kind(error), url, _reason(error)) from error
    return HttpAnswer(url, response.status_code, lower_case(response.headers.raw), body, is_cut, _version(response))


async def _read(parts: AsyncIterator[bytes], most: int) -> tuple[bytes, bool]:
    """Return the first bytes of a body, as unpacked, and whether there are more. Parts are at most a megabyte."""
    body = bytearray()
    async for part in parts:
        body += part
        if len(body) > most:
            return bytes(body[:most]), True
    return bytes(body), False


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
