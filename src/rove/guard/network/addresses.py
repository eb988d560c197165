"""Which IP addresses are public, and which are those of this machine and the ports of rove itself.

The table is rove's own because `ipaddress.is_global` changes with the Python version and calls many of these ranges
global. Every block of IANA's special-purpose registries is refused, also those that the registries call globally
reachable: identifiers that no router forwards (ORCHIDv2, drones), and anycast services (PCP, TURN, AMT, AS112) that the
nearest network answers itself. None of them is a place of the public web. IANA has assigned public IPv6 addresses only
from 2000::/3; all others are reserved.
"""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from rove.browser.shared.process import reserved_port
from rove.guard.network.refusal import IP, RefusalReason

_PUBLIC = None
_IPV4_NETWORKS: dict[str, RefusalReason | None] = {
    "0.0.0.0/8": RefusalReason.THIS_NETWORK,
    "10.0.0.0/8": RefusalReason.PRIVATE,
    "100.64.0.0/10": RefusalReason.CGNAT,
    "127.0.0.0/8": RefusalReason.LOOPBACK,
    "169.254.0.0/16": RefusalReason.LINK_LOCAL,
    "172.16.0.0/12": RefusalReason.PRIVATE,
    "192.0.0.0/24": RefusalReason.RESERVED,  # also PCP and TURN anycast
    "192.0.2.0/24": RefusalReason.DOCUMENTATION,
    "192.31.196.0/24": RefusalReason.RESERVED,  # AS112, which answers reverse lookups of private addresses
    "192.52.193.0/24": RefusalReason.RESERVED,  # AMT relays
    "192.88.99.0/24": RefusalReason.RELAY_ANYCAST,
    "192.168.0.0/16": RefusalReason.PRIVATE,
    "192.175.48.0/24": RefusalReason.RESERVED,  # AS112
    "198.18.0.0/15": RefusalReason.BENCHMARKING,
    "198.51.100.0/24": RefusalReason.DOCUMENTATION,
    "203.0.113.0/24": RefusalReason.DOCUMENTATION,
    "224.0.0.0/4": RefusalReason.MULTICAST,
    "240.0.0.0/4": RefusalReason.RESERVED,
    "255.255.255.255/32": RefusalReason.BROADCAST,
}
_IPV6_NETWORKS: dict[str, RefusalReason | None] = {
    "::/0": RefusalReason.RESERVED,
    "2000::/3": _PUBLIC,
    "::/128": RefusalReason.THIS_NETWORK,
    "::1/128": RefusalReason.LOOPBACK,
    "::/96": RefusalReason.TRANSITION,  # IPv4-compatible
    "::ffff:0:0:0/96": RefusalReason.TRANSITION,  # SIIT
    "64:ff9b:1::/48": RefusalReason.TRANSITION,  # NAT64 inside one network
    # Protocol assignments: PCP, TURN and DNS-SD anycast, AMT, AS112, ORCHID and ORCHIDv2, drone identifiers.
    "2001::/23": RefusalReason.RESERVED,
    "2001::/32": RefusalReason.TRANSITION,  # Teredo
    "2001:2::/48": RefusalReason.BENCHMARKING,
    "2001:db8::/32": RefusalReason.DOCUMENTATION,
    # The public 6to4 relays are switched off, so 6to4 is refused even when it embeds a public address.
    "2002::/16": RefusalReason.TRANSITION,
    "2620:4f:8000::/48": RefusalReason.RESERVED,  # AS112
    "3fff::/20": RefusalReason.DOCUMENTATION,
    "fc00::/7": RefusalReason.PRIVATE,
    "fe80::/10": RefusalReason.LINK_LOCAL,
    "fec0::/10": RefusalReason.PRIVATE,
    "ff00::/8": RefusalReason.MULTICAST,
}
# Cloud machines read their credentials from these addresses. They are refused even where private networks are allowed.
METADATA_ADDRESSES = frozenset(
    ip_address(address)
    for address in (
        "169.254.169.254",  # AWS, Google, Azure, DigitalOcean, OpenStack and others
        "169.254.170.2",  # AWS container credentials
        "169.254.170.23",  # AWS pod identity
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",  # Google
        "fe80::a9fe:a9fe",  # OpenStack
        "fd00:c1::a9fe:a9fe",  # Oracle
        "192.0.0.192",
        "100.100.100.200",  # Alibaba
        "168.63.129.16",  # Azure's wire server
        "169.254.0.23",  # Tencent
        "169.254.42.42",  # Scaleway
        "fd00:42::42",
    )
)
_MAPPED = 0xFFFF
_COMPATIBLE = 0
_SIIT = 0xFFFF << 16
_NAT64 = 0x0064FF9B << 64
_NAT64_LOCAL = 0x0064FF9B0001
_TEREDO = 0x20010000
_SIX_TO_FOUR = 0x2002
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})
_LOW_32_BITS = 0xFFFFFFFF
_Lookup = tuple[tuple[int, dict[int, RefusalReason | None]], ...]

