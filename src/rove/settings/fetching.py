"""Settings of `web_fetch`."""

from __future__ import annotations

from typing import Annotated

from rove.validation.fields import FieldRule, Validated, arg
from rove.validation.record import dataclass

Seconds = Annotated[float, FieldRule(gt=0)]


@dataclass(frozen=True)
class Fetching(Validated):
    seconds: Seconds = arg("Seconds that web_fetch may wait for an answer over HTTP, redirects included.", default=15)
    silence: Seconds = arg("Seconds without a byte from the server after which web_fetch gives up.", default=8)
    megabytes: int = arg("Most of one answer that web_fetch reads, unpacked; the rest is left out.", default=20, ge=1)
    cache_megabytes: int = arg(
        "Most that each session keeps of answers over HTTP that may be used again; 0 keeps none.", default=32, ge=0
    )
    robots: bool = arg("Let web_fetch read only what a site's robots.txt allows.", default=False)
