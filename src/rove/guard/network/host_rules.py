"""Which hosts may be reached: by default all public ones. Lists of host patterns allow more hosts or fewer.

    entry = HOST[":" PORT]
    HOST  = a name | "*." a name | an address | a network (CIDR); IPv6 in brackets where a port follows
    PORT  = 1 to 65535 | "*"; an entry without a port means every port

`*.corp.example` means the subdomains of corp.example, not corp.example itself. An address or a network matches only
hosts that are written as addresses. If it also matched the addresses that names resolve to, the owner of any domain
could point a name at an allowed address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_network
from typing import NoReturn

from rove.errors import InvalidSettings
from rove.guard.network.addresses import OwnPorts, equivalent_addresses, own_addresses, refusal_reason
from rove.guard.network.refusal import IP, Refusal, RefusalReason
from rove.guard.network.urls import Endpoint, origin_of
from rove.records import dataclass

# With its port: without one, it could stand for all ports or for one.
_ORIGIN = re.compile(r"https?://([^/?#@\\\s]+:\d+)/?", re.IGNORECASE)
_BRACKETED = re.compile(r"\[([^\[\]]*)\](?::(.*))?", re.DOTALL)
# Characters that a URL parser drops, or that end the host.
_FORBIDDEN_IN_HOST = re.compile(r"[\x00-\x20/\\?#@:%\[\]]")
_NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")

# No ordinary name has more. Without a limit, a name server could keep the proxy busy with checks.
MOST_ADDRESSES = 64
_LOOPBACK = IPv4Address("127.0.0.1")
_LOCAL_NAMES = frozenset({"localhost", "local", "internal", "home.arpa"})
# The addresses of these names are refused too. Refusing the names saves the lookup, and works even if a name server
# returns another address.
_METADATA_NAMES = frozenset(
    {
        "metadata",
        "metadata.google.internal",
        "metadata.goog",
        "metadata.azure.internal",
        "metadata.tencentyun.com",
        "instance-data",
        "instance-data.ec2.internal",
    }
)


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


@dataclass(frozen=True)
class HostRules:
    """The rules of a session. No list can allow metadata services or rove's own ports."""

    allow: tuple[HostPattern, ...] = ()  # may be reached although they are not public
    only: tuple[HostPattern, ...] | None = None  # if given, no other host is reached; private ones still need `allow`
    deny: tuple[HostPattern, ...] = ()  # are never reached, nor are their subdomains

    @classmethod
    def of(
        cls, allow_hosts: Iterable[str] = (), only_hosts: Iterable[str] | None = None, deny_hosts: Iterable[str] = ()
    ) -> HostRules:
        """Build rules from lists of entries as the owner writes them. Raises InvalidSettings."""
        only = None if only_hosts is None else parse_patterns(only_hosts)
        return cls(parse_patterns(allow_hosts), only, parse_patterns(deny_hosts))

    def refuse_url(self, url: str, own: OwnPorts) -> Refusal | None:
        """Return a refusal if the URL alone, without a DNS lookup, shows that the proxy would refuse it."""
        origin = origin_of(url)
        if origin is None:
            return Refusal(url[:200], 0, RefusalReason.UNREADABLE)
        return self.refuse_endpoint(origin.endpoint, own)

    def refuse_endpoint(self, endpoint: Endpoint, own: OwnPorts) -> Refusal | None:
        """Return a refusal if the host and port alone, without a DNS lookup, show that the proxy would refuse them."""
        refusal, address = self.refuse_name(endpoint, own), endpoint.address
        return refusal if refusal or address is None else self.refuse_addresses(endpoint, [address], own)

    def refuse_name(self, endpoint: Endpoint, own: OwnPorts) -> Refusal | None:
        """Return a refusal of the host's name, before it is resolved."""
        # This check comes first: the hint for a local name offers --allow-host, which does not open rove's own ports.
        if _is_localhost(endpoint.host) and own.includes(_LOOPBACK, endpoint.port):
            return Refusal(endpoint.host, endpoint.port, RefusalReason.OWN_PORT)
        if endpoint.host in _METADATA_NAMES:
            return Refusal(endpoint.host, endpoint.port, RefusalReason.METADATA)
        if any(entry.covers(endpoint) for entry in self.deny):
            return Refusal(endpoint.host, endpoint.port, RefusalReason.DENIED)
        if self.only is not None and not any(entry.matches(endpoint) for entry in self.only):
            return Refusal(endpoint.host, endpoint.port, RefusalReason.NOT_LISTED)
        if endpoint.address is None and _is_local_name(endpoint.host) and not self._allows(endpoint):
            reason = RefusalReason.LOOPBACK if _is_localhost(endpoint.host) else RefusalReason.LOCAL_NAME
            return Refusal(endpoint.host, endpoint.port, reason)
        return None

    def refuse_addresses(self, endpoint: Endpoint, addresses: Sequence[IP], own: OwnPorts) -> Refusal | None:
        """Return a refusal if any address of the host is forbidden: one forbidden address refuses the whole host."""
        if len(addresses) > MOST_ADDRESSES:
            return Refusal(endpoint.host, endpoint.port, RefusalReason.TOO_MANY)
        is_allowed = self._allows(endpoint)
        for address in addresses:
            reason = self._always_refused(address, endpoint.port, own)
            if reason is None and not is_allowed:
                reason = refusal_reason(address) or _this_machine_reason(address)
            if reason is not None:
                return Refusal(endpoint.host, endpoint.port, reason, address)
        return None

    def _always_refused(self, address: IP, port: int, own: OwnPorts) -> RefusalReason | None:
        if refusal_reason(address) is RefusalReason.METADATA:
            return RefusalReason.METADATA
        if own.includes(address, port):
            return RefusalReason.OWN_PORT
        denied = any(entry.covers_address(each, port) for entry in self.deny for each in equivalent_addresses(address))
        return RefusalReason.DENIED if denied else None

    def _allows(self, endpoint: Endpoint) -> bool:
        return any(entry.matches(endpoint) for entry in self.allow)


def _is_localhost(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost")


def _is_local_name(host: str) -> bool:
    labels = host.split(".")
    return len(labels) == 1 or labels[-1] in _LOCAL_NAMES or ".".join(labels[-2:]) in _LOCAL_NAMES


def _this_machine_reason(address: IP) -> RefusalReason | None:
    own = own_addresses()
    return RefusalReason.THIS_MACHINE if any(each in own for each in equivalent_addresses(address)) else None
