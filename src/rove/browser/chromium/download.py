"""Downloading from the servers of Chrome for Testing: continuing what was interrupted, checking the whole.

This uses the standard library's client: it supports proxies, needs no further package, and is fast enough for one file.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import http.client
import io
import json
import re
import shutil
import socket
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rove.errors import BrowserUnavailable, unwritable
from rove.records import dataclass

if TYPE_CHECKING:
    from rove.browser.browser import Meter

# Seconds to wait for a connection, and for the next bytes on one.
SOCKET_TIMEOUT = 20.0
# Seconds to wait for all headers of a response, which a server may send a byte at a time.
HEADERS_TIMEOUT = 30.0
OTHER_WAYS = "set ROVE_BROWSER_MIRROR to another address of the same files, or ROVE_BROWSER to the path of a Chromium"
CHUNK_BYTES = 2**18
# A download with fewer bytes than this in each interval of so many seconds is too slow: it would take hours.
MIN_BYTES_PER_INTERVAL, SPEED_INTERVAL = 2**18, 60.0
# Requests in a row that may end without a new byte.
MAX_REQUESTS_WITHOUT_PROGRESS = 3
MAX_LIST_BYTES = 2**26
# Size of an unpacked archive relative to the archive, to check the free disk space.
UNPACKED_RATIO = 3
RETRY_HINT = "Run `rove install` again: it continues the download where it stopped."


class DownloadUnavailable(BrowserUnavailable):
    """Chrome for Testing has no build for this platform, or its server cannot be reached.

    A server that answers wrongly, an invalid certificate, a wrong hash and a damaged archive are not among these: the
    caller has to see them, so no other browser may be installed in their place.
    """


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


@dataclass(frozen=True)
class Record:
    """The metadata of a partial download, kept in a file beside it."""

    url: str
    # The ETag or Last-Modified for If-Range, so that the server sends the rest only if the file has not changed.
    validator: str | None
    length: int | None
    md5: str | None


def read_json(url: str) -> Any:
    """Request a list of versions and return its content."""
    try:
        with request(url, {"Accept-Encoding": "gzip"}) as response:
            data = response.read(MAX_LIST_BYTES)
            is_gzip = response.headers.get("Content-Encoding") == "gzip"
            return json.loads(_gunzip(data) if is_gzip else data)
    except urllib.error.HTTPError as error:
        raise status_error(url, error) from error
    except (OSError, http.client.HTTPException) as error:
        raise connection_error(url, error) from error
    except (ValueError, zlib.error) as error:
        raise BrowserUnavailable(
            f"{url} is not JSON.", hint="Check ROVE_BROWSER_MIRROR, if it is set; a proxy may have answered instead."
        ) from error


def _gunzip(data: bytes) -> bytes:
    return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, MAX_LIST_BYTES)


def download(url: str, partial: Path, meter: Meter) -> None:
    """Download a URL to a path, continuing the partial file that an earlier call has left there.

    An OSError is raised for the file alone; failures of the connection are raised as BrowserUnavailable.
    """
    left = MAX_REQUESTS_WITHOUT_PROGRESS
    while True:
        before = _size(partial)
        try:
            record = _request_rest(url, partial, meter)
            break
        except ConnectionInterrupted as error:
            left = MAX_REQUESTS_WITHOUT_PROGRESS if _size(partial) > before else left - 1
            if not left:
                raise BrowserUnavailable(f"The download of {url} was cut off: {error}.", hint=RETRY_HINT) from error
    _check(partial, record)


def discard(partial: Path) -> None:
    """Remove a partial download and its record."""
    for path in (partial, _record_path(partial)):
        path.unlink(missing_ok=True)


def _request_rest(url: str, partial: Path, meter: Meter) -> Record:
    """Make one request for the bytes that are missing, and append them to the file."""
    record, have = _read_record(url, partial), _size(partial)
    if record is not None and record.length == have:
        return record
    headers = {"Range": f"bytes={have}-", "If-Range": record.validator} if record and record.validator and have else {}
    try:
        with request(url, headers) as response:
            return _write_response(url, partial, response, record, meter)
    except urllib.error.HTTPError as error:
        if headers and error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            discard(partial)
            raise ConnectionInterrupted("the partial file does not match the server's file") from error
        raise status_error(url, error) from error


def _write_response(
    url: str, partial: Path, response: http.client.HTTPResponse, record: Record | None, meter: Meter
) -> Record:
    if response.status == http.client.PARTIAL_CONTENT and record is not None:
        if _range(response) != (_size(partial), record.length):
            discard(partial)
            raise ConnectionInterrupted("the server sent another range than the requested one")
    else:
        record = _start_over(url, partial, response)
    _copy(response, partial, record.length, meter)
    return record


def _start_over(url: str, partial: Path, response: http.client.HTTPResponse) -> Record:
    """Empty the file, and write the record with which a later request can continue it."""
    length = response.headers.get("Content-Length")
    record = Record(url, _validator(response), int(length) if length and length.isdigit() else None, _md5(response))
    _require_space(partial.parent, record.length or 0)
    partial.write_bytes(b"")
    _record_path(partial).write_text(json.dumps(asdict(record)), "utf-8")
    return record


def _copy(response: http.client.HTTPResponse, partial: Path, length: int | None, meter: Meter) -> None:
    have = interval_bytes = _size(partial)
    interval_start = time.monotonic()
    with partial.open("ab") as file:
        while length is None or have < length:
            chunk = _read(response)
            if not chunk:
                break
            file.write(chunk)
            file.flush()
            have += len(chunk)
            meter(have, length)
            if time.monotonic() - interval_start > SPEED_INTERVAL:
                _require_speed(have - interval_bytes)
                interval_start, interval_bytes = time.monotonic(), have
    if length is not None and have != length:
        raise ConnectionInterrupted(f"{have} of {length} bytes arrived")


def _read(response: http.client.HTTPResponse) -> bytes:
    """Return the next bytes. Only here is an OSError one of the connection; all others are of the file."""
    try:
        return response.read1(CHUNK_BYTES)
    except (OSError, http.client.HTTPException) as error:
        raise ConnectionInterrupted(str(error) or type(error).__name__) from error


def _require_speed(gained: int) -> None:
    if gained < MIN_BYTES_PER_INTERVAL:
        message = f"The download is too slow: {gained} bytes in {SPEED_INTERVAL:.0f} s."
        raise BrowserUnavailable(message, hint=RETRY_HINT)


def _require_space(folder: Path, length: int) -> None:
    needed, free = length * (1 + UNPACKED_RATIO), shutil.disk_usage(folder).free
    if needed > free:
        raise OSError(errno.ENOSPC, f"{needed // 2**20} MB are needed and {free // 2**20} MB are free")


def write_error(folder: Path, error: OSError) -> BrowserUnavailable:
    """Return the error for a file that could not be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return BrowserUnavailable(
            f"There is no room in {folder}: {error.strerror}.",
            hint="Free some space, or set ROVE_HOME to a folder with more; then run `rove install` again.",
        )
    return unwritable(folder, error)


