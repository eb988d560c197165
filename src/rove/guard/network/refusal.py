"""Why a connection was refused, or failed though the rules allow it."""

from __future__ import annotations

import errno
from enum import StrEnum
from ipaddress import IPv4Address, IPv6Address, ip_address

from rove.advice import Verbatim
from rove.errors import Denied
from rove.page_text import NOWHERE, PageText
from rove.records import dataclass

IP = IPv4Address | IPv6Address
ALLOW_FLAG = "--allow-host"
ONLY_FLAG = "--only-host"
DENY_FLAG = "--deny-host"


class Failure(StrEnum):
    """Kinds of failed connections. A browser behind a proxy reports the same error for all of them."""

    DNS = "dns"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    TIMEOUT = "timeout"
    RESET = "reset"
    EMPTY = "empty"  # the server closed the connection without sending a byte
    SHORT = "short"  # the server closed the connection in the middle of a message
    MALFORMED = "malformed"
    UPSTREAM = "upstream"
    CREDENTIALS = "credentials"  # the upstream proxy did not accept them


class Unreachable(Exception):
    """A connection to an allowed host failed."""

    def __init__(self, kind: Failure, detail: str = "") -> None:
        super().__init__(f"{kind}: {detail}" if detail else kind)
        self.kind = kind


_RESET = frozenset({errno.ECONNRESET, errno.EPIPE, errno.ECONNABORTED})


def failure_of(error: OSError) -> Failure:
    """Return the kind of failure that an error of the operating system means."""
    if error.errno == errno.ECONNREFUSED:
        return Failure.REFUSED
    if isinstance(error, TimeoutError):
        return Failure.TIMEOUT
    return Failure.RESET if error.errno in _RESET else Failure.UNREACHABLE


class RefusalReason(StrEnum):
    """Why a host or an address is refused. The values are stable; callers may branch on them."""

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


_EXPLANATIONS = {
    RefusalReason.LOOPBACK: "it is this machine itself",
    RefusalReason.PRIVATE: "it is in a private network",
    RefusalReason.LINK_LOCAL: "it is a link-local address",
    RefusalReason.CGNAT: "it is in the internal network of a provider",
    RefusalReason.MULTICAST: "it is a multicast address",
    RefusalReason.BROADCAST: "it is the broadcast address",
    RefusalReason.THIS_NETWORK: "it means this network, not a host",
    RefusalReason.RESERVED: "it is in a reserved range",
    RefusalReason.DOCUMENTATION: "it is in a range for documentation",
    RefusalReason.BENCHMARKING: "it is in a range for benchmarks",
    RefusalReason.RELAY_ANYCAST: "it is a relay of a retired protocol",
    RefusalReason.TRANSITION: "it embeds an IPv4 address in a retired or local-only form",
    RefusalReason.THIS_MACHINE: "it is an address of this machine",
    RefusalReason.LOCAL_NAME: "it is a name in the local network",
    RefusalReason.METADATA: "it is the metadata service of a cloud provider",
    RefusalReason.OWN_PORT: "it is a port that rove itself uses",
    RefusalReason.DENIED: "it is on the list of denied hosts",
    RefusalReason.NOT_LISTED: "it is not on the list of the only hosts that may be reached",
    RefusalReason.TOO_MANY: "its name has more addresses than rove checks",
    RefusalReason.UNREADABLE: "it is not a valid web address",
}
_NEVER_ALLOWED = frozenset(
    {RefusalReason.METADATA, RefusalReason.OWN_PORT, RefusalReason.TOO_MANY, RefusalReason.UNREADABLE}
)


@dataclass(frozen=True)
class Refusal:
    """A connection that the rules forbid."""

    host: str
    port: int
    reason: RefusalReason
    address: IP | None = None

    @property
    def host_and_port(self) -> str:
        if not self.port:  # the URL could not be parsed, and `host` holds its text
            return self.host
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def message(self) -> str:
        resolved = self.address is not None and not _is_same_address(self.host, self.address)
        resolved_to = f" ({self.address})" if resolved else ""
        return f"{self.host_and_port}{resolved_to} is not allowed: {_EXPLANATIONS[self.reason]} ({self.reason})."

    @property
    def facts(self) -> dict[str, str | None]:
        """What is told of it to people who watch the session."""
        facts = {"host": self.host_and_port, "reason": self.reason.value, "message": self.message}
        return {**facts, "flag": self.flag}

    @property
    def flag(self) -> str | None:
        """The flag, with its value, that would allow the connection; None if none does."""
        if self.reason in _NEVER_ALLOWED or self.reason is RefusalReason.DENIED:
            return None
        flag = ONLY_FLAG if self.reason is RefusalReason.NOT_LISTED else ALLOW_FLAG
        return f"{flag} {self.host_and_port}"

    @property
    def hint(self) -> str:
        """Say how the owner can allow the connection, if the owner can. The agent never can."""
        if self.reason in _NEVER_ALLOWED:
            return "rove never allows this; do not try to get around it."
        if self.reason is RefusalReason.DENIED:
            return f"Only the person who runs rove can remove it from {DENY_FLAG}; do not try to get around it."
        return f"The person who runs rove can allow it with `{self.flag}`; do not try to get around it."

    def error(self) -> Denied:
        """Return the error that the agent receives."""
        # A host in it may contain braces; without a port, it is text of a URL that a page may have made up.
        message = self.message if self.port else PageText(self.message, NOWHERE)
        return Denied(message, hint=Verbatim(self.hint))


def _is_same_address(host: str, address: IP) -> bool:
    try:
        return ip_address(host) == address
    except ValueError:
        return False
