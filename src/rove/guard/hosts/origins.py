"""Origins as text, and the origin patterns that policy rules contain."""

from __future__ import annotations

from rove.guard.hosts.urls import DEFAULT_PORTS, WEB_SCHEMES, Origin, origin_of
from rove.validation.pattern import pattern
from rove.validation.record import dataclass

EXAMPLES = "https://example.com, https://*.example.com, http://localhost:*, example.com (any port) or *"
# The host excludes every character that a browser reads as the end of a host.
_PATTERN = pattern(
    r"(?:(?P<scheme>https?)://)?(?P<host>\*|(?:\*\.)?[^\s*:/?#@\\\[\]%]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}|\*))?"
)


def origin_text(url: str) -> str | None:
    """Return the origin of a URL as browsers write it (`https://example.com:8443`), or None if it has no web origin."""
    origin = _web_origin(url)
    if origin is None:
        return None
    host = f"[{origin.host}]" if ":" in origin.host else origin.host
    port = "" if origin.port == DEFAULT_PORTS[origin.scheme] else f":{origin.port}"
    return f"{origin.scheme}://{host}{port}"


def _web_origin(url: str) -> Origin | None:
    # A blob: URL contains the origin of the page that created it.
    origin = origin_of(url.removeprefix("blob:"))
    return origin if origin and origin.scheme in WEB_SCHEMES else None


@dataclass(frozen=True)
class OriginPattern:
    """A pattern for origins. `*` means any host, any port or any subdomain, never a part of a label."""

    scheme: str | None
    host: str | None
    port: int | None
    is_wildcard: bool

    @classmethod
    def parse(cls, text: str) -> OriginPattern:
        """Parse a pattern. Raises ValueError, with a message that says what is wrong."""
        match = _PATTERN.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not an origin; write one like {EXAMPLES}")
        scheme, name, port = match["scheme"], match["host"], match["port"]
        any_port = port == "*" or (port is None and (scheme is None or name == "*"))
        url = f"{scheme or 'https'}://{name.removeprefix('*.').replace('*', 'any')}"
        origin = _web_origin(url if port in (None, "*") else f"{url}:{port}")
        if origin is None:
            raise ValueError(f"{text!r} is not an origin: browsers do not accept it")
        if name.startswith("*.") and origin.endpoint.address is not None:
            raise ValueError(f"{text!r}: an IP address has no subdomains")
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
        if self.is_wildcard:
            wanted, labels = self.host.split("."), host.split(".")
            return len(labels) > len(wanted) and labels[-len(wanted) :] == wanted
        return host == self.host
