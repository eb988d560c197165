"""Why a connection was refused: the host, the rule, and the flag that would allow it."""

from __future__ import annotations

from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address

from rove.advice import Verbatim
from rove.errors import Denied
from rove.record import dataclass

IP = IPv4Address | IPv6Address

ALLOW_FLAG = "--allow-host"
ONLY_FLAG = "--only-host"
DENY_FLAG = "--deny-host"


class RefusalReason(StrEnum):
    """What stands against a host or an address. The names are stable; callers branch on them."""

    LOOPBACK = "loopback"
    PRIVATE = "private"
    LINK_LOCAL = "link-local"
    CGNAT = "cgnat"
    MULTICAST = "multicast"
    BROADCAST = "broadcast"
    THIS_NETWORK = "this-network"
    RESERVED = "reserved"
    DOCUMENTATION = "documentation"
    BENCHMARKING = "benchmarking"
    RELAY_ANYCAST = "6to4-anycast"
    TRANSITION = "transition"
    THIS_MACHINE = "this-machine"
    LOCAL_NAME = "local-name"
    METADATA = "metadata"
    OWN_PORT = "own-port"
    DENIED = "denied-host"
    NOT_LISTED = "not-listed"
    TOO_MANY = "too-many-addresses"
    UNREADABLE = "unreadable"


_BECAUSE = {
    RefusalReason.LOOPBACK: "it is this machine itself",
    RefusalReason.PRIVATE: "it lies in a private network",
    RefusalReason.LINK_LOCAL: "it lies on the local link",
    RefusalReason.CGNAT: "it lies in a provider's own network",
    RefusalReason.MULTICAST: "it is a multicast address",
    RefusalReason.BROADCAST: "it is the broadcast address",
    RefusalReason.THIS_NETWORK: "it means this network, not a host",
    RefusalReason.RESERVED: "it lies in a reserved range",
    RefusalReason.DOCUMENTATION: "it lies in a range for documentation",
    RefusalReason.BENCHMARKING: "it lies in a range for benchmarks",
    RefusalReason.RELAY_ANYCAST: "it is a relay of a retired protocol",
    RefusalReason.TRANSITION: "it hides an IPv4 address in a retired or local form",
    RefusalReason.THIS_MACHINE: "it is an address of this machine",
    RefusalReason.LOCAL_NAME: "it is a name of the local network",
    RefusalReason.METADATA: "it is a cloud's metadata service",
    RefusalReason.OWN_PORT: "it is a port of rove itself",
    RefusalReason.DENIED: "it is on the list of denied hosts",
    RefusalReason.NOT_LISTED: "it is not on the list of the only hosts that may be reached",
    RefusalReason.TOO_MANY: "its name has more addresses than are checked",
    RefusalReason.UNREADABLE: "it cannot be read as an address of the web",
}
_NEVER = frozenset({RefusalReason.METADATA, RefusalReason.OWN_PORT, RefusalReason.TOO_MANY, RefusalReason.UNREADABLE})


@dataclass(frozen=True)
class Refusal:
    """A connection that was not made."""

    host: str
    port: int
    rule: RefusalReason
    address: IP | None = None

    @property
    def place(self) -> str:
        if not self.port:  # what could not be read stands here as it came
            return self.host
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def message(self) -> str:
        resolved = self.address is not None and not _is_written_so(self.host, self.address)
        found = f" ({self.address})" if resolved else ""
        return f"{self.place}{found} is not reached: {_BECAUSE[self.rule]} ({self.rule})."

    @property
    def hint(self) -> str:
        """Who could allow it, and how: never the agent, and for some things nobody."""
        if self.rule in _NEVER:
            return "This is never allowed; do not try another way round it."
        if self.rule is RefusalReason.DENIED:
            return f"Only the person who runs rove can take it off {DENY_FLAG}; do not try another way round it."
        flag = ONLY_FLAG if self.rule is RefusalReason.NOT_LISTED else ALLOW_FLAG
        return f"The person who runs rove can allow it with `{flag} {self.place}`; do not try another way round it."

    def error(self) -> Denied:
        """What the agent is told."""
        return Denied(self.message, hint=Verbatim(self.hint))  # a host in it may have braces


def _is_written_so(host: str, address: IP) -> bool:
    try:
        return ip_address(host) == address
    except ValueError:
        return False