def _check(partial: Path, record: Record) -> None:
    if record.md5 is None or _digest(partial) == record.md5:
        return
    discard(partial)
    raise BrowserUnavailable(
        f"The hash of the file from {record.url} is not the one that its server sent with it.",
        hint="Run `rove install` again. If that does not help, a proxy or the mirror changes the file.",
    )


def _digest(partial: Path) -> str:
    with partial.open("rb") as file:
        digest = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False))
    return base64.b64encode(digest.digest()).decode()


def _md5(response: http.client.HTTPResponse) -> str | None:
    """Return the MD5 hash that Google's storage sends with a file: `x-goog-hash: crc32c=...,md5=...`."""
    hashes = ",".join(response.headers.get_all("x-goog-hash", []))
    found = re.search(r"(?:^|,)\s*md5=([A-Za-z0-9+/=]+)", hashes)
    return found[1] if found else None


def _validator(response: http.client.HTTPResponse) -> str | None:
    etag: str | None = response.headers.get("ETag")
    if etag is not None and not etag.startswith("W/"):
        return etag
    modified: str | None = response.headers.get("Last-Modified")
    return modified


def _range(response: http.client.HTTPResponse) -> tuple[int, int] | None:
    """Return the first byte of a partial response and the length of the whole file."""
    found = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", response.headers.get("Content-Range", ""))
    return (int(found[1]), int(found[2])) if found else None


def _read_record(url: str, partial: Path) -> Record | None:
    """Return the record that an earlier call has written, if it is for the same URL."""
    try:
        record = Record(**json.loads(_record_path(partial).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None  # missing or written in part: the download starts over
    return record if record.url == url else None


def _record_path(partial: Path) -> Path:
    return partial.with_name(f"{partial.name}.json")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
