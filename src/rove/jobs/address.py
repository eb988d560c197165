"""An address of the input: what it is, which host it is on, and what tells it from others."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from hashlib import blake2b
from typing import Any

from rove.jobs.worker import PageTask
from rove.target import web_address
from rove.validation.pattern import pattern
from rove.validation.record import dataclass

_LOOPBACK = pattern(r"(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])(:\d+)?", re.IGNORECASE)
_NOT_IN_NAMES = pattern(r"[^A-Za-z0-9]+")
LONGEST_NAME = 80


@dataclass(frozen=True)
class Address:
    """An address as it was given, and as browsers write it; `fields`: the rest of its line in the input.

    `host` has the port, unless that is the usual one; it is empty for a text that is no address.
    """

    url: str
    href: str
    host: str
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])
    is_valid: bool = True

    @classmethod
    def of(cls, url: str, fields: Mapping[str, Any] | None = None) -> Address:
        from ada_url import URL  # imported when the first address is read

        try:
            parsed = URL("" if url.startswith("{") else web_address(url))
        except ValueError:
            return cls(url, url, "", fields or {}, is_valid=False)
        return cls(url, parsed.href, parsed.host, fields or {})

    @property
    def key(self) -> bytes:
        """A digest that all spellings of one address share."""
        return blake2b(self.href.encode("utf-8", "surrogatepass"), digest_size=16).digest()

    @property
    def task(self) -> PageTask:
        words = _NOT_IN_NAMES.sub("-", self.href.partition("://")[2] or self.href).strip("-")
        return PageTask(self.href, self.host, f"{words[:LONGEST_NAME]}-{self.key.hex()[:8]}")


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, going by its name."""
    return _LOOPBACK.fullmatch(host) is not None
