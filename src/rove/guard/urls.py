"""What an address is, before anything is sent to it."""

from __future__ import annotations

import re

# Whatever is not one of these never touches a proxy, so nothing else could stop it.
WEB_SCHEMES = frozenset({"http", "https"})

# As the URL standard reads it: browsers drop tabs and newlines anywhere and controls at the start.
_IGNORED = re.compile(r"[\t\n\r]")
_LEADING = re.compile(r"^[\x00-\x20]+")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")


def scheme_of(url: str) -> str | None:
    """The scheme that a browser would read in it, in lower case; None when there is none."""
    match = _SCHEME.match(_IGNORED.sub("", _LEADING.sub("", url)))
    return match[1].lower() if match else None
