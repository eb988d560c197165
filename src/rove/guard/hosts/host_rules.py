"""Who may be reached: by default the public net, with lists that open more of it or less."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address

from rove.guard.hosts.addresses import faces, verdict
from rove.guard.hosts.host_patterns import HostPattern, patterns
from rove.guard.hosts.local_machine import OwnPorts, own_addresses
from rove.guard.hosts.refusal import IP, Refusal, RefusalReason
from rove.guard.hosts.urls import Endpoint, origin_of
from rove.record import dataclass

# More than any honest name has; checking without end would be a way to keep the guard busy.
MOST_ADDRESSES = 64

_LOOPBACK = IPv4Address("127.0.0.1")
_LOCAL_NAMES = frozenset({"localhost", "local", "internal", "home.arpa"})
# The addresses behind them are refused too; the names spare the lookup, and hold where one resolves to another address.
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
class HostRules:
    """A session's rules. The lists never lift what is always refused: metadata services and rove's own ports."""

    allow: tuple[HostPattern, ...] = ()  # opened although not public
    only: tuple[HostPattern, ...] | None = None  # if given, nothing else is reached; and still only what is open
    deny: tuple[HostPattern, ...] = ()  # never reached, nor what is under it

    @classmethod
    def of(
        cls, allow_hosts: Iterable[str] = (), only_hosts: Iterable[str] | None = None, deny_hosts: Iterable[str] = ()
    ) -> HostRules:
        """From lists as a person writes them; raises InvalidSettings."""
        return cls(patterns(allow_hosts), None if only_hosts is None else patterns(only_hosts), patterns(deny_hosts))

    def refuse_url(self, url: str, own: OwnPorts) -> Refusal | None:
        """What can be said of a URL without asking a name server: a friendly word before the proxy's last one."""
        origin = origin_of(url)
        if origin is None:
            return Refusal(url[:200], 0, RefusalReason.UNREADABLE)
        return self.refuse_endpoint(origin.endpoint, own)

    def refuse_endpoint(self, endpoint: Endpoint, own: OwnPorts) -> Refusal | None:
        """The same of a host and a port."""
        refusal, address = self.refuse_name(endpoint, own), endpoint.address
        return refusal if refusal or address is None else self.refuse_addresses(endpoint, [address], own)

    def refuse_name(self, endpoint: Endpoint, own: OwnPorts) -> Refusal | None:
        """What can be said before anyone asks where it leads."""
        # First, as the word on a local name would offer a flag that does not open this.
        if _is_this_machine(endpoint.host) and own.holds(_LOOPBACK, endpoint.port):
            return Refusal(endpoint.host, endpoint.port, RefusalReason.OWN_PORT)
        if endpoint.host in _METADATA_NAMES:
            return Refusal(endpoint.host, endpoint.port, RefusalReason.METADATA)
        if any(entry.covers(endpoint) for entry in self.deny):
            return Refusal(endpoint.host, endpoint.port, RefusalReason.DENIED)
        if self.only is not None and not any(entry.matches(endpoint) for entry in self.only):
            return Refusal(endpoint.host, endpoint.port, RefusalReason.NOT_LISTED)
        if endpoint.address is None and _is_local_name(endpoint.host) and not self._opens(endpoint):
            return Refusal(endpoint.host, endpoint.port, RefusalReason.LOCAL_NAME)
        return None

    def refuse_addresses(self, endpoint: Endpoint, addresses: Sequence[IP], own: OwnPorts) -> Refusal | None:
        """What stands against any of the addresses it leads to: one that is forbidden forbids the name."""
        if len(addresses) > MOST_ADDRESSES:
            return Refusal(endpoint.host, endpoint.port, RefusalReason.TOO_MANY)
        is_opened = self._opens(endpoint)
        for address in addresses:
            rule = self._always(address, endpoint.port, own)
            if rule is None and not is_opened:
                rule = verdict(address) or _of_this_machine(address)
            if rule is not None:
                return Refusal(endpoint.host, endpoint.port, rule, address)
        return None

    def _always(self, address: IP, port: int, own: OwnPorts) -> RefusalReason | None:
        if verdict(address) is RefusalReason.METADATA:
            return RefusalReason.METADATA
        if own.holds(address, port):
            return RefusalReason.OWN_PORT
        denied = any(entry.covers_address(face, port) for entry in self.deny for face in faces(address))
        return RefusalReason.DENIED if denied else None

    def _opens(self, endpoint: Endpoint) -> bool:
        return any(entry.matches(endpoint) for entry in self.allow)


def _is_this_machine(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost")


def _is_local_name(host: str) -> bool:
    labels = host.split(".")
    return len(labels) == 1 or labels[-1] in _LOCAL_NAMES or ".".join(labels[-2:]) in _LOCAL_NAMES


def _of_this_machine(address: IP) -> RefusalReason | None:
    own = own_addresses()
    return RefusalReason.THIS_MACHINE if any(face in own for face in faces(address)) else None