# A laptop changes networks, so the list must be read again; doing that for every connection would cost more than
# connecting.
_CACHE_SECONDS = 5.0
_LOCAL_REASONS = frozenset({RefusalReason.LOOPBACK, RefusalReason.THIS_NETWORK})


def _by_prefix_length(networks: list[tuple[IPv4Network | IPv6Network, RefusalReason | None]]) -> _Lookup:
    """Group the networks by prefix length, longest prefix first, so that the most specific network decides."""
    lengths: dict[int, dict[int, RefusalReason | None]] = {}
    for network, reason in networks:
        shift = network.max_prefixlen - network.prefixlen
        lengths.setdefault(shift, {})[int(network.network_address) >> shift] = reason
    return tuple(sorted(lengths.items()))


_IPV4_LOOKUP = _by_prefix_length([(IPv4Network(text), reason) for text, reason in _IPV4_NETWORKS.items()])
_IPV6_LOOKUP = _by_prefix_length([(IPv6Network(text), reason) for text, reason in _IPV6_NETWORKS.items()])


def refusal_reason(address: IP) -> RefusalReason | None:
    """Return why an address is refused, or None if it is public."""
    if any(each in METADATA_ADDRESSES for each in equivalent_addresses(address)):
        return RefusalReason.METADATA
    if isinstance(address, IPv4Address):
        return _longest_match(_IPV4_LOOKUP, int(address))
    top = int(address) >> 32
    inner = [_longest_match(_IPV4_LOOKUP, int(each)) for each in embedded_ipv4(address)]
    # A socket connects to a mapped address over IPv4, and IPv6-only networks use the NAT64 prefix for every IPv4 site.
    # The embedded address alone decides.
    if top in (_MAPPED, _NAT64):
        return inner[0]
    outer = _longest_match(_IPV6_LOOKUP, int(address))
    if outer in (None, RefusalReason.TRANSITION):  # the embedded address gives the more specific reason
        return next((reason for reason in inner if reason is not None), outer)
    return outer


def equivalent_addresses(address: IP) -> Iterator[IP]:
    """Yield the address without its zone, then every IPv4 address that it may embed."""
    if isinstance(address, IPv4Address):
        yield address
    else:
        yield IPv6Address(int(address))
        yield from embedded_ipv4(address)


def embedded_ipv4(address: IPv6Address) -> tuple[IPv4Address, ...]:
    """Return the IPv4 addresses that any translation scheme could read from an IPv6 address."""
    value = int(address)
    if value >> 32 in (_MAPPED, _COMPATIBLE, _SIIT, _NAT64):
        return (IPv4Address(value & _LOW_32_BITS),)
    if value >> 80 == _NAT64_LOCAL:
        return tuple(_nat64_address(value, length) for length in (48, 56, 64, 96))
    if value >> 112 == _SIX_TO_FOUR:
        return (IPv4Address(value >> 80 & _LOW_32_BITS),)
    if value >> 96 == _TEREDO:  # the server, and the client with every bit inverted
        return (IPv4Address(value >> 64 & _LOW_32_BITS), IPv4Address(~value & _LOW_32_BITS))
    if value >> 32 & _LOW_32_BITS in _ISATAP:
        return (IPv4Address(value & _LOW_32_BITS),)
    return ()


