"""robots.txt (RFC 9309): whether a site lets programs read an address."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rove.content.http.answer import HttpAnswer, HttpFailure, status_text
from rove.proxy_headers import FAILURE_HEADER
from rove.records import dataclass

if TYPE_CHECKING:
    from protego import Protego

# The name that rules for rove are looked up by. Without such rules, those for all programs hold.
NAME = "rove"
# RFC 9309: rules are used for at most a day, and of a file at least half a megabyte is read.
KEEP_SECONDS = 86_400.0
# Rules that could not be read are asked for again soon.
KEEP_FAILURE_SECONDS = 60.0
MOST_BYTES = 512 * 1024
MOST_SITES = 200
Fetch = Callable[[str], Awaitable[HttpAnswer]]


@dataclass(frozen=True)
class Rules:
    """The rules of one site; None where there is no file. `failure`: why they could not be read."""

    read: float
    parsed: Protego | None = None
    failure: str = ""

    def is_usable(self) -> bool:
        """Whether they need not be read again."""
        return time.monotonic() - self.read < (KEEP_FAILURE_SECONDS if self.failure else KEEP_SECONDS)


@dataclass(frozen=True)
class RobotsRefusal:
    """Why an address is not read: its site does not let rove, or, with `failure`, its rules could not be read."""

    failure: str = ""


class Robots:
    """The rules of sites, each read once."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Rules] = OrderedDict()

    async def refusal(self, url: str, fetch: Fetch) -> RobotsRefusal | None:
        """Return why an address may not be read; None if it may. `fetch` reads the rules of its site."""
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}"
        rules = self._known.get(site)
        if rules is None or not rules.is_usable():
            rules = self._known[site] = await _read(f"{site}/robots.txt", fetch)
            if len(self._known) > MOST_SITES:
                self._known.popitem(last=False)
        if rules.failure:
            return RobotsRefusal(rules.failure)
        return None if rules.parsed is None or rules.parsed.can_fetch(url, NAME) else RobotsRefusal()


async def _read(address: str, fetch: Fetch) -> Rules:
    """Read the rules of a site. Those that cannot be read forbid all; a site that has no such file forbids nothing."""
    from protego import Protego

    now = time.monotonic()
    try:
        answer = await fetch(address)
    except HttpFailure:
        return Rules(now, failure="no answer")
    if answer.headers.get(FAILURE_HEADER):
        return Rules(now, failure="no answer")  # the proxy answers for a server that does not
    if answer.missing:
        return Rules(now, failure="an incomplete answer")
    if answer.status != 200:
        is_none = 400 <= answer.status < 500 and answer.status != 429
        return Rules(now, failure="" if is_none else status_text(answer.status))
    return Rules(now, Protego.parse(answer.body[:MOST_BYTES].decode("utf-8-sig", "replace")))
