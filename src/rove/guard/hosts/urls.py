"""What an address is, before anything is sent to it."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from rove.pattern import pattern
from rove.record import dataclass

if TYPE_CHECKING:
    from rove.guard.hosts.refusal import IP

# Whatever is not one of these never touches a proxy, so nothing else could stop it.
WEB_SCHEMES = frozenset({"http", "https"})
DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}

# As the URL standard reads it: browsers drop tabs and newlines anywhere and controls at the start.
_IGNORED = pattern(r"[\t\n\r]")
_LEADING = pattern(r"^[\x00-\x20]+")
_SCHEME = pattern(r"([A-Za-z][A-Za-z0-9+.-]*):")
# A host and a port as a program writes them: nothing in it that two parsers could cut in two ways.
_AUTHORITY = pattern(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=-]+)(?::([0-9]{1,5}))?")


@dataclass(frozen=True)
class Endpoint:
    """A host in its one canonical spelling (ASCII, lower case, no final dot, no brackets) and a port."""

    host: str
    port: int

    @cached_property
    def address(self) -> IP | None:
        """The host as an address, if it is written as one."""
        from ipaddress import ip_address  # the policy is read at the start, and needs no more than a scheme

        try:
            return ip_address(self.host)
        except ValueError:
            return None

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Origin:
    """Where a URL leads: the scheme, and whom it connects to."""

    scheme: str
    endpoint: Endpoint

    @property
    def host(self) -> str:
        return self.endpoint.host

    @property
    def port(self) -> int:
        return self.endpoint.port


def scheme_of(url: str) -> str | None:
    """The scheme that a browser would read in it, in lower case; None when there is none."""
    match = _SCHEME.match(_IGNORED.sub("", _LEADING.sub("", url)))
    return match[1].lower() if match else None


def origin_of(url: str) -> Origin | None:
    """Where a browser would go for this URL; None if it cannot be read, or is not of the web."""
    import ada_url  # 5 ms; nobody needs it before the first address

    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return None
    scheme = parsed.protocol.removesuffix(":")
    if scheme not in DEFAULT_PORTS:
        return None
    host = _canonical(parsed.hostname)
    port = int(parsed.port) if parsed.port else DEFAULT_PORTS[scheme]
    return Origin(scheme, Endpoint(host, port)) if host and port else None


@lru_cache(maxsize=1024)
def endpoint_of(authority: str, default_port: int | None = None) -> Endpoint | None:
    """A host and its port as a proxy is given them; None if there is anything else, or anything odd, in it."""
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        return None
    port = int(match[2]) if match[2] else default_port
    origin = origin_of(f"http://{match[1]}/")
    if origin is None or port is None or not 0 < port < 65536:
        return None
    return Endpoint(origin.host, port)


def _canonical(hostname: str) -> str | None:
    """One spelling for one host: `localhost.` and `localhost` are the same, `localhost..` is nothing."""
    if hostname.startswith("["):
        return hostname.strip("[]")
    host = hostname.removesuffix(".")
    return host if host and "" not in host.split(".") else None
