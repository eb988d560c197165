"""Which cookies and origins a browser accepts. A state with one that it refuses could never be restored."""

from __future__ import annotations

import re
from typing import Any

# Characters that end a cookie or break its line. Chromium accepts tabs, and no half of a surrogate pair.
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_HOST = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9A-Fa-f:.]{{2,45}}\])"
_DOMAIN = re.compile(rf"\.?{_HOST}")
_ORIGIN = re.compile(rf"https?://({_HOST})(?::[0-9]{{1,5}})?")
LONGEST_HOST = 253
# Limits of Chromium, in bytes.
LONGEST_PAIR = 4096
LONGEST_PATH = 1024
LATEST_EXPIRY = 1e15


def is_cookie_domain(text: str) -> bool:
    """Whether a text is a host name or an IP address, perhaps with a dot before it, as a cookie names its host."""
    return len(text) <= LONGEST_HOST + 1 and _DOMAIN.fullmatch(text) is not None


def is_web_origin(text: str) -> bool:
    """Whether a text is the origin of http or https pages, such as https://example.com:8443."""
    match = _ORIGIN.fullmatch(text) if len(text) <= LONGEST_HOST + 20 else None
    return match is not None and len(match[1]) <= LONGEST_HOST


def name_complaint(name: str) -> str | None:
    """Return why a browser refuses the name of a cookie; None if it accepts it."""
    return "must not contain `=`" if "=" in name else _text_complaint(name)


def value_complaint(value: str) -> str | None:
    """Return why a browser refuses the value of a cookie; None if it accepts it."""
    return _text_complaint(value)


def path_complaint(path: str) -> str | None:
    """Return why a browser refuses the path of a cookie; None if it accepts it."""
    if not path.startswith("/"):
        return "must begin with `/`"
    if len(path.encode("utf-8", "replace")) > LONGEST_PATH:
        return f"must not be longer than {LONGEST_PATH} bytes"
    return _text_complaint(path)


def cookie_complaint(cookie: dict[str, Any]) -> tuple[str, str] | None:
    """Return the field of a cookie that a browser refuses, and why; None if it accepts them all.

    The fields have the names and types of Playwright's storage state, and optional ones may be missing.
    """
    name, value, path = cookie["name"], cookie["value"], cookie.get("path", "/")
    found = {
        "name": name_complaint(name) or _prefix_complaint(name, cookie, path),
        "value": value_complaint(value) or _pair_complaint(name, value),
        "domain": None if is_cookie_domain(cookie["domain"]) else "must be a host name",
        "path": path_complaint(path),
        "expires": _expiry_complaint(cookie.get("expires", -1)),
        "partitionKey": _partition_complaint(cookie.get("partitionKey")),
    }
    return next(((field, why) for field, why in found.items() if why), None)


def _text_complaint(text: str) -> str | None:
    if ";" in text or _CONTROL.search(text):
        return "must not contain `;`, line breaks or other control characters"
    return "must not begin or end with a space" if text != text.strip(" \t") else None


def _pair_complaint(name: str, value: str) -> str | None:
    if not name and (not value or "=" in value):
        return "must not be empty or contain `=`, as the cookie has no name"
    is_long = len((name + value).encode("utf-8", "replace")) > LONGEST_PAIR
    return f"must not be longer than {LONGEST_PAIR} bytes, together with the name" if is_long else None


def _expiry_complaint(expires: float) -> str | None:
    return None if -1 <= expires <= LATEST_EXPIRY else "must be a time in seconds, or -1"


def _partition_complaint(site: str | None) -> str | None:
    return None if not site or is_web_origin(site) else "must be a site such as https://example.com"


def _prefix_complaint(name: str, cookie: dict[str, Any], path: str) -> str | None:
    """Browsers demand attributes of cookies whose names begin with `__Secure-` and `__Host-`."""
    lower = name.lower()
    is_host = lower.startswith("__host-")
    if (is_host or lower.startswith("__secure-")) and not cookie.get("secure"):
        return "has a prefix that needs `secure`"
    is_narrow = path == "/" and not cookie["domain"].startswith(".")
    return (
        None if not is_host or is_narrow else "has a prefix that needs the path / and a domain without a dot before it"
    )
