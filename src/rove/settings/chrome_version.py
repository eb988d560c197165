"""Which version of Chrome for Testing rove fetches and looks for.

With nothing imported: a server finds its browser before anything else is loaded.
"""

from __future__ import annotations

# The version that rove is tested with. Raised by hand, so that the same rove always fetches the same browser.
PINNED = "158.0.8127.18"
CHANNELS = ("stable", "beta", "dev", "canary")


def is_exact(version: str) -> bool:
    """Tell whether a version is a full number such as 158.0.8127.18."""
    parts = version.split(".")
    return len(parts) == 4 and all(part.isascii() and part.isdigit() and len(part) < 9 for part in parts)


def checked_version(text: str) -> str:
    """Return a version or channel that was set, in lower case; it becomes part of addresses and of folder names."""
    version = text.strip().lower()
    if not is_exact(version) and version not in CHANNELS:
        raise ValueError(f"{text!r} is no version; write one like {PINNED}, or {', '.join(CHANNELS)}")
    return version


def checked_mirror(text: str) -> str:
    """Return the address of a mirror without the slash at its end."""
    address = text.strip().rstrip("/")
    scheme, _, rest = address.partition("://")
    if scheme not in ("http", "https") or not rest or any(mark in rest for mark in "?#@ \t\n"):
        raise ValueError(f"{text!r} is no address; write one like https://mirror.example/chrome-for-testing")
    return address
