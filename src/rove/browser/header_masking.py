"""Limiting headers of requests and responses before they are logged, and masking secrets before they are shown."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rove.pattern import pattern

MAX_HEADERS = 60
MAX_VALUE_LENGTH = 1000
MASK = "***"
# Headers whose value would let its reader act as the user. The agent is shown that they were sent, and no value.
_SECRET_NAME = pattern(
    r"auth|cookie|token|secret|session|password|passwd|credential|signature|api-?key|csrf|xsrf", re.I
)
_NOT_SECRET = frozenset({"www-authenticate", "proxy-authenticate", ":authority"})


def limit_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return at most `MAX_HEADERS` headers with values cut to `MAX_VALUE_LENGTH` characters, to bound memory."""
    return {name: value[:MAX_VALUE_LENGTH] for name, value in list(headers.items())[:MAX_HEADERS]}


def mask_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Replace the values that would let their reader act as the user."""
    return {name: _mask(name.lower(), value) for name, value in headers.items()}


def _mask(name: str, value: str) -> str:
    if name in _NOT_SECRET or not _SECRET_NAME.search(name):
        return value
    if name == "cookie":
        return "; ".join(_mask_cookie(part) for part in value.split(";"))
    if name == "set-cookie":
        return "\n".join(_mask_set_cookie(line) for line in value.split("\n"))
    scheme, blank, _ = value.partition(" ")
    return f"{scheme} {MASK}" if name.endswith("authorization") and blank else MASK


def _mask_set_cookie(line: str) -> str:
    first, semicolon, attributes = line.partition(";")
    return _mask_cookie(first) + semicolon + attributes


def _mask_cookie(cookie: str) -> str:
    return f"{cookie.partition('=')[0].strip()}={MASK}"
