"""Resolves host names to addresses, with a timeout and without a cache.

The proxy checks the addresses of every lookup and connects to one of them. A cached answer would have to be checked
again.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import TYPE_CHECKING, Protocol

from rove.guard.hosts.connection_errors import Failure, Unreachable
from rove.guard.hosts.refusal import IP

if TYPE_CHECKING:
    from dns.asyncresolver import Resolver as DnsPythonResolver

LOOKUP_TIMEOUT = 5.0
# With a dead name server, each lookup blocks a thread until the C library gives up. Further lookups wait.
_MAX_THREADS = 32
_LOOPBACK = (IPv4Address("127.0.0.1"), IPv6Address("::1"))


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
