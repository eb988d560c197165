"""All outgoing connections: names resolved, addresses checked, connected directly or through an upstream proxy.

The proxy checks the addresses of every lookup and connects to one of them. A cached answer would have to be checked
again.

The upstream proxy receives addresses, never names: if it resolved a name itself, its answer would go unchecked.
"""

from __future__ import annotations

import asyncio
import base64
import socket
import struct
import threading
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import field
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Protocol

from rove.errors import InvalidSettings
from rove.guard.network.addresses import OwnPorts, is_this_machine
from rove.guard.network.byte_stream import LENIENT_HEAD_END, ByteStream
from rove.guard.network.host_rules import HostRules
from rove.guard.network.http_messages import Malformed
from rove.guard.network.refusal import IP, Failure, Refusal, RefusalReason, Unreachable, failure_of
from rove.guard.network.urls import Endpoint, endpoint_of
from rove.records import dataclass

if TYPE_CHECKING:
    from dns.asyncresolver import Resolver as DnsPythonResolver

LOOKUP_TIMEOUT = 5.0
# With a dead name server, each lookup blocks a thread until the C library gives up. Further lookups wait.
_MAX_THREADS = 32
_LOOPBACK = (IPv4Address("127.0.0.1"), IPv6Address("::1"))
_DEFAULT_PORTS = {"http": 80, "socks5": 1080}
_SOCKS_FAILURES = {3: Failure.UNREACHABLE, 4: Failure.UNREACHABLE, 5: Failure.REFUSED, 6: Failure.TIMEOUT}
_HTTP_FAILURES = {
    b"407": Failure.CREDENTIALS,
    b"502": Failure.UNREACHABLE,
    b"503": Failure.UNREACHABLE,
    b"504": Failure.TIMEOUT,
}
_DISCONNECTS = (Failure.RESET, Failure.EMPTY, Failure.SHORT)
_NO_AUTHENTICATION, _USERNAME_PASSWORD = 0, 2

# Shorter than the deadline of a call, so that the call can still report this timeout.
CONNECT_TIMEOUT = 10.0
# Seconds after which the next address is tried while an attempt is still running (RFC 8305).
_ATTEMPT_DELAY = 0.25
# When all addresses of a host fail, the failure that comes first in this list is reported.
_MOST_SPECIFIC_FIRST = (
    Failure.CREDENTIALS, Failure.REFUSED, Failure.RESET, Failure.UPSTREAM, Failure.TIMEOUT, Failure.UNREACHABLE,
)  # fmt: skip


class Resolver(Protocol):
    """Resolves host names."""

    async def addresses(self, host: str) -> Sequence[IP]:
        """Return every address of the host, the preferred one first. Raises Unreachable."""
        ...


class SystemResolver:
    """Resolves names as this machine is configured to: with its hosts file and its name servers."""

    def __init__(self) -> None:
        self._thread_limit = asyncio.Semaphore(_MAX_THREADS)

    async def addresses(self, host: str) -> Sequence[IP]:
        async with self._thread_limit:
            loop = asyncio.get_running_loop()
            answer: asyncio.Future[list[IP]] = loop.create_future()
            # A daemon thread, because Python waits at exit for the threads of an executor.
            threading.Thread(target=_resolve_in_thread, args=(host, answer, loop), daemon=True).start()
            return await answer


class DnsResolver:
    """Resolves names with one given name server. Reads no hosts file and no search list."""

    def __init__(self, server: tuple[str, int], timeout: float = LOOKUP_TIMEOUT) -> None:
        self._server = server
        self._timeout = timeout
        self._dns_resolver: DnsPythonResolver | None = None

    async def addresses(self, host: str) -> Sequence[IP]:
        ipv6, ipv4 = await asyncio.gather(self._query(host, "AAAA"), self._query(host, "A"))
        if not ipv6 and not ipv4:
            raise Unreachable(Failure.DNS, f"{host} has no address")
        return [*ipv4, *ipv6]

    async def _query(self, host: str, record_type: str) -> list[IP]:
        import dns.exception
        import dns.resolver

        try:
            answer = await self._resolver().resolve(f"{host}.", record_type, raise_on_no_answer=False, search=False)
        except dns.resolver.LifetimeTimeout as error:
            raise Unreachable(Failure.TIMEOUT, f"no answer on {host}") from error
        except (dns.exception.DNSException, OSError) as error:
            raise Unreachable(Failure.DNS, str(error)[:200]) from error
        return [ip_address(record.address) for record in answer]

    def _resolver(self) -> DnsPythonResolver:
        """Create the resolver when it is first needed: dnspython takes 0.1 s to import, and few users set a server."""
        if self._dns_resolver is None:
            import dns.asyncresolver

            resolver = dns.asyncresolver.Resolver(configure=False)
            resolver.nameservers, resolver.port = [self._server[0]], self._server[1]
            resolver.lifetime, resolver.cache = self._timeout, None
            resolver.use_edns(0, 0, 1232)
            self._dns_resolver = resolver
        return self._dns_resolver


