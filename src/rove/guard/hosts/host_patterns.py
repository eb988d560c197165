"""Parses entries of a host list, such as `localhost:3000`, `*.corp.example`, `10.0.0.0/8:*` or `[::1]:8080`.

    entry = HOST[":" PORT]
    HOST  = a name | "*." a name | an address | a network (CIDR); IPv6 in brackets where a port follows
    PORT  = 1 to 65535 | "*"; an entry without a port means every port

`*.corp.example` means the subdomains of corp.example, not corp.example itself. An address or a network matches only
hosts that are written as addresses. If it also matched the addresses that names resolve to, the owner of any domain
could point a name at an allowed address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import NoReturn

from rove.errors import InvalidSettings
from rove.guard.hosts.refusal import IP
from rove.guard.hosts.urls import Endpoint, origin_of
from rove.validation.record import dataclass

# With its port: without one, it could stand for all ports or for one.
_ORIGIN = re.compile(r"https?://([^/?#@\\\s]+:\d+)/?", re.IGNORECASE)
_BRACKETED = re.compile(r"\[([^\[\]]*)\](?::(.*))?", re.DOTALL)
# Characters that a URL parser drops, or that end the host.
_FORBIDDEN_IN_HOST = re.compile(r"[\x00-\x20/\\?#@:%\[\]]")
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")


@dataclass(frozen=True)
class HostPattern:
    """One entry of a host list: a name, the subdomains of a name, or a network, at one port or at any port."""

    host: str | IPv4Network | IPv6Network
    port: int | None = None
    is_wildcard: bool = False

    def matches(self, endpoint: Endpoint) -> bool:
        """Return whether the entry names exactly this host and port."""
        if not self._matches_port(endpoint.port):
            return False
        if isinstance(self.host, str):
            return _is_subdomain(endpoint.host, self.host) if self.is_wildcard else endpoint.host == self.host
        return endpoint.address is not None and _contains(endpoint.address, self.host)

    def covers(self, endpoint: Endpoint) -> bool:
        """Return whether the entry matches, or names a parent domain of the host, as an entry of a deny list does."""
        if self.matches(endpoint):
            return True
        if not isinstance(self.host, str) or not self._matches_port(endpoint.port):
            return False
        return _is_subdomain(endpoint.host, self.host)

    def covers_address(self, address: IP, port: int) -> bool:
        """Return whether the entry is a network that contains this address. The host's name does not matter."""
        return not isinstance(self.host, str) and self._matches_port(port) and _contains(address, self.host)

    def _matches_port(self, port: int) -> bool:
        return self.port is None or self.port == port


def parse_patterns(entries: Iterable[str]) -> tuple[HostPattern, ...]:
    """Parse the entries of a host list. Raises InvalidSettings at the first entry that is not valid."""
    return tuple(map(parse_pattern, entries))


def parse_pattern(entry: str) -> HostPattern:
    """Parse one entry strictly. An entry that can be read in two ways raises InvalidSettings."""
    host, port = _split_port(_without_scheme(entry))
    number = None if port in (None, "*") else _parse_port(entry, port)
    if host.startswith("*."):
        return HostPattern(_parse_name(entry, host[2:]), number, is_wildcard=True)
    if ":" in host or "/" in host:
        return HostPattern(_parse_network(entry, host), number)
    name = _parse_name(entry, host)
    return HostPattern(ip_network(name) if _is_address(name) else name, number)


def _without_scheme(entry: str) -> str:
    """Return the host and the port of an origin such as `http://localhost:3000`."""
    if "://" not in entry:
        return entry
    origin = _ORIGIN.fullmatch(entry)
    if origin is None:
        _reject(entry, "it is a URL, and more or less than a host and a port")
    return origin[1]


def _split_port(entry: str) -> tuple[str, str | None]:
    if bracketed := _BRACKETED.fullmatch(entry):
        if ":" not in bracketed[1]:
            _reject(entry, "only an IPv6 address may be in brackets")
        return bracketed[1], bracketed[2]
    if entry.count(":") > 1:
        return entry, None
    host, colon, port = entry.partition(":")
    return host, port if colon else None


def _parse_port(entry: str, port: str | None) -> int:
    if port is None or not port.isascii() or not port.isdigit() or not 0 < int(port[:6]) < 65536:
        _reject(entry, "its port is not a number from 1 to 65535")
    return int(port)


def _parse_name(entry: str, host: str) -> str:
    origin = None if _FORBIDDEN_IN_HOST.search(host) else origin_of(f"http://{host}/")
    if origin is None or not _NAME.fullmatch(origin.host):
        _reject(entry, "its host is neither a name nor an address")
    return origin.host


def _parse_network(entry: str, text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError:
        _reject(entry, "it is neither an address nor a network, or a network whose address has host bits set")


def _reject(entry: str, reason: str) -> NoReturn:
    raise InvalidSettings(
        f"{entry[:100]!r} is not a valid entry for a list of hosts: {reason}.",
        hint="Write HOST or HOST:PORT, such as localhost:3000, *.corp.example, 10.0.0.0/8 or [::1]:8080.",
    )


def _is_address(name: str) -> bool:
    return Endpoint(name, 1).address is not None


def _is_subdomain(host: str, name: str) -> bool:
    return host.endswith("." + name)


def _contains(address: IP, network: IPv4Network | IPv6Network) -> bool:
    return address.version == network.version and address in network
