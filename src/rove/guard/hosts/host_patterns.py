"""Hosts as a person writes them in a list: `localhost:3000`, `*.corp.example`, `10.0.0.0/8:*`, `[::1]:8080`.

    entry = HOST[":" PORT]
    HOST  = a name | "*." a name | an address | a network (CIDR); IPv6 in brackets where a port follows
    PORT  = 1 to 65535 | "*"; without one, every port is meant

`*.corp.example` is everything under corp.example, not corp.example itself. An address or a network is matched with a
host that is written as an address: were it matched with what a name leads to, any page could lend its own name to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import NoReturn

from rove.errors import InvalidSettings
from rove.guard.hosts.refusal import IP
from rove.guard.hosts.urls import Endpoint, origin_of
from rove.record import dataclass

_BRACKETED = re.compile(r"\[([^\[\]]*)\](?::(.*))?", re.DOTALL)
# What a reader of URLs would drop, or take for the end of the host.
_ODD = re.compile(r"[\x00-\x20/\\?#@:%\[\]]")
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")


@dataclass(frozen=True)
class HostPattern:
    """One entry of a list: a name, all under a name, or a network; at one port or at any."""

    host: str | IPv4Network | IPv6Network
    port: int | None = None
    is_wild: bool = False

    def matches(self, endpoint: Endpoint) -> bool:
        """Whether it is exactly what the entry says."""
        if not self._has_port(endpoint.port):
            return False
        if isinstance(self.host, str):
            return _is_under(endpoint.host, self.host) if self.is_wild else endpoint.host == self.host
        return endpoint.address is not None and _lies_in(endpoint.address, self.host)

    def covers(self, endpoint: Endpoint) -> bool:
        """As `matches`, and what is under a name besides: what a list that denies must mean by it."""
        if self.matches(endpoint):
            return True
        return isinstance(self.host, str) and self._has_port(endpoint.port) and _is_under(endpoint.host, self.host)

    def covers_address(self, address: IP, port: int) -> bool:
        """Whether it is an entry for this address, whatever name led there."""
        return not isinstance(self.host, str) and self._has_port(port) and _lies_in(address, self.host)

    def _has_port(self, port: int) -> bool:
        return self.port is None or self.port == port


def patterns(entries: Iterable[str]) -> tuple[HostPattern, ...]:
    """A list as a person wrote it; raises InvalidSettings at the first entry that is not one."""
    return tuple(map(pattern, entries))


def pattern(entry: str) -> HostPattern:
    """One entry, read strictly: whatever could be meant in two ways is an error."""
    host, port = _cut(entry)
    number = None if port in (None, "*") else _port(entry, port)
    if host.startswith("*."):
        return HostPattern(_name(entry, host[2:]), number, is_wild=True)
    if ":" in host or "/" in host:
        return HostPattern(_network(entry, host), number)
    name = _name(entry, host)
    return HostPattern(ip_network(name) if _is_address(name) else name, number)


def _cut(entry: str) -> tuple[str, str | None]:
    if bracketed := _BRACKETED.fullmatch(entry):
        if ":" not in bracketed[1]:
            _refuse(entry, "only IPv6 stands in brackets")
        return bracketed[1], bracketed[2]
    if entry.count(":") > 1:
        return entry, None
    host, colon, port = entry.partition(":")
    return host, port if colon else None


def _port(entry: str, port: str | None) -> int:
    if port is None or not port.isascii() or not port.isdigit() or not 0 < int(port[:6]) < 65536:
        _refuse(entry, "its port is not a number from 1 to 65535")
    return int(port)


def _name(entry: str, host: str) -> str:
    origin = None if _ODD.search(host) else origin_of(f"http://{host}/")
    if origin is None or not _NAME.fullmatch(origin.host):
        _refuse(entry, "its host is neither a name nor an address")
    return origin.host


def _network(entry: str, text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError:
        _refuse(entry, "it is neither an address nor a network; a network's address ends in zeros")


def _refuse(entry: str, reason: str) -> NoReturn:
    raise InvalidSettings(
        f"{entry[:100]!r} is no entry for a list of hosts: {reason}.",
        hint="Write HOST or HOST:PORT, such as localhost:3000, *.corp.example, 10.0.0.0/8 or [::1]:8080.",
    )


def _is_address(name: str) -> bool:
    return Endpoint(name, 1).address is not None


def _is_under(host: str, name: str) -> bool:
    return host.endswith("." + name)


def _lies_in(address: IP, network: IPv4Network | IPv6Network) -> bool:
    return address.version == network.version and address in network
