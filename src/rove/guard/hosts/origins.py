"""Origins as text, and patterns of them: what a rule says about where an action happens."""

from __future__ import annotations

from rove.guard.hosts.urls import DEFAULT_PORTS, WEB_SCHEMES, Origin, origin_of
from rove.pattern import pattern
from rove.record import dataclass

KNOWN = "https://example.com, https://*.example.com, http://localhost:*, example.com (any port) or *"
# No character in a host that a browser would read as the end of it.
_PATTERN = pattern(
    r"(?:(?P<scheme>https?)://)?(?P<host>\*|(?:\*\.)?[^\s*:/?#@\\\[\]%]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}|\*))?"
)


def origin_text(url: str) -> str | None:
    """Where an address leads, as a browser would write it: `https://example.com:8443`. None where that is nowhere."""
    origin = _web_origin(url)
    if origin is None:
        return None
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    port = "" if origin.port == DEFAULT_PORTS[origin.scheme] else f":{origin.port}"
    return f"{origin.scheme}://{host}{port}"


def _web_origin(url: str) -> Origin | None:
    # A blob belongs to the page that made it, whose origin its address begins with.
    origin = origin_of(url.removeprefix("blob:"))
    return origin if origin and origin.scheme in WEB_SCHEMES else None


@dataclass(frozen=True)
class OriginPattern:
    """One or many origins. A star stands for whole labels in front, for any port or for any host; never for a part."""

    scheme: str | None
    host: str | None
    port: int | None
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
        origin = _web_origin(spelled if port in (None, "*") else f"{spelled}:{port}")
        if origin is None:
            raise ValueError(f"{text!r} is no origin: no browser would take it")
        if name.startswith("*.") and origin.endpoint.address is not None:
            raise ValueError(f"{text!r}: an IP address has no names below it")
        host = None if name == "*" else origin.host
        return cls(scheme, host, None if any_port else origin.port, name.startswith("*."))

    def matches(self, url: str) -> bool:
        origin = _web_origin(url)
        return (
            origin is not None
            and self.scheme in (None, origin.scheme)
            and self.port in (None, origin.port)
            and self._matches_host(origin.host)
        )

    def _matches_host(self, host: str) -> bool:
        if self.host is None:
            return True
        if self.is_below:
            wanted, labels = self.host.split("."), host.split(".")
            return len(labels) > len(wanted) and labels[-len(wanted) :] == wanted
        return host == self.host
