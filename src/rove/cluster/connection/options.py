"""How a rove process connects to a cluster: options, what is known of a node, whether its head answers."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import os
import ssl
from collections.abc import Mapping
from dataclasses import field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from rove.errors import InvalidArguments
from rove.records import dataclass

CLUSTER_PACKAGES = ("ray", "fsspec")
INSTALL_CLUSTER = "pip install 'rove[cluster]'"
NodeState = Literal["ready", "draining", "refused", "lost"]
DEFAULT_PORT = 6379

PROBE_SECONDS = 2.0
# The protocol of Ray's ports, which a server for gRPC wants to be asked for.
PROTOCOL = "h2"
# Where Ray looks for the token in the home of the user, if no other file is set.
DEFAULT_TOKEN = ".ray/auth_token"


def require_cluster_packages() -> None:
    """Raise InvalidArguments, with what to install, where the extra is not installed."""
    if not all(map(find_spec, CLUSTER_PACKAGES)):
        hint = f"Run {INSTALL_CLUSTER}, here and on every node."
        raise InvalidArguments("--cluster needs rove's extra `cluster`, which is not installed.", hint=hint)


@dataclass(frozen=True)
class NodeFacts:
    """A node as it was when it was last asked.

    `id`: its name and the beginning of Ray's id, such as `10.0.0.7-3f2a1b9c`. Memory is in bytes, within the tightest
    limit of the node. `machine`: the same for nodes that share one machine, and so its memory. `key`: its public key,
    which secrets are encrypted to. `services`: what each service says of itself. `reason`: why it is not used.
    """

    id: str
    address: str
    cores: float = 0.0
    memory_total: int = 0
    memory_free: int = 0
    version: str = ""
    state: NodeState = "ready"
    reason: str = ""
    machine: str = ""
    key: bytes = b""
    # Seconds that the node took to answer, and processes that wait for a core of it.
    latency: float = 0.0
    load: float = 0.0
    services: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, Mapping[str, Any]])

    @property
    def sessions(self) -> int:
        """How many sessions are open there."""
        return int(self.services.get("sessions", {}).get("open", 0))


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


class HeadRefused(Exception):
    """The head does not trust this process, or must not be trusted; another attempt would end the same way."""


async def probe_head(options: ClusterOptions, environment: Mapping[str, str]) -> str:
    """Return why a head does not answer; nothing if it does. Raises HeadRefused for its certificate."""
    _refuse_unreadable_token(environment)
    context = _tls_context(environment) if uses_tls(environment) else None
    name = options.host if context is not None else None
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            _, writer = await asyncio.open_connection(options.host, options.port, ssl=context, server_hostname=name)
    except ssl.SSLCertVerificationError as error:
        raise HeadRefused(f"its certificate is not trusted here ({error.verify_message})") from error
    except ssl.SSLError:
        return "it does not speak TLS, which is set here"
    except (OSError, TimeoutError):
        return "nothing listens at that address"
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
    return ""


def _tls_context(environment: Mapping[str, str]) -> ssl.SSLContext:
    """Return how Ray's processes with this environment connect. Raises HeadRefused if its files cannot be read."""
    try:
        context = ssl.create_default_context(cafile=environment["RAY_TLS_CA_CERT"])
        context.load_cert_chain(environment["RAY_TLS_SERVER_CERT"], environment["RAY_TLS_SERVER_KEY"])
    except KeyError as error:
        raise HeadRefused(f"RAY_USE_TLS is set here, and {error.args[0]} is not") from error
    except OSError as error:
        raise HeadRefused(f"the certificates of RAY_TLS_… cannot be read here ({error.strerror or error})") from error
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # Ray's own library does without
    context.set_alpn_protocols([PROTOCOL])
    return context


def _refuse_unreadable_token(environment: Mapping[str, str]) -> None:
    """Raise HeadRefused if the token cannot be read: Ray would end its process without a word."""
    if uses_token(environment) and not environment.get("RAY_AUTH_TOKEN"):
        file = Path(environment.get("RAY_AUTH_TOKEN_PATH") or Path.home() / DEFAULT_TOKEN)
        if not os.access(file, os.R_OK):
            raise HeadRefused(f"the token, {file}, cannot be read here")


def uses_token(environment: Mapping[str, str]) -> bool:
    """Whether Ray, in a process with this environment, shows a token."""
    return environment.get("RAY_AUTH_MODE", "").lower() == "token"


def uses_tls(environment: Mapping[str, str]) -> bool:
    """Whether Ray, in a process with this environment, speaks TLS."""
    return environment.get("RAY_USE_TLS", "").lower() in ("1", "true")
