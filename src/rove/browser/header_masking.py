"""Headers of requests and responses, fit to be kept and to be shown."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rove.pattern import pattern

MOST = 60
LONGEST_VALUE = 1000
MASK = "***"
# Whoever has one of these can act as the user: that they were sent is worth knowing, what they say is not.
_SECRET = pattern(r"auth|cookie|token|secret|session|password|passwd|credential|signature|api-?key|csrf|xsrf", re.I)
_HARMLESS = frozenset({"www-authenticate", "proxy-authenticate", ":authority"})


def kept(headers: Mapping[str, str]) -> dict[str, str]:
    """As much of them as is worth its memory."""
    return {name: value[:LONGEST_VALUE] for name, value in list(headers.items())[:MOST]}


def masked(headers: Mapping[str, str]) -> dict[str, str]:
    """Without what would let its reader act as the user."""
    return {name: _masked(name.lower(), value) for name, value in headers.items()}


def _masked(name: str, value: str) -> str:
    if name in _HARMLESS or not _SECRET.search(name):
        return value
    if name == "cookie":
        return "; ".join(_named(part) for part in value.split(";"))
    if name == "set-cookie":
        return "\n".join(_set_cookie(line) for line in value.split("\n"))
    scheme, blank, _ = value.partition(" ")
    return f"{scheme} {MASK}" if name.endswith("authorization") and blank else MASK


def _set_cookie(line: str) -> str:
    first, semicolon, attributes = line.partition(";")
    return _named(first) + semicolon + attributes


def _named(cookie: str) -> str:
    return f"{cookie.partition('=')[0].strip()}={MASK}"
