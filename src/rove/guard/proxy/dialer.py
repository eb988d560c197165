"""Resolve, check, dial: the one way out. What is dialled is an address that was checked, never a name."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from ipaddress import IPv4Address

from rove.guard.hosts.host_rules import HostRules
from rove.guard.hosts.local_machine import OwnPorts, is_here
from rove.guard.hosts.refusal import IP, Refusal, RefusalReason
from rove.guard.hosts.resolver import Lookups, Resolver
from rove.guard.hosts.urls import Endpoint
from rove.guard.http.byte_stream import ByteStream
from rove.guard.proxy.connection_errors import Failure, Unreachable, kind_of
from rove.guard.proxy.upstream import Upstream
from rove.record import dataclass

# Short of the deadline that calls have, so that they can say why.
CONNECT_PATIENCE = 10.0
# How much of a start one address has over the next (RFC 8305).
_HEAD_START = 0.25
# The one that tells most, of the failures of several addresses.
_TELLING = (
    Failure.CREDENTIALS, Failure.REFUSED, Failure.RESET, Failure.UPSTREAM, Failure.TIMEOUT, Failure.UNREACHABLE,
)  # fmt: skip


class ForbiddenAddress(Exception):
    """The rules say no."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


@dataclass(frozen=True)
class DialedConnection:
    """A link to an address that was checked."""

    stream: ByteStream
    address: IP


Attempt = Callable[[], Coroutine[None, None, DialedConnection]]


class Dialer:
    """Connects to whom the rules allow."""

    def __init__(self, own: OwnPorts, resolver: Resolver, upstream: Upstream | None = None) -> None:
        self._own = own
        self._lookups = Lookups(resolver)
        self._upstream = upstream
        if upstream is not None and upstream.endpoint.address is not None:
            own.add(upstream.endpoint.address, upstream.endpoint.port)

    async def dial(self, endpoint: Endpoint, rules: HostRules) -> DialedConnection:
        """Raises Forbidden or Unreachable."""
        addresses = await self.resolve(endpoint, rules)
        try:
            async with asyncio.timeout(CONNECT_PATIENCE):
                return await _first([self._attempt(address, endpoint.port) for address in addresses])
        except TimeoutError as error:
            raise Unreachable(Failure.TIMEOUT, f"{endpoint} does not answer") from error

    async def resolve(self, endpoint: Endpoint, rules: HostRules) -> Sequence[IP]:
        """Where it leads, every address checked; raises Forbidden or Unreachable."""
        self._check_name(endpoint, rules)
        addresses = [endpoint.address] if endpoint.address else await self._lookups.addresses(endpoint.host)
        self.check(endpoint, addresses, rules)
        return addresses

    def check(self, endpoint: Endpoint, addresses: Sequence[IP], rules: HostRules) -> None:
        """Whether the rules let this endpoint lead to these addresses; raises Forbidden."""
        self._check_name(endpoint, rules)
        if refusal := rules.refuse_addresses(endpoint, addresses, self._own):
            raise ForbiddenAddress(refusal)

    def _check_name(self, endpoint: Endpoint, rules: HostRules) -> None:
        if self._upstream is not None and endpoint == self._upstream.endpoint:
            raise ForbiddenAddress(Refusal(endpoint.host, endpoint.port, RefusalReason.OWN_PORT))
        if refusal := rules.refuse_name(endpoint, self._own):
            raise ForbiddenAddress(refusal)

    def _attempt(self, address: IP, port: int) -> Attempt:
        # To a proxy elsewhere, this machine's addresses would be its own.
        if self._upstream is None or is_here(address):
            return partial(_connect, address, port)
        return partial(self._connect_through, self._upstream, address, port)

    async def _connect_through(self, upstream: Upstream, address: IP, port: int) -> DialedConnection:
        proxy = upstream.endpoint
        try:
            found = [proxy.address] if proxy.address else await self._lookups.addresses(proxy.host)
            for each in found:
                self._own.add(each, proxy.port)  # a page that reached it could ask it for anything
            stream = (await _first([partial(_connect, each, proxy.port) for each in found])).stream
        except Unreachable as error:
            raise Unreachable(Failure.UPSTREAM, "the upstream proxy cannot be reached") from error
        try:
            await upstream.ask(stream, address, port)
        except BaseException:
            stream.abort()
            raise
        return DialedConnection(stream, address)


async def _connect(address: IP, port: int) -> DialedConnection:
    loop = asyncio.get_running_loop()
    link_socket = socket.socket(socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6)
    try:
        link_socket.setblocking(False)
        await loop.sock_connect(link_socket, (str(address), port))
        _, stream = await loop.create_connection(ByteStream, sock=link_socket)
    except OSError as error:
        link_socket.close()
        raise Unreachable(kind_of(error), str(error)) from error
    except BaseException:
        link_socket.close()
        raise
    return DialedConnection(stream, address)


async def _first(attempts: Sequence[Attempt]) -> DialedConnection:
    """The first attempt to succeed: each has a small start over the next, none waits for one that has failed."""
    if len(attempts) == 1:
        return await attempts[0]()
    running: set[asyncio.Task[DialedConnection]] = set()
    failures: list[Unreachable] = []
    try:
        for attempt in attempts:
            running.add(asyncio.create_task(attempt()))
            if won := await _settled(running, failures, _HEAD_START):
                return won
        while running:
            if won := await _settled(running, failures, None):
                return won
    finally:
        for task in running:
            task.cancel()
            task.add_done_callback(_close_stream)
    raise min(failures, key=lambda failure: _TELLING.index(failure.kind))


async def _settled(
    running: set[asyncio.Task[DialedConnection]], failures: list[Unreachable], patience: float | None
) -> DialedConnection | None:
    """The winner, if one of them wins before another fails or the time is up."""
    done, _ = await asyncio.wait(running, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
    running -= done
    winners: list[DialedConnection] = []
    for task in done:
        try:
            winners.append(task.result())
        except Unreachable as error:
            failures.append(error)
    for late in winners[1:]:
        late.stream.abort()
    return winners[0] if winners else None


def _close_stream(task: asyncio.Task[DialedConnection]) -> None:
    """Two of them got through at once, or one although it was called back."""
    if not task.cancelled() and task.exception() is None:
        task.result().stream.abort()
