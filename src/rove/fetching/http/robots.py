"""robots.txt (RFC 9309): whether a site lets programs read an address."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rove.fetching.http.answer import HttpAnswer, HttpFailure
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from protego import Protego

# The name that rules for rove are looked up by. Without such rules, those for all programs hold.
NAME = "rove"
# RFC 9309: rules are used for at most a day, and of a file at least half a megabyte is read.
KEEP_SECONDS = 86_400.0
MOST_BYTES = 512 * 1024
MOST_SITES = 200
Fetch = Callable[[str], Awaitable[HttpAnswer]]


@dataclass(frozen=True)
class Rules:
    """The rules of one site. `allows_all` is given where there is no file, or none that could be read."""

    read: float
    parsed: Protego | None
    allows_all: bool


class Robots:
    """The rules of sites, each read once."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Rules] = OrderedDict()

    async def allows(self, url: str, fetch: Fetch) -> bool:
        """Whether the site of an address lets rove read it. `fetch` reads its rules."""
        parts = urlsplit(url)
        site = f"{parts.scheme}://{parts.netloc}"
        rules = self._known.get(site)
        if rules is None or time.monotonic() - rules.read > KEEP_SECONDS:
            rules = self._known[site] = await _read(f"{site}/robots.txt", fetch)
            if len(self._known) > MOST_SITES:
                self._known.popitem(last=False)
        return rules.allows_all if rules.parsed is None else bool(rules.parsed.can_fetch(url, NAME))


async def _read(address: str, fetch: Fetch) -> Rules:
    """Read the rules of a site. A server that fails forbids all; one that has no such file forbids nothing."""
    from protego import Protego

    now = time.monotonic()
    try:
        answer = await fetch(address)
    except HttpFailure:
        return Rules(now, None, allows_all=False)
    if answer.status != 200:
        return Rules(now, None, allows_all=400 <= answer.status < 500 and answer.status != 429)
    return Rules(now, Protego.parse(answer.body[:MOST_BYTES].decode("utf-8", "replace")), allows_all=True)
