"""How a rove process connects to a cluster."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from rove.errors import InvalidArguments
from rove.validation.record import dataclass

DEFAULT_PORT = 6379


@dataclass(frozen=True)
class ClusterOptions:
    """Where the head is, and how long it is waited for.

    `address`: host and port of the head. `connect_seconds`: for the first connection. `head_seconds`: how long a head
    that has gone is waited for; None for ever. `lease_seconds`: after so long without a word from its rove process a
    node ends what it does for it. `runtime_env`: Ray's runtime environment of the nodes' processes.
    """

    address: str
    connect_seconds: float = 60.0
    head_seconds: float | None = 300.0
    lease_seconds: float = 60.0
    # Seconds between two looks at the nodes.
    poll_seconds: float = 1.0
    # Seconds that a node has to start its actor, with what Ray installs for it.
    start_seconds: float = 120.0
    runtime_env: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def host(self) -> str:
        return split_address(self.address)[0]

    @property
    def port(self) -> int:
        return split_address(self.address)[1]


def split_address(address: str) -> tuple[str, int]:
    """Return host and port of a head. Raises InvalidArguments."""
    host, separator, port = address.rpartition(":")
    if not separator:
        host, port = address, str(DEFAULT_PORT)
    host = host.removeprefix("[").removesuffix("]")
    if not host or "/" in host or not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        hint = f"Write the host and the port of the Ray head, such as 10.0.0.5:{DEFAULT_PORT}."
        raise InvalidArguments(f"--cluster {address}: this is not an address of a Ray cluster.", hint=hint)
    return host, int(port)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, and cannot be reached from another."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
