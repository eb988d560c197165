"""Requests to the servers that hold Chrome for Testing, and what their failures mean to a person.

With the standard library's client: it speaks to proxies and needs no further package, and speed does not matter here.
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

from rove.errors import BrowserUnavailable

# Longest wait for a connection, and for the next bytes on one.
SILENCE = 20.0
# Longest wait for the whole head of a response, which a server may send a byte at a time.
HEAD = 30.0
OTHER_WAYS = "set ROVE_BROWSER_MIRROR to another address of the same files, or ROVE_BROWSER to the path of a Chromium"


class ConnectionInterrupted(Exception):
    """The connection ended before the response did; another request may bring the rest."""


def request(url: str, headers: dict[str, str]) -> http.client.HTTPResponse:
    """Open an address through the proxy that the environment names, if it names one, and return what is answered.

    Raises HTTPError for a response that is no success, and BrowserUnavailable if there is none.
    """
    opener = urllib.request.build_opener(_HTTPHandler, _HTTPSHandler, _NoDowngrade)
    try:
        return cast(
            http.client.HTTPResponse, opener.open(urllib.request.Request(url, headers=headers), timeout=SILENCE)
        )
    except urllib.error.HTTPError:
        raise
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise unreachable(url, error) from error


class _Timed(io.RawIOBase):
    """A socket as a stream whose first bytes, a response's head, must all be there in time."""

    def __init__(self, raw: socket.SocketIO) -> None:
        self._raw = raw
        self.ends: float | None = time.monotonic() + HEAD

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        if self.ends is not None and time.monotonic() > self.ends:
            raise TimeoutError
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _Response(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *rest: Any, **named: Any) -> None:
        super().__init__(sock, *rest, **named)
        self._timed = _Timed(cast(socket.SocketIO, self.fp.detach()))
        self.fp = io.BufferedReader(self._timed)

    def begin(self) -> None:
        super().begin()
        self._timed.ends = None


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
    """Follows no redirect from https to http, where anything in between could change the program that is fetched."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        if req.type == "https" and not newurl.startswith("https://"):
            raise http.client.HTTPException("it redirects to an address that is not encrypted")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def refused(url: str, error: urllib.error.HTTPError) -> BrowserUnavailable:
    """Say what a status other than success means, and what mends it."""
    if error.code in (403, 404):
        return BrowserUnavailable(
            f"{url} is not there (HTTP status {error.code}).",
            hint="Check ROVE_BROWSER_VERSION, which may be left unset, and ROVE_BROWSER_MIRROR, if they are set; "
            f"or {OTHER_WAYS}.",
        )
    if error.code == 407:
        return BrowserUnavailable(
            f"The proxy {_proxy(url) or ''} wants a name and a password (HTTP status 407).",
            hint="Set HTTPS_PROXY to http://NAME:PASSWORD@HOST:PORT.",
        )
    return BrowserUnavailable(
        f"{url} was answered with HTTP status {error.code}.", hint=f"Run `rove install` again later, or {OTHER_WAYS}."
    )


def unreachable(url: str, error: Exception) -> BrowserUnavailable:
    """Say why a server did not answer, and what mends it."""
    host, proxy, reason = urllib.parse.urlsplit(url).netloc, _proxy(url), _reason(error)
    if isinstance(getattr(error, "reason", error), ssl.SSLCertVerificationError):
        hint = "Set SSL_CERT_FILE to the certificates that your network uses, if a proxy of its own opens connections."
        return BrowserUnavailable(f"{host} could not prove who it is: {reason}.", hint=hint)
    if proxy is not None:
        return BrowserUnavailable(
            f"{host} cannot be reached through the proxy {proxy}: {reason}.",
            hint=f"Correct HTTPS_PROXY, or name the host in NO_PROXY; or {OTHER_WAYS}.",
        )
    return BrowserUnavailable(
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
    """The host and port of the proxy that an address is reached through, without its password."""
    parts = urllib.parse.urlsplit(url)
    proxy = urllib.request.getproxies().get(parts.scheme)
    if proxy is None or urllib.request.proxy_bypass(parts.hostname or ""):
        return None
    return urllib.parse.urlsplit(proxy if "://" in proxy else f"http://{proxy}").netloc.rpartition("@")[2]
