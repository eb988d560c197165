"""The answer of a server to a request, and the ways in which there is none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import Literal

from rove.validation.record import dataclass

_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
# Why there is no answer.
FailureKind = Literal["timeout", "closed", "malformed", "certificate", "unreachable"]


class HttpFailure(Exception):
    """A request that has no answer. `url`: the address that was asked for last, after redirects."""

    def __init__(self, kind: FailureKind, url: str, reason: str = "") -> None:
        super().__init__(f"{kind}: {url} {reason}")
        self.kind: FailureKind = kind
        self.url = url
        self.reason = reason


@dataclass(frozen=True)
class Headers:
    """The headers of a message, in order. Names are in lower case."""

    fields: tuple[tuple[str, str], ...] = ()

    def get(self, name: str) -> str:
        """Return the values of a header, joined by commas; an empty text if there is none."""
        return ", ".join(self.all(name))

    def all(self, name: str) -> list[str]:
        return [value for known, value in self.fields if known == name]

    def __contains__(self, name: str) -> bool:
        return any(known == name for known, _ in self.fields)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.fields)

    def replaced(self, newer: Headers) -> Headers:
        """Return the headers with those that `newer` has too replaced by it."""
        names = {name for name, _ in newer}
        return Headers((*((name, value) for name, value in self if name not in names), *newer))


@dataclass(frozen=True)
class HttpAnswer:
    """What a server answered, unpacked. `is_cut`: this is not all of it; `missing`: why the rest did not arrive.

    `age`: seconds since the server, or a cache, gave it, if it comes from the session's cache; `is_revalidated`: the
    server has just said that it has not changed. `hops`: the addresses that redirected to `url`.
    """

    url: str
    status: int
    headers: Headers
    body: bytes
    is_cut: bool = False
    version: str = ""
    age: float | None = None
    is_revalidated: bool = False
    hops: tuple[str, ...] = ()
    missing: str = ""

    @property
    def cache_note(self) -> str:
        """Say, in rove's words, that it comes from the cache; nothing if it does not."""
        if self.age is None:
            return ""
        fresh = "the server says that it has not changed" if self.is_revalidated else "still fresh"
        return f"From the cache, {self.age:.0f} s old; {fresh}."

    @property
    def is_error(self) -> bool:
        return self.status >= 400

    @property
    def media_type(self) -> str:
        """The type that the server names, without parameters, in lower case."""
        return self.headers.get("content-type").partition(";")[0].partition(",")[0].strip().lower()

    @property
    def location(self) -> str | None:
        """Where a redirect leads, as the server writes it; None if it is not one."""
        is_redirect = self.status in (301, 302, 303, 307, 308)
        written = next(iter(self.headers.all("location")), None) if is_redirect else None
        # Browsers escape the bytes that are not ASCII one by one, whatever encoding they are in.
        return _NOT_ASCII.sub(lambda byte: f"%{ord(byte[0]):02X}", written) if written is not None else None


def status_text(status: int) -> str:
    """Return a status with its name: `HTTP 404 (Not Found)`."""
    try:
        return f"HTTP {status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return f"HTTP {status}"


def seconds_to_wait(value: str, now: float) -> float | None:
    """Return the seconds of a `Retry-After` header, which may be a date; None if it names none."""
    if is_number(value.strip()):
        return float(value.strip()[:9])
    moment = moment_of(value)
    return max(moment - now, 0.0) if moment is not None else None


def is_number(value: str) -> bool:
    """Whether a value is a number as headers write it. To `isdigit` alone, `²` is one too."""
    return value.isascii() and value.isdigit()


def moment_of(date: str) -> float | None:
    """Return the time that a date in a header names, in seconds since the epoch; None if it is no date."""
    from email.utils import mktime_tz, parsedate_tz

    try:
        parsed = parsedate_tz(date)
        # Without a zone it is a time of UTC, as all times of HTTP are.
        return float(mktime_tz((*parsed[:9], parsed[9] or 0))) if parsed is not None else None
    except (ValueError, OverflowError, IndexError):
        return None


def lower_case(raw: Sequence[tuple[bytes, bytes]]) -> Headers:
    """Return headers as they came, with names in lower case."""
    return Headers(tuple((name.decode("ascii", "replace").lower(), value.decode("latin-1")) for name, value in raw))
