"""The cache of one session (RFC 9111): what a server says may be used again, and nothing for longer than it says.

There is no guess at how long an answer without such words stays fresh: it is asked for again, with its validators.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace

from rove.fetching.http.answer import Headers, HttpAnswer, is_number, moment_of
from rove.validation.record import dataclass

STORABLE = frozenset({200, 203, 300, 301, 302, 307, 308, 404, 410})
# Headers of a stored answer that a newer one, which has no body, must not replace (RFC 9111, 3.2).
OF_THE_BODY = ("content-length", "content-encoding", "content-type", "content-range", "transfer-encoding")
MOST_VARIANTS = 4


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
