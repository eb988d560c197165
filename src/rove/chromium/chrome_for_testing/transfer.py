"""A download that goes on where an earlier one was cut off, and that is checked when it is complete."""

from __future__ import annotations

import base64
import errno
import hashlib
import http.client
import json
import re
import shutil
import time
import urllib.error
import zlib
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from rove.chromium.chrome_for_testing.connection import ConnectionInterrupted, refused, request, unreachable
from rove.errors import BrowserUnavailable, unwritable
from rove.validation.record import dataclass

# Told how many bytes are there and how many there will be, if that is known.
Meter = Callable[[int, int | None], None]
CHUNK = 2**18
# A download that brings less than this in each so many seconds would take days.
SLOWEST, WINDOW = 2**18, 60.0
# Requests in a row that may bring nothing new.
FRUITLESS = 3
LARGEST_LIST = 2**26
# What an archive needs beside itself when it is unpacked.
UNPACKED = 3
RETRY = "Run `rove install` again: what is there already is not fetched a second time."


@dataclass(frozen=True)
class Record:
    """What is known of a download while only a part of it is there."""

    url: str
    # The ETag or Last-Modified that a server needs to tell whether the rest still belongs to this part.
    validator: str | None
    length: int | None
    md5: str | None


def read_json(url: str) -> Any:
    """Fetch a list of versions."""
    try:
        with request(url, {"Accept-Encoding": "gzip"}) as response:
            data = response.read(LARGEST_LIST)
            packed = response.headers.get("Content-Encoding") == "gzip"
            return json.loads(_unpacked(data) if packed else data)
    except urllib.error.HTTPError as error:
        raise refused(url, error) from error
    except (OSError, http.client.HTTPException) as error:
        raise unreachable(url, error) from error
    except (ValueError, zlib.error) as error:
        raise BrowserUnavailable(
            f"{url} is no JSON.", hint="Check ROVE_BROWSER_MIRROR, if it is set; a proxy may have answered instead."
        ) from error


def _unpacked(data: bytes) -> bytes:
    return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, LARGEST_LIST)


def download(url: str, partial: Path, meter: Meter) -> None:
    """Bring the file at an address to a path, going on from the part that an earlier call has left there."""
    left = FRUITLESS
    while True:
        before = _size(partial)
        try:
            record = _continued(url, partial, meter)
            break
        except ConnectionInterrupted as error:
            left = FRUITLESS if _size(partial) > before else left - 1
            if not left:
                raise BrowserUnavailable(f"The download of {url} was cut off: {error}.", hint=RETRY) from error
    _check(partial, record)


def discard(partial: Path) -> None:
    """Remove a download and what is known of it."""
    for path in (partial, _record_path(partial)):
        path.unlink(missing_ok=True)


def _continued(url: str, partial: Path, meter: Meter) -> Record:
    """Make one request for what is missing, and write what it brings."""
    record, have = _known(url, partial), _size(partial)
    if record is not None and record.length == have:
        return record
    headers = {"Range": f"bytes={have}-", "If-Range": record.validator} if record and record.validator and have else {}
    try:
        with request(url, headers) as response:
            return _received(url, partial, response, record, meter)
    except urllib.error.HTTPError as error:
        if headers and error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            discard(partial)
            raise ConnectionInterrupted("the part that was there did not fit") from error
        raise refused(url, error) from error
    except (OSError, http.client.HTTPException) as error:
        raise ConnectionInterrupted(str(error) or type(error).__name__) from error


def _received(
    url: str, partial: Path, response: http.client.HTTPResponse, record: Record | None, meter: Meter
) -> Record:
    if response.status == http.client.PARTIAL_CONTENT and record is not None:
        if _range(response) != (_size(partial), record.length):
            discard(partial)
            raise ConnectionInterrupted("the server sent another part than it was asked for")
    else:
        record = _begun(url, partial, response)
    _copy(response, partial, record.length, meter)
    return record


def _begun(url: str, partial: Path, response: http.client.HTTPResponse) -> Record:
    """Start over with an empty file, and write down what the rest can be asked for with."""
    length = response.headers.get("Content-Length")
    record = Record(url, _validator(response), int(length) if length and length.isdigit() else None, _md5(response))
    _require_space(partial.parent, record.length or 0)
    try:
        partial.write_bytes(b"")
        _record_path(partial).write_text(json.dumps(asdict(record)), "utf-8")
    except OSError as error:
        raise unwritten(partial.parent, error) from error
    return record


def _copy(response: http.client.HTTPResponse, partial: Path, length: int | None, meter: Meter) -> None:
    have, window, reached = _size(partial), time.monotonic(), _size(partial)
    with partial.open("ab") as file:
        while length is None or have < length:
            chunk = response.read1(CHUNK)
            if not chunk:
                break
            _write(file, chunk, partial.parent)
            have += len(chunk)
            meter(have, length)
            if time.monotonic() - window > WINDOW:
                _require_speed(have - reached)
                window, reached = time.monotonic(), have
    if length is not None and have != length:
        raise ConnectionInterrupted(f"{have} of {length} bytes arrived")


def _write(file: BinaryIO, chunk: bytes, folder: Path) -> None:
    try:
        file.write(chunk)
        file.flush()
    except OSError as error:
        raise unwritten(folder, error) from error


def _require_speed(gained: int) -> None:
    if gained < SLOWEST:
        raise BrowserUnavailable(f"The download is too slow: {gained} bytes in {WINDOW:.0f} s.", hint=RETRY)


def _require_space(folder: Path, length: int) -> None:
    needed, free = length * (1 + UNPACKED), shutil.disk_usage(folder).free
    if needed > free:
        raise unwritten(folder, OSError(errno.ENOSPC, f"{needed // 2**20} MB are needed and {free // 2**20} MB free"))


def unwritten(folder: Path, error: OSError) -> BrowserUnavailable:
    """Say that a file could not be written, and what mends it."""
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
        f"What arrived from {record.url} is not what its server says it sent: the hash differs.",
        hint="Run `rove install` again. If that does not help, a proxy or mirror in between changes the file.",
    )


def _digest(partial: Path) -> str:
    with partial.open("rb") as file:
        made = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False))
    return base64.b64encode(made.digest()).decode()


def _md5(response: http.client.HTTPResponse) -> str | None:
    """The hash that Google's storage gives with each file: `x-goog-hash: crc32c=...,md5=...`."""
    said = ",".join(response.headers.get_all("x-goog-hash", []))
    found = re.search(r"(?:^|,)\s*md5=([A-Za-z0-9+/=]+)", said)
    return found[1] if found else None


def _validator(response: http.client.HTTPResponse) -> str | None:
    etag: str | None = response.headers.get("ETag")
    if etag is not None and not etag.startswith("W/"):
        return etag
    modified: str | None = response.headers.get("Last-Modified")
    return modified


def _range(response: http.client.HTTPResponse) -> tuple[int, int] | None:
    """Where the part that a response carries begins, and the length of the whole."""
    found = re.fullmatch(r"bytes (\d+)-\d+/(\d+)", response.headers.get("Content-Range", ""))
    return (int(found[1]), int(found[2])) if found else None


def _known(url: str, partial: Path) -> Record | None:
    """What an earlier call wrote down, if it was for the same address."""
    try:
        record = Record(**json.loads(_record_path(partial).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None  # there is none, or its writing was broken off: the download starts over
    return record if record.url == url else None


def _record_path(partial: Path) -> Path:
    return partial.with_name(f"{partial.name}.json")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
