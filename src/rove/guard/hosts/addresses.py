"""Which addresses are public, from a table of our own.

`ipaddress.is_global` changes with Python's version and calls many of these global. The table follows IANA's
special-purpose registries; where those say "not applicable", or guard against nothing (multicast, 6to4), the answer
here is no. Of IPv6 only 2000::/3 was ever given out for the public net, so whatever lies outside is reserved.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from rove.guard.hosts.refusal import IP, RefusalReason

Public = None
_TABLE_4: dict[str, RefusalReason | None] = {
    "0.0.0.0/8": RefusalReason.THIS_NETWORK,
    "10.0.0.0/8": RefusalReason.PRIVATE,
    "100.64.0.0/10": RefusalReason.CGNAT,
    "127.0.0.0/8": RefusalReason.LOOPBACK,
    "169.254.0.0/16": RefusalReason.LINK_LOCAL,
    "172.16.0.0/12": RefusalReason.PRIVATE,
    "192.0.0.0/24": RefusalReason.RESERVED,
    "192.0.0.9/32": Public,  # PCP anycast: reachable from everywhere, says the registry
    "192.0.0.10/32": Public,  # TURN anycast: likewise
    "192.0.2.0/24": RefusalReason.DOCUMENTATION,
    "192.88.99.0/24": RefusalReason.RELAY_ANYCAST,
    "192.168.0.0/16": RefusalReason.PRIVATE,
    "198.18.0.0/15": RefusalReason.BENCHMARKING,
    "198.51.100.0/24": RefusalReason.DOCUMENTATION,
    "203.0.113.0/24": RefusalReason.DOCUMENTATION,
    "224.0.0.0/4": RefusalReason.MULTICAST,
    "240.0.0.0/4": RefusalReason.RESERVED,
    "255.255.255.255/32": RefusalReason.BROADCAST,
}
_TABLE_6: dict[str, RefusalReason | None] = {
    "::/0": RefusalReason.RESERVED,
    "2000::/3": Public,
    "::/128": RefusalReason.THIS_NETWORK,
    "::1/128": RefusalReason.LOOPBACK,
    "::/96": RefusalReason.TRANSITION,  # IPv4-compatible
    "::ffff:0:0:0/96": RefusalReason.TRANSITION,  # SIIT
    "64:ff9b:1::/48": RefusalReason.TRANSITION,  # NAT64 inside one network
    "2001::/23": RefusalReason.RESERVED,
    "2001::/32": RefusalReason.TRANSITION,  # Teredo
    "2001:1::1/128": Public,  # PCP, TURN and DNS-SD anycast
    "2001:1::2/128": Public,
    "2001:1::3/128": Public,
    "2001:2::/48": RefusalReason.BENCHMARKING,
    "2001:3::/32": Public,  # AMT
    "2001:4:112::/48": Public,  # AS112
    "2001:20::/28": Public,  # ORCHIDv2
    "2001:30::/28": Public,  # drone identifiers
    "2001:db8::/32": RefusalReason.DOCUMENTATION,
    # 6to4's relays are gone and nothing public is left there, so it is refused even around a public address.
    "2002::/16": RefusalReason.TRANSITION,
    "3fff::/20": RefusalReason.DOCUMENTATION,
    "fc00::/7": RefusalReason.PRIVATE,
    "fe80::/10": RefusalReason.LINK_LOCAL,
    "fec0::/10": RefusalReason.PRIVATE,
    "ff00::/8": RefusalReason.MULTICAST,
}
# Where machines in a cloud find their own credentials. Refused even where private networks are allowed.
METADATA = frozenset(
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
_SIXTOFOUR = 0x2002
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})
_LOW = 0xFFFFFFFF

_Lookup = tuple[tuple[int, dict[int, RefusalReason | None]], ...]


def _longest_first(networks: list[tuple[IPv4Network | IPv6Network, RefusalReason | None]]) -> _Lookup:
    """The table by length of prefix, so that the most particular entry decides."""
    lengths: dict[int, dict[int, RefusalReason | None]] = {}
    for network, rule in networks:
        shift = network.max_prefixlen - network.prefixlen
        lengths.setdefault(shift, {})[int(network.network_address) >> shift] = rule
    return tuple(sorted(lengths.items()))


_LOOKUP_4 = _longest_first([(IPv4Network(text), rule) for text, rule in _TABLE_4.items()])
_LOOKUP_6 = _longest_first([(IPv6Network(text), rule) for text, rule in _TABLE_6.items()])


def verdict(address: IP) -> RefusalReason | None:
    """The rule against this address; None if it is public."""
    if any(each in METADATA for each in faces(address)):
        return RefusalReason.METADATA
    if isinstance(address, IPv4Address):
        return _find(_LOOKUP_4, int(address))
    top = int(address) >> 32
    inner = [_find(_LOOKUP_4, int(each)) for each in embedded(address)]
    # A mapped address is IPv4 to the socket, and NAT64's own prefix is what networks without IPv4 hand out for
    # every ordinary site: what is inside decides alone.
    if top in (_MAPPED, _NAT64):
        return inner[0]
    outer = _find(_LOOKUP_6, int(address))
    if outer in (None, RefusalReason.TRANSITION):  # what is inside says more
        return next((rule for rule in inner if rule is not None), outer)
    return outer


def faces(address: IP) -> Iterator[IP]:
    """The address without its zone, and every IPv4 address that it may stand for."""
    if isinstance(address, IPv4Address):
        yield address
    else:
        yield IPv6Address(int(address))
        yield from embedded(address)


def embedded(address: IPv6Address) -> tuple[IPv4Address, ...]:
    """The IPv4 addresses inside an IPv6 address, in every form in which something may deliver to them."""
    value = int(address)
    if value >> 32 in (_MAPPED, _COMPATIBLE, _SIIT, _NAT64):
        return (IPv4Address(value & _LOW),)
    if value >> 80 == _NAT64_LOCAL:
        return tuple(_translated(value, length) for length in (48, 56, 64, 96))
    if value >> 112 == _SIXTOFOUR:
        return (IPv4Address(value >> 80 & _LOW),)
    if value >> 96 == _TEREDO:  # the server, and the client with every bit turned over
        return (IPv4Address(value >> 64 & _LOW), IPv4Address(~value & _LOW))
    if value >> 32 & _LOW in _ISATAP:
        return (IPv4Address(value & _LOW),)
    return ()


def _translated(value: int, prefix: int) -> IPv4Address:
    """The address that a translator with a prefix of this length reads; it skips the ninth octet (RFC 6052)."""
    octets = value.to_bytes(16, "big")
    start = prefix // 8
    return IPv4Address((octets[start:8] + octets[9:] if start <= 8 else octets[start:])[:4])


def _find(lookup: _Lookup, value: int) -> RefusalReason | None:
    for shift, rules in lookup:
        if (prefix := value >> shift) in rules:
            return rules[prefix]
    return None