class Lookups:
    """Resolves names for a proxy. Requests for the same host share one lookup; localhost needs none."""

    def __init__(self, resolver: Resolver, timeout: float = LOOKUP_TIMEOUT) -> None:
        self._resolver = resolver
        self._timeout = timeout
        self._pending: dict[str, asyncio.Task[Sequence[IP]]] = {}

    async def addresses(self, host: str) -> Sequence[IP]:
        """Return every address of the host, at least one. Raises Unreachable."""
        # localhost always means this machine, whatever a name server says (RFC 6761).
        if host == "localhost" or host.endswith(".localhost"):
            return _LOOPBACK
        lookup = self._pending.get(host)
        if lookup is None:
            lookup = self._pending[host] = asyncio.ensure_future(self._query(host))
            lookup.add_done_callback(lambda task: self._remove(host, task))
        return await asyncio.shield(lookup)  # other requests may wait for the same lookup

    def _remove(self, host: str, task: asyncio.Task[Sequence[IP]]) -> None:
        del self._pending[host]
        if not task.cancelled():
            task.exception()  # all callers may be cancelled; asyncio would log an exception that was never retrieved

    async def _query(self, host: str) -> Sequence[IP]:
        try:
            async with asyncio.timeout(self._timeout):
                found = await self._resolver.addresses(host)
        except TimeoutError as error:
            raise Unreachable(Failure.TIMEOUT, f"no answer on {host}") from error
        if not found:
            raise Unreachable(Failure.DNS, f"{host} has no address")
        return found


def _resolve_in_thread(host: str, answer: asyncio.Future[list[IP]], loop: asyncio.AbstractEventLoop) -> None:
    """Resolve the host in a thread and deliver the result to the event loop, whose future may be cancelled by then."""
    found: list[IP] | Unreachable
    try:
        # As bytes, because Python would apply IDNA 2003 to a str, and browsers use other rules.
        entries = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
        found = list(dict.fromkeys(ip_address(entry[4][0]) for entry in entries))
    except (OSError, ValueError) as error:
        found = Unreachable(Failure.DNS, str(error)[:200])

    def deliver() -> None:
        if answer.done():
            return
        if isinstance(found, Unreachable):
            answer.set_exception(found)
        else:
            answer.set_result(found)

    if not loop.is_closed():
        loop.call_soon_threadsafe(deliver)


@dataclass(frozen=True)
class Upstream:
    """The protocol, endpoint and credentials of an upstream proxy."""

    kind: str
    endpoint: Endpoint
    username: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def of(cls, url: str) -> Upstream:
        """Parse `http://host:port` or `socks5://host:port`, with `user:password@` before the host if needed."""
        from urllib.parse import unquote

        import ada_url

        try:
            parsed = ada_url.URL(url)
        except ValueError:
            parsed = ada_url.URL("unreadable:")
        kind = parsed.protocol.removesuffix(":")
        endpoint = endpoint_of(parsed.host, _DEFAULT_PORTS.get(kind, 0))
        if kind not in _DEFAULT_PORTS or endpoint is None or parsed.pathname.strip("/") or parsed.search:
            raise InvalidSettings(
                "The address of the upstream proxy is not valid.",
                hint="Write http://host:port or socks5://host:port, with user:password@ before the host if needed.",
            )
        return cls(kind, endpoint, unquote(parsed.username), unquote(parsed.password))

    async def connect(self, stream: ByteStream, address: IP, port: int) -> None:
        """Ask the upstream proxy to connect this stream to an address. Raises Unreachable."""
        try:
            await (
                self._connect_socks(stream, address, port)
                if self.kind == "socks5"
                else self._connect_http(stream, address, port)
            )
        except Malformed as error:
            raise Unreachable(Failure.UPSTREAM, "the upstream proxy sent an invalid response") from error
        except Unreachable as error:
            if error.kind in _DISCONNECTS:
                raise Unreachable(Failure.UPSTREAM, "the upstream proxy closed the connection") from error
            raise

    async def _connect_http(self, stream: ByteStream, address: IP, port: int) -> None:
        target = Endpoint(str(address), port)
        lines = [f"CONNECT {target} HTTP/1.1", f"Host: {target}"]
        if self.username:
            token = base64.b64encode(f"{self.username}:{self.password}".encode()).decode()
            lines.append(f"Proxy-Authorization: Basic {token}")
        stream.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        head = await stream.read_head(LENIENT_HEAD_END)
        version, _, status = head[:12].partition(b" ")
        if not version.startswith(b"HTTP/1.") or not status.startswith(b"2"):
            raise Unreachable(_HTTP_FAILURES.get(status, Failure.UPSTREAM), "the upstream proxy refused")

    async def _connect_socks(self, stream: ByteStream, address: IP, port: int) -> None:
        await self._negotiate_socks(stream)
        kind = b"\x01" if isinstance(address, IPv4Address) else b"\x04"
        stream.write(b"\x05\x01\x00" + kind + address.packed + struct.pack("!H", port))
        version, reply, _, bound = await stream.read_exactly(4)
        if version != 5 or reply != 0:
            raise Unreachable(_SOCKS_FAILURES.get(reply, Failure.UPSTREAM), f"the upstream proxy replied {reply}")
        length = {1: 4, 4: 16}.get(bound) or (await stream.read_exactly(1))[0]
        await stream.read_exactly(length + 2)

    async def _negotiate_socks(self, stream: ByteStream) -> None:
        method = _USERNAME_PASSWORD if self.username else _NO_AUTHENTICATION
        stream.write(bytes((5, 1, method)))
        version, chosen = await stream.read_exactly(2)
        if version != 5:
            raise Unreachable(Failure.UPSTREAM, "the upstream proxy does not speak SOCKS 5")
        if chosen != method:
            raise Unreachable(Failure.CREDENTIALS, "the upstream proxy requires another authentication method")
        if method == _USERNAME_PASSWORD:
            await self._authenticate(stream)

    async def _authenticate(self, stream: ByteStream) -> None:
        username, password = self.username.encode()[:255], self.password.encode()[:255]
        stream.write(bytes((1, len(username))) + username + bytes((len(password),)) + password)
        if (await stream.read_exactly(2))[1] != 0:
            raise Unreachable(Failure.CREDENTIALS, "the upstream proxy rejected the username or password")


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