def _nat64_address(value: int, prefix: int) -> IPv4Address:
    """Return the address that a NAT64 translator with this prefix length reads. It skips octet 8 (RFC 6052)."""
    octets = value.to_bytes(16, "big")
    start = prefix // 8
    return IPv4Address((octets[start:8] + octets[9:] if start <= 8 else octets[start:])[:4])


def _longest_match(lookup: _Lookup, value: int) -> RefusalReason | None:
    """Return the entry of the most specific network that contains the address."""
    for shift, rules in lookup:
        if (prefix := value >> shift) in rules:
            return rules[prefix]
    return None


class _InterfaceCache:
    """The addresses of the network interfaces when they were last listed."""

    addresses: frozenset[IP] = frozenset()
    until: float = 0.0


def loopback_port() -> socket.socket:
    """Return a socket that is bound to a free loopback port and does not accept connections yet."""
    return socket.socket(fileno=reserved_port().detach())


def own_addresses() -> frozenset[IP]:
    """Return every address of every network interface."""
    if time.monotonic() >= _InterfaceCache.until:
        _InterfaceCache.addresses = frozenset(_interface_addresses())
        _InterfaceCache.until = time.monotonic() + _CACHE_SECONDS
    return _InterfaceCache.addresses


def is_this_machine(address: IP) -> bool:
    """Return whether a connection to the address ends on this machine."""
    own = own_addresses()
    return any(refusal_reason(each) in _LOCAL_REASONS or each in own for each in equivalent_addresses(address))


class OwnPorts:
    """Addresses and ports that rove listens on or controls: its proxies, its gateway, the browser's debugging port."""

    def __init__(self) -> None:
        self._ports: set[tuple[IP, int]] = set()

    def add(self, address: str | IP, port: int) -> None:
        self._ports.add((ip_address(address), port))

    def remove(self, address: str | IP, port: int) -> None:
        self._ports.discard((ip_address(address), port))

    def includes(self, address: IP, port: int) -> bool:
        """Return whether an address and port reach one of them, also through another address of this machine.

        For example, a connection to 0.0.0.0 arrives at 127.0.0.1.
        """
        own = [known for known, number in self._ports if number == port]
        if not own:
            return False
        if any(each in own for each in equivalent_addresses(address)):
            return True
        return is_this_machine(address) and any(map(is_this_machine, own))


def _interface_addresses() -> Iterator[IP]:
    """Yield the addresses that the C library's getifaddrs returns; Python has no binding for it."""
    import ctypes

    class Interface(ctypes.Structure):
        pass

    Interface._fields_ = [
        ("next", ctypes.POINTER(Interface)),
        ("name", ctypes.c_char_p),
        ("flags", ctypes.c_uint),
        ("address", ctypes.c_void_p),
    ]
    library = ctypes.CDLL(None, use_errno=True)
    first = ctypes.POINTER(Interface)()
    if library.getifaddrs(ctypes.byref(first)) != 0:
        raise OSError(ctypes.get_errno(), "cannot list the addresses of this machine")
    try:
        each = first
        while each:
            if each.contents.address:
                yield from _address(ctypes.string_at(each.contents.address, 2), each.contents.address)
            each = each.contents.next
    finally:
        library.freeifaddrs(first)


def _address(head: bytes, pointer: int) -> Iterator[IP]:
    """Yield the IP address in a sockaddr structure, if it includes one."""
    import ctypes

    # On BSD and macOS the first byte of a sockaddr is its length, and the second is the address family.
    family = int.from_bytes(head, sys.byteorder) if sys.platform == "linux" else head[1]
    if family == socket.AF_INET:
        yield IPv4Address(ctypes.string_at(pointer + 4, 4))
    elif family == socket.AF_INET6:
        yield IPv6Address(ctypes.string_at(pointer + 8, 16))
