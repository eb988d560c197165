"""Origins, and patterns of them: what a rule says about where an action happens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

DEFAULT_PORTS = {"http": "80", "https": "443"}
KNOWN = "https://example.com, https://*.example.com, http://localhost:*, example.com (any port) or *"
# No character in a host that a browser would read as the end of it.
_PATTERN = re.compile(
    r"(?:(?P<scheme>https?)://)?(?P<host>\*|(?:\*\.)?[^\s*:/?#@\\\[\]%]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}|\*))?"
)
_ADDRESS = re.compile(r"[\d.]+|\[.*\]")


class Origin(NamedTuple):
    """Scheme, host and port, each in its one canonical spelling."""

    scheme: str
    host: str
    port: str

    def __str__(self) -> str:
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self.host}{port}"


def origin_of(url: str) -> str | None:
    """Where an address leads, as a browser would read it: `https://example.com:8443`. None where that is nowhere."""
    origin = _parsed(url)
    return str(origin) if origin else None


def _parsed(url: str) -> Origin | None:
    from ada_url import URL  # takes a moment to import, and most policies never ask

    try:
        # Of a blob it is the origin that made it; of `data:` and `about:` it is the word null.
        scheme, _, rest = URL(url).origin.partition("://")
    except ValueError:
        return None
    match = re.fullmatch(r"(\[.*\]|[^:]*)(?::(\d+))?", rest)
    if scheme not in DEFAULT_PORTS or match is None:
        return None
    # To the name system, and so to a rule, `example.com.` is the same place, and `example..com` is none.
    host = match[1].removesuffix(".")
    return Origin(scheme, host, match[2] or DEFAULT_PORTS[scheme]) if "" not in host.split(".") else None


@dataclass(frozen=True)
class OriginPattern:
    """One or many origins. A star stands for whole labels in front, for any port or for any host; never for a part."""

    scheme: str | None
    host: str | None
    port: str | None
    is_below: bool

    @classmethod
    def parse(cls, text: str) -> OriginPattern:
        """Read a pattern, or say with a ValueError what is wrong."""
        match = _PATTERN.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is no origin; write one like {KNOWN}")
        scheme, name, port = match["scheme"], match["host"], match["port"]
        any_port = port == "*" or (port is None and (scheme is None or name == "*"))
        spelled = f"{scheme or 'https'}://{name.removeprefix('*.').replace('*', 'any')}"
        origin = _parsed(spelled if port in (None, "*") else f"{spelled}:{port}")
        if origin is None:
            raise ValueError(f"{text!r} is no origin: no browser would take it")
        if name.startswith("*.") and _ADDRESS.fullmatch(origin.host):
            raise ValueError(f"{text!r}: an IP address has no names below it")
        host = None if name == "*" else origin.host
        return cls(scheme, host, None if any_port else origin.port, name.startswith("*."))

    def matches(self, origin: str) -> bool:
        parsed = _parsed(origin)
        return (
            parsed is not None
            and self.scheme in (None, parsed.scheme)
            and self.port in (None, parsed.port)
            and self._matches_host(parsed.host)
        )

    def _matches_host(self, host: str) -> bool:
        if self.host is None:
            return True
        if self.is_below:
            wanted, labels = self.host.split("."), host.split(".")
            return len(labels) > len(wanted) and labels[-len(wanted) :] == wanted
        return host == self.host
