"""Decides which hosts may be reached: by default all public ones. Lists allow more hosts or fewer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from ipaddress import IPv4Address

from rove.guard.hosts.addresses import equivalent_addresses, refusal_reason
from rove.guard.hosts.host_patterns import HostPattern, parse_patterns
from rove.guard.hosts.local_machine import OwnPorts, own_addresses
from rove.guard.hosts.refusal import IP, Refusal, RefusalReason
from rove.guard.hosts.urls import Endpoint, origin_of
from rove.validation.record import dataclass

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
