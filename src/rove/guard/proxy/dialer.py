"""Resolves a host, checks its addresses and connects to one of them. All outgoing connections are made here."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from ipaddress import IPv4Address

from rove.guard.hosts.connection_errors import Failure, Unreachable, failure_of
from rove.guard.hosts.host_rules import HostRules
from rove.guard.hosts.local_machine import OwnPorts, is_this_machine
from rove.guard.hosts.refusal import IP, Refusal, RefusalReason
from rove.guard.hosts.resolver import Lookups, Resolver
from rove.guard.hosts.urls import Endpoint
from rove.guard.http.byte_stream import ByteStream
from rove.guard.proxy.upstream import Upstream
from rove.validation.record import dataclass

# Shorter than the deadline of a call, so that the call can still report this timeout.
CONNECT_TIMEOUT = 10.0
# Seconds after which the next address is tried while an attempt is still running (RFC 8305).
_ATTEMPT_DELAY = 0.25
# When all addresses of a host fail, the failure that comes first in this list is reported.
_MOST_SPECIFIC_FIRST = (
    Failure.CREDENTIALS, Failure.REFUSED, Failure.RESET, Failure.UPSTREAM, Failure.TIMEOUT, Failure.UNREACHABLE,
)  # fmt: skip


class ForbiddenAddress(Exception):
    """The rules forbid a host or one of its addresses."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


@dataclass(frozen=True)
class DialedConnection:
    """A connection to an address that was checked."""

    stream: ByteStream
    address: IP


Attempt = Callable[[], Coroutine[None, None, DialedConnection]]


class Dialer:
    """Connects to the hosts that the rules allow."""

    def __init__(self, own_ports: OwnPorts, resolver: Resolver, upstream: Upstream | None = None) -> None:
        self._own_ports = own_ports
        self._lookups = Lookups(resolver)
        self._upstream = upstream
        if upstream is not None and upstream.endpoint.address is not None:
            own_ports.add(upstream.endpoint.address, upstream.endpoint.port)

    async def dial(self, endpoint: Endpoint, rules: HostRules) -> DialedConnection:
        """Connect to an endpoint. Raises ForbiddenAddress or Unreachable."""
        addresses = await self.resolve(endpoint, rules)
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT):
                return await _first_connected([self._attempt(address, endpoint.port) for address in addresses])
        except TimeoutError as error:
            raise Unreachable(Failure.TIMEOUT, f"{endpoint} does not answer") from error

    async def resolve(self, endpoint: Endpoint, rules: HostRules) -> Sequence[IP]:
        """Return the addresses of an endpoint after checking all of them. Raises ForbiddenAddress or Unreachable."""
        self._check_name(endpoint, rules)
        addresses = [endpoint.address] if endpoint.address else await self._lookups.addresses(endpoint.host)
        self.check(endpoint, addresses, rules)
        return addresses

    def check(self, endpoint: Endpoint, addresses: Sequence[IP], rules: HostRules) -> None:
        """Raise ForbiddenAddress unless the rules allow the endpoint with all of these addresses."""
        self._check_name(endpoint, rules)
        if refusal := rules.refuse_addresses(endpoint, addresses, self._own_ports):
            raise ForbiddenAddress(refusal)

    def _check_name(self, endpoint: Endpoint, rules: HostRules) -> None:
        if self._upstream is not None and endpoint == self._upstream.endpoint:
            raise ForbiddenAddress(Refusal(endpoint.host, endpoint.port, RefusalReason.OWN_PORT))
        if refusal := rules.refuse_name(endpoint, self._own_ports):
            raise ForbiddenAddress(refusal)

    def _attempt(self, address: IP, port: int) -> Attempt:
        # An upstream proxy on another machine would connect to its own loopback addresses, not to ours.
        if self._upstream is None or is_this_machine(address):
            return partial(_connect, address, port)
        return partial(self._connect_through, self._upstream, address, port)

    async def _connect_through(self, upstream: Upstream, address: IP, port: int) -> DialedConnection:
        proxy = upstream.endpoint
        try:
            addresses = [proxy.address] if proxy.address else await self._lookups.addresses(proxy.host)
            for each in addresses:
                self._own_ports.add(
                    each, proxy.port
                )  # a page that could reach the proxy could request any host from it
            stream = (await _first_connected([partial(_connect, each, proxy.port) for each in addresses])).stream
        except Unreachable as error:
            raise Unreachable(Failure.UPSTREAM, "the upstream proxy cannot be reached") from error
        try:
            await upstream.connect(stream, address, port)
        except BaseException:
            stream.abort()
            raise
        return DialedConnection(stream, address)


async def _connect(address: IP, port: int) -> DialedConnection:
    loop = asyncio.get_running_loop()
    connecting_socket = socket.socket(socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6)
    try:
        connecting_socket.setblocking(False)
        await loop.sock_connect(connecting_socket, (str(address), port))
        _, stream = await loop.create_connection(ByteStream, sock=connecting_socket)
    except OSError as error:
        connecting_socket.close()
        raise Unreachable(failure_of(error), str(error)) from error
    except BaseException:
        connecting_socket.close()
        raise
    return DialedConnection(stream, address)


async def _first_connected(attempts: Sequence[Attempt]) -> DialedConnection:
    """Return the first connection that succeeds. Attempts start one after the other, without waiting for slow ones."""
    if len(attempts) == 1:
        return await attempts[0]()
    running: set[asyncio.Task[DialedConnection]] = set()
    failures: list[Unreachable] = []
    try:
        for attempt in attempts:
            running.add(asyncio.create_task(attempt()))
            if connection := await _wait_for_attempt(running, failures, _ATTEMPT_DELAY):
                return connection
        while running:
            if connection := await _wait_for_attempt(running, failures, None):
                return connection
    finally:
        for task in running:
            task.cancel()
            task.add_done_callback(_abort_connection)
    raise min(failures, key=lambda failure: _MOST_SPECIFIC_FIRST.index(failure.kind))


async def _wait_for_attempt(
    running: set[asyncio.Task[DialedConnection]], failures: list[Unreachable], timeout: float | None
) -> DialedConnection | None:
    """Wait until an attempt ends or the time is up. Return its connection if it succeeded."""
    done, _ = await asyncio.wait(running, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
    running -= done
    connected: list[DialedConnection] = []
    for task in done:
        try:
            connected.append(task.result())
        except Unreachable as error:
            failures.append(error)
    for extra in connected[1:]:
        extra.stream.abort()
    return connected[0] if connected else None


def _abort_connection(task: asyncio.Task[DialedConnection]) -> None:
    """Close a connection that succeeded after another one was chosen."""
    if not task.cancelled() and task.exception() is None:
        task.result().stream.abort()
