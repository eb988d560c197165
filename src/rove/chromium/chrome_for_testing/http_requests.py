"""HTTP requests to the servers of Chrome for Testing, and the errors for requests that fail.

This uses the standard library's client: it supports proxies, needs no further package, and is fast enough for one file.
"""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, cast

from rove.chromium.chrome_for_testing.errors import DownloadUnavailable
from rove.errors import BrowserUnavailable

# Seconds to wait for a connection, and for the next bytes on one.
SOCKET_TIMEOUT = 20.0
# Seconds to wait for all headers of a response, which a server may send a byte at a time.
HEADERS_TIMEOUT = 30.0
OTHER_WAYS = "set ROVE_BROWSER_MIRROR to another address of the same files, or ROVE_BROWSER to the path of a Chromium"


class ConnectionInterrupted(Exception):
    """The connection ended before the response was complete; another request may return the rest."""


def request(url: str, headers: dict[str, str]) -> http.client.HTTPResponse:
    """Request a URL, through the proxy of the environment if one is set, and return the response.

    Raises HTTPError for a status other than success, and BrowserUnavailable if there is no response.
    """
    opener = urllib.request.build_opener(_HTTPHandler, _HTTPSHandler, _NoDowngrade)
    try:
        return cast(
            http.client.HTTPResponse, opener.open(urllib.request.Request(url, headers=headers), timeout=SOCKET_TIMEOUT)
        )
    except urllib.error.HTTPError:
        raise
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise connection_error(url, error) from error


class _DeadlineStream(io.RawIOBase):
    """A socket's stream that raises TimeoutError if it is read after `deadline`."""

    def __init__(self, raw: socket.SocketIO) -> None:
        self._raw = raw
        self.deadline: float | None = time.monotonic() + HEADERS_TIMEOUT

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise TimeoutError
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    """A response whose headers must all arrive within `HEADERS_TIMEOUT`."""

    def __init__(self, sock: socket.socket, *rest: Any, **named: Any) -> None:
        super().__init__(sock, *rest, **named)
        self._stream = _DeadlineStream(cast(socket.SocketIO, self.fp.detach()))
        self.fp = io.BufferedReader(self._stream)

    def begin(self) -> None:
        super().begin()
        self._stream.deadline = None


class _HTTPConnection(http.client.HTTPConnection):
    response_class = _Response


class _HTTPSConnection(http.client.HTTPSConnection):
    response_class = _Response


class _HTTPHandler(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_HTTPConnection, req)


class _HTTPSHandler(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_HTTPSConnection, req)


class _NoDowngrade(urllib.request.HTTPRedirectHandler):
    """Refuses redirects from https to http, where the network could change the program that is fetched."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        if req.type == "https" and not newurl.startswith("https://"):
            raise http.client.HTTPException("it redirects to an address that is not encrypted")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def status_error(url: str, error: urllib.error.HTTPError) -> BrowserUnavailable:
    """Return the error for a status other than success."""
    if error.code in (403, 404):
        return BrowserUnavailable(
            f"{url} was not found (HTTP status {error.code}).",
            hint="Check ROVE_BROWSER_VERSION, which may be left unset, and ROVE_BROWSER_MIRROR, if they are set; "
            f"or {OTHER_WAYS}.",
        )
    if error.code == 407:
        return BrowserUnavailable(
            f"The proxy {_proxy(url) or ''} requires a name and a password (HTTP status 407).",
            hint="Set HTTPS_PROXY to http://NAME:PASSWORD@HOST:PORT.",
        )
    return BrowserUnavailable(
        f"{url} returned HTTP status {error.code}.", hint=f"Run `rove install` again later, or {OTHER_WAYS}."
    )


def connection_error(url: str, error: Exception) -> BrowserUnavailable:
    """Return the error for a request without a complete response.

    It is a DownloadUnavailable only if the server could not be reached.
    """
    host, cause, reason = urllib.parse.urlsplit(url).netloc, getattr(error, "reason", error), _reason(error)
    if isinstance(cause, ssl.SSLCertVerificationError):
        return BrowserUnavailable(
            f"The certificate of {host} is not valid: {reason}.",
            hint="If a proxy of your network decrypts connections, set SSL_CERT_FILE to that proxy's certificates.",
        )
    if isinstance(cause, OSError) and not isinstance(cause, ssl.SSLError):
        return _unreachable(url, host, reason)
    return BrowserUnavailable(
        f"{host} sent no valid response: {reason}.", hint=f"Check the proxy, if there is one; or {OTHER_WAYS}."
    )


def _unreachable(url: str, host: str, reason: str) -> DownloadUnavailable:
    if (proxy := _proxy(url)) is not None:
        return DownloadUnavailable(
            f"{host} cannot be reached through the proxy {proxy}: {reason}.",
            hint=f"Correct HTTPS_PROXY, or name the host in NO_PROXY; or {OTHER_WAYS}.",
        )
    return DownloadUnavailable(
        f"{host} cannot be reached: {reason}.", hint=f"Set HTTPS_PROXY if this machine needs a proxy; or {OTHER_WAYS}."
    )


def _reason(error: Exception) -> str:
    cause = getattr(error, "reason", error)
    if isinstance(cause, TimeoutError):
        return "it does not answer in time"
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return str(cause) or type(cause).__name__


def _proxy(url: str) -> str | None:
    """Return the host and port of the proxy for a URL, without its password; None if there is no proxy."""
    parts = urllib.parse.urlsplit(url)
    proxy = urllib.request.getproxies().get(parts.scheme)
    if proxy is None or urllib.request.proxy_bypass(parts.hostname or ""):
        return None
    return urllib.parse.urlsplit(proxy if "://" in proxy else f"http://{proxy}").netloc.rpartition("@")[2]
