"""Limiting headers of requests and responses before they are logged, and masking secrets before they are shown."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rove.pattern import pattern

MOST = 60
LONGEST_VALUE = 1000
MASK = "***"
# Headers whose value would let its reader act as the user. The agent is shown that they were sent, and no value.
_SECRET = pattern(r"auth|cookie|token|secret|session|password|passwd|credential|signature|api-?key|csrf|xsrf", re.I)
_HARMLESS = frozenset({"www-authenticate", "proxy-authenticate", ":authority"})


def limit_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return at most `MOST` headers with values cut to `LONGEST_VALUE` characters, to bound memory."""
    return {name: value[:LONGEST_VALUE] for name, value in list(headers.items())[:MOST]}


def mask_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Replace the values that would let their reader act as the user."""
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
