"""Parses URLs, hosts and ports as browsers do."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from rove.validation.pattern import pattern
from rove.validation.record import dataclass

if TYPE_CHECKING:
    from rove.guard.hosts.refusal import IP

# URLs of other schemes do not go through the proxy, so the proxy could not refuse them.
WEB_SCHEMES = frozenset({"http", "https"})
DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}

# What addresses up to this length say is kept: each action asks several times about that of its page.
LONGEST_KEPT = 2000

# As the URL standard says, browsers drop tabs and newlines anywhere, and control characters at the start.
_IGNORED = pattern(r"[\t\n\r]")
_LEADING = pattern(r"^[\x00-\x20]+")
_SCHEME = pattern(r"([A-Za-z][A-Za-z0-9+.-]*):")
# A host and a port, without any character that could make two parsers split them differently.
_AUTHORITY = pattern(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=-]+)(?::([0-9]{1,5}))?")


@dataclass(frozen=True)
class Endpoint:
    """A port and a host in canonical form: ASCII, lower case, without final dot or brackets."""

    host: str
    port: int

    @cached_property
    def address(self) -> IP | None:
        """The host as an IP address, or None if it is a name."""
        from ipaddress import ip_address  # imported late: loading a policy at start needs only schemes

        try:
            return ip_address(self.host)
        except ValueError:
            return None

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Origin:
    """The scheme, host and port of a URL."""

    scheme: str
    endpoint: Endpoint

    @property
    def host(self) -> str:
        return self.endpoint.host

    @property
    def port(self) -> int:
        return self.endpoint.port


def scheme_of(url: str) -> str | None:
    """Return the scheme that a browser reads in a URL, in lower case, or None if it has none."""
    return _read_scheme(url) if len(url) <= LONGEST_KEPT else _read_scheme.__wrapped__(url)


@lru_cache(maxsize=1024)
def _read_scheme(url: str) -> str | None:
    match = _SCHEME.match(_IGNORED.sub("", _LEADING.sub("", url)))
    return match[1].lower() if match else None


def origin_of(url: str) -> Origin | None:
    """Return the origin that a browser connects to for a URL, or None if it is not a valid http, https or ws URL."""
    return _parsed_origin(url) if len(url) <= LONGEST_KEPT else _parsed_origin.__wrapped__(url)


@lru_cache(maxsize=1024)
def _parsed_origin(url: str) -> Origin | None:
    import ada_url  # imported late: it takes 5 ms, and no URL is parsed at start

    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return None
    scheme = parsed.protocol.removesuffix(":")
    if scheme not in DEFAULT_PORTS:
        return None
    host = _canonical_host(parsed.hostname)
    port = int(parsed.port) if parsed.port else DEFAULT_PORTS[scheme]
    return Origin(scheme, Endpoint(host, port)) if host and port else None


def is_unreadable(url: str) -> bool:
    """Whether a URL is an http or https one that the proxy cannot read: Chromium loads some that no standard allows."""
    if scheme_of(url) not in WEB_SCHEMES:
        return False
    origin = origin_of(url)
    return origin is None or endpoint_of(str(origin.endpoint)) is None


@lru_cache(maxsize=1024)
def endpoint_of(authority: str, default_port: int | None = None) -> Endpoint | None:
    """Parse the `host:port` of a proxy request. Return None if it holds anything else or any unusual character."""
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        return None
    port = int(match[2]) if match[2] else default_port
    origin = origin_of(f"http://{match[1]}/")
    if origin is None or port is None or not 0 < port < 65536:
        return None
    return Endpoint(origin.host, port)


def _canonical_host(hostname: str) -> str | None:
    """Return the canonical form of a host: `localhost.` becomes `localhost`. Return None for an invalid one."""
    if hostname.startswith("["):
        return hostname.strip("[]")
    if "*" in hostname:  # Chromium escapes it, and then encodes other letters of the label differently
        return None
    host = hostname.removesuffix(".")
    return host if host and "" not in host.split(".") else None
