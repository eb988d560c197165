"""Limiting and masking the headers of requests and responses, so that they can be stored and shown."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rove.validation.pattern import pattern

MAX_HEADERS = 60
MAX_VALUE_LENGTH = 1000
MASK = "***"
# A reader of such a value could act as the user, so only the name of the header is shown.
_SECRET = pattern(r"auth|cookie|token|secret|session|password|passwd|credential|signature|api-?key|csrf|xsrf", re.I)
_HARMLESS = frozenset({"www-authenticate", "proxy-authenticate", ":authority"})


def truncate_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the first headers, with long values cut, so that a page cannot fill memory."""
    return {name: value[:MAX_VALUE_LENGTH] for name, value in list(headers.items())[:MAX_HEADERS]}


def mask_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers with a mask in place of credentials, cookies and tokens."""
    return {name: _mask(name.lower(), value) for name, value in headers.items()}


def _mask(name: str, value: str) -> str:
    if name in _HARMLESS or not _SECRET.search(name):
        return value
    if name == "cookie":
        return "; ".join(_mask_cookie(cookie) for cookie in value.split(";"))
    if name == "set-cookie":
        return "\n".join(_mask_set_cookie(line) for line in value.split("\n"))
    scheme, blank, _ = value.partition(" ")
    return f"{scheme} {MASK}" if name.endswith("authorization") and blank else MASK


def _mask_set_cookie(line: str) -> str:
    cookie, semicolon, attributes = line.partition(";")
    return _mask_cookie(cookie) + semicolon + attributes


def _mask_cookie(cookie: str) -> str:
    return f"{cookie.partition('=')[0].strip()}={MASK}"
